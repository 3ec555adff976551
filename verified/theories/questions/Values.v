(** The kind [value-embedding]: integer queries and keys with entries of a set. *)

From Coq Require Import List Bool Arith ZArith.
From Samapprox Require Import Patterns Embeddings Gluing.
Import ListNotations.

Definition vector_among (values : list Z) (d : nat) (u : list Z) : bool :=
  (length u =? d) && forallb (fun x => existsb (Z.eqb x) values) u.

Definition all_among (values : list Z) (d : nat) (vectors : list (list Z)) : bool :=
  (0 <? length values) && forallb (vector_among values d) vectors.

(** In dimension [own], which is at most [d]. Without a set of values for them, queries are free. *)
Definition check_values (of_queries : option (list Z)) (of_keys : list Z) (S : pattern) (d own : nat)
  (queries keys : list (list Z)) (thresholds : list Z) : bool :=
  (own <=? d) &&
  match of_queries with Some values => all_among values own queries | None => true end &&
  all_among of_keys own keys &&
  check_evidence S own (Integers queries keys thresholds).
