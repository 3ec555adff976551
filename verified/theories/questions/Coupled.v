(** The kind [self-attention]: queries and keys are products of one matrix with two others. *)

From Coq Require Import List Bool Arith ZArith.
From Samapprox Require Import Patterns Embeddings Gluing.
Import ListNotations.

(** The products of a token with the columns of a matrix. *)
Definition products (columns : list (list Z)) (token : list Z) : list Z :=
  map (fun column => dot_integers token column 0) columns.

Definition check_coupled (S : pattern) (d hidden : nat) (tokens of_queries of_keys : list (list Z))
  (thresholds : list Z) : bool :=
  forallb (fun token => length token <=? hidden) tokens &&
  check_evidence S d (Integers (map (products of_queries) tokens) (map (products of_keys) tokens) thresholds).
