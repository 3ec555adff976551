(** Patterns: matrices of 1, 0 and don't-care. *)

From Coq Require Import List Bool.
Import ListNotations.

(** In a matrix of signs, [One] stands for + and [Zero] for -. *)
Inductive entry := One | Zero | Any.

(** How queries and keys are compared. *)
Inductive similarity := DotProduct | Cosine | Distance.

(** Thresholds in questions of ranks: all 0, all equal, or one for each row. *)
Inductive thresholds_kind := AllZero | AllEqual | EachRow.

(** The rows of the pattern. *)
Definition pattern := list (list entry).

(** Outside the pattern nothing is specified. *)
Definition entry_at (S : pattern) (i j : nat) : entry := nth j (nth i S []) Any.

(** The core of a proof: chosen rows and columns, under a row of +. The covectors are its rows and
    the elements its columns, or the other way round. *)
Definition core_of_columns (S : pattern) (rows columns : list nat) : pattern :=
  map (fun _ => One) columns
  :: map (fun i => let row := nth i S [] in map (fun j => nth j row Any) columns) rows.

Definition core_of_rows (S : pattern) (rows columns : list nat) : pattern :=
  let chosen := map (fun i => nth i S []) rows in
  map (fun j => One :: map (fun row => nth j row Any) chosen) columns.

Definition core (elements_are_columns : bool) : pattern -> list nat -> list nat -> pattern :=
  if elements_are_columns then core_of_columns else core_of_rows.

(** The rows [wrong] without their entries. *)
Definition erase_rows (S : pattern) (wrong : list nat) : pattern :=
  map (fun i => if existsb (Nat.eqb i) wrong then [] else nth i S []) (seq 0 (length S)).

(** The pattern without the entries [wrong], which are pairs of a row and a column. *)
Definition erase_entries (S : pattern) (wrong : list (nat * nat)) : pattern :=
  let named i j := existsb (fun ij => Nat.eqb i (fst ij) && Nat.eqb j (snd ij)) wrong in
  let row i :=
    let entries := nth i S [] in
    map (fun j => if named i j then Any else nth j entries Any) (seq 0 (length entries)) in
  map row (seq 0 (length S)).
