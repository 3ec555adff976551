(** Clauses, and their derivation by unit propagation along given clauses. *)

From Coq Require Import List Bool PArith.
From Samapprox Require Import Tables.
Import ListNotations.

(** [(true, v)] stands for the variable [v], [(false, v)] for its opposite. *)
Definition literal := (bool * positive)%type.
Definition clause := list literal.

Definition opposite (l : literal) : literal := (negb (fst l), snd l).

Definition same_literal (l m : literal) : bool :=
  eqb (fst l) (fst m) && Pos.eqb (snd l) (snd m).

Definition contains (C : clause) (l : literal) : bool := existsb (same_literal l) C.

(** What a clause says if some variables have known values. *)
Inductive verdict := Conflict | Unit (l : literal) | Nothing.

Fixpoint examine (values : table bool) (C : clause) (open : option literal) : verdict :=
  match C with
  | [] => match open with None => Conflict | Some l => Unit l end
  | (p, v) :: C =>
      match get values v, open with
      | Some x, _ => if eqb x p then Nothing else examine values C open
      | None, None => examine values C (Some (p, v))
      | None, Some l => if same_literal l (p, v) then examine values C open else Nothing
      end
  end.

(** Does propagation along the clauses with the numbers [hints] end in a conflict? *)
Fixpoint propagate (clauses : table clause) (values : table bool) (hints : list positive) : bool :=
  match hints with
  | [] => false
  | h :: hints =>
      match get clauses h with
      | None => false
      | Some C =>
          match examine values C None with
          | Conflict => true
          | Unit (p, v) => propagate clauses (set values v p) hints
          | Nothing => propagate clauses values hints
          end
      end
  end.

(** [C] follows from the clauses: denying all of its literals leads to a conflict. *)
Definition follows (clauses : table clause) (C : clause) (hints : list positive) : bool :=
  propagate clauses (fold_left (fun values l => set values (snd l) (negb (fst l))) C Leaf) hints.
