(** The kind [padded]: rows that occur with and without one more column. *)

From Coq Require Import List Bool Arith.
From Samapprox Require Import Patterns Gluing.
Import ListNotations.

(** The row after its first entry, of it or of its complement, which begins with the given entry. *)
Definition read_as (first : entry) (row : list entry) : option (list entry) :=
  match first, row with
  | One, One :: row | Zero, Zero :: row => Some row
  | One, Zero :: row | Zero, One :: row => Some (map complement row)
  | _, _ => None
  end.

Definition common (e e' : entry) : entry :=
  match e, e' with One, One => One | Zero, Zero => Zero | _, _ => Any end.

Fixpoint common_rows (rows : pattern) : option pattern :=
  match rows with
  | [] => Some []
  | upper :: lower :: rows =>
      match read_as One upper, read_as Zero lower, common_rows rows with
      | Some u, Some l, Some T => Some (map (fun p => common (fst p) (snd p)) (combine u l) :: T)
      | _, _, _ => None
      end
  | [_] => None
  end.

(** The columns other than the first one, if the row singles this one out. *)
Definition others (row : list entry) : option nat :=
  match read_as One row with
  | Some rest =>
      if (0 <? length rest) && forallb (fun e => match e with Zero => true | _ => false end) rest
      then Some (length rest) else None
  | None => None
  end.

(** The pattern that has an embedding in one dimension less. *)
Definition without_padding (B : pattern) : option pattern :=
  match B with
  | level :: rows =>
      match others level, common_rows rows with
      | Some n, Some T => Some (map (firstn n) T)
      | _, _ => None
      end
  | [] => None
  end.
