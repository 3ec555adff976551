(** The kinds [radon] and [shattering]: covectors that split [d + 2] elements in every way. *)

From Coq Require Import List Bool Arith.
From Samapprox Require Import Patterns.
Import ListNotations.

(** A row of signs, if all of them are specified. *)
Fixpoint bits (row : list entry) : option (list bool) :=
  match row with
  | [] => Some []
  | One :: row => option_map (cons true) (bits row)
  | Zero :: row => option_map (cons false) (bits row)
  | Any :: _ => None
  end.

(** The given rows, and their complements. *)
Fixpoint with_complements (rows : list (list entry)) (found : list (list bool))
  : option (list (list bool)) :=
  match rows with
  | [] => Some found
  | row :: rows =>
      match bits row with
      | Some b => with_complements rows (b :: map negb b :: found)
      | None => None
      end
  end.

(** What follows [b] in the vectors that begin with it. *)
Definition tails (b : bool) (vectors : list (list bool)) : list (list bool) :=
  fold_left
    (fun found v =>
       match v with
       | x :: v => if eqb x b then v :: found else found
       | [] => found
       end) vectors [].

(** All vectors of length [n] begin one of the given ones. *)
Fixpoint all_vectors (n : nat) (vectors : list (list bool)) : bool :=
  match n, vectors with
  | _, [] => false
  | O, _ => true
  | S n, _ => all_vectors n (tails true vectors) && all_vectors n (tails false vectors)
  end.

Definition check_splits (S : pattern) (d : nat) (elements_are_columns : bool)
  (rows columns : list nat) : bool :=
  let A := core elements_are_columns S rows columns in
  forallb (fun covector => length covector =? 2 + d) A &&
  match with_complements A [] with
  | Some vectors => all_vectors (2 + d) vectors
  | None => false
  end.
