(** The checker: one function for each answer. *)

From Coq Require Import List Bool Arith ZArith.
From Samapprox Require Import Patterns Tables Clauses Orientations.
From Samapprox Require Import Gluing Caps Splits Refutations Topological Padded Similarities OddCycle.

(** Proofs of YES, for each similarity. *)
Inductive witness :=
| OfProducts (why : evidence)
| OfCaps (queries keys : list (list Z)) (thresholds : list Z)
| OfBalls (centers : list (list Z)) (weights : list Z) (keys : list (list Z)) (thresholds : list Z).

(** The pattern has an embedding in dimension [d]. *)
Definition check_yes (s : similarity) (S : pattern) (d : nat) (why : witness) : bool :=
  match s, why with
  | DotProduct, OfProducts why => check_evidence S d why
  | Cosine, OfCaps queries keys thresholds => check_caps S d queries keys thresholds
  | Distance, OfBalls centers weights keys thresholds => check_balls S d centers weights keys thresholds
  | _, _ => false
  end.

(** All rows but those in [wrong] have an embedding. *)
Definition check_few_wrong_rows (s : similarity) (S : pattern) (d most : nat) (wrong : list nat)
  (why : witness) : bool :=
  (length wrong <=? most) && check_yes s (erase_rows S wrong) d why.

(** All entries but those in [wrong] have an embedding. *)
Definition check_few_wrong_entries (s : similarity) (S : pattern) (d most : nat)
  (wrong : list (nat * nat)) (why : witness) : bool :=
  (length wrong <=? most) && check_yes s (erase_entries S wrong) d why.

(** Proofs of NO. Those about dot products state the dimension that they exclude. *)
Inductive refutation :=
| SplitsInAllWays (d : nat) (elements_are_columns : bool) (rows columns : list nat)
| NoChirotope (d : nat) (elements_are_columns : bool) (rows columns : list nat)
    (sets : list (list nat)) (order : list literal) (automorphisms : list automorphism)
    (steps : list (clause * reason))
| OddlyManyAlternate (d : nat) (elements_are_columns : bool) (rows columns : list nat)
    (members : list (nat * list nat))
| Padding (rows columns : list nat) (why : refutation)
| Extended (plain : bool) (rows columns : list nat) (why : refutation)
| OddlyManyOpposite (steps : list (nat * nat))
| Exchanges (other : option nat) (walk : list (nat * nat * nat)).

(** The pattern has no embedding in dimension [d]. *)
Fixpoint check_no (s : similarity) (S : pattern) (d : nat) (proof : refutation) : bool :=
  match s, proof with
  | DotProduct, SplitsInAllWays d' side rows columns =>
      (d <=? d') && check_splits S d' side rows columns
  | DotProduct, NoChirotope d' side rows columns sets order automorphisms steps =>
      (d <=? d') && check_chirotope S d' side rows columns sets order automorphisms steps
  | DotProduct, OddlyManyAlternate d' side rows columns members =>
      (d <=? d') && check_topological S d' side rows columns members
  | DotProduct, Padding rows columns why =>
      match without_padding (submatrix S rows columns) with
      | Some T => check_no DotProduct T (d - 1) why
      | None => false
      end
  | Cosine, Extended plain rows columns why =>
      let B := submatrix S rows columns in
      check_no DotProduct (if plain then B else extend (2 <=? d) false (length columns) B) d why
  | Distance, Extended plain rows columns why =>
      let B := submatrix S rows columns in
      (plain || (1 <=? d)) &&
      check_no DotProduct (if plain then B else extend true true (length columns) B) (1 + d) why
  | Cosine, OddlyManyOpposite steps => (d <=? 1) && check_opposite S steps
  | Cosine, Exchanges (Some other) walk => (d <=? 2) && check_walk S (Some other) walk
  | Distance, Exchanges None walk => (d <=? 1) && check_walk S None walk
  | _, _ => false
  end.
