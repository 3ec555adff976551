(** The checker: one function for each answer. *)

From Coq Require Import List Bool Arith ZArith.
From Samapprox Require Import Patterns Tables Clauses Orientations.
From Samapprox Require Import Gluing Splits Refutations Topological.

(** Proofs of NO, with the dimension that they exclude. *)
Inductive refutation :=
| SplitsInAllWays (d : nat) (elements_are_columns : bool) (rows columns : list nat)
| NoChirotope (d : nat) (elements_are_columns : bool) (rows columns : list nat)
    (sets : list (list nat)) (order : list literal) (automorphisms : list automorphism)
    (steps : list (clause * reason))
| OddlyManyAlternate (d : nat) (elements_are_columns : bool) (rows columns : list nat)
    (members : list (nat * list nat)).

(** The pattern has an embedding in dimension [d]. *)
Definition check_yes (S : pattern) (d : nat) (why : evidence) : bool := check_evidence S d why.

(** The pattern has no embedding in dimension [d]. *)
Definition check_no (S : pattern) (d : nat) (proof : refutation) : bool :=
  match proof with
  | SplitsInAllWays d' side rows columns => (d <=? d') && check_splits S d' side rows columns
  | NoChirotope d' side rows columns sets order automorphisms steps =>
      (d <=? d') && check_chirotope S d' side rows columns sets order automorphisms steps
  | OddlyManyAlternate d' side rows columns members =>
      (d <=? d') && check_topological S d' side rows columns members
  end.
