(** The kinds [caps] and [balls]: integers for cosine similarity and Euclidean distance. *)

From Coq Require Import List Bool ZArith.
From Samapprox Require Import Patterns Embeddings Gluing.
Import ListNotations.

(** Whether [p] is greater than [t] times the square root of [n], for [n] greater than 0. *)
Definition exceeds_root (p t n : Z) : bool :=
  let p2 := Z.mul p p in
  let t2 := Z.mul (Z.mul t t) n in
  if Z.ltb 0 p then Z.ltb t 0 || Z.ltb t2 p2 else Z.ltb t 0 && Z.ltb p2 t2.

Definition entry_of (b : bool) : entry := if b then One else Zero.

(** Cosine similarity: the key is divided by its length. *)
Definition cap_entry (query : list Z * Z) (k : list Z) : entry :=
  entry_of (exceeds_root (dot_integers k (fst query) 0) (snd query) (dot_integers k k 0)).

Definition check_caps (S : pattern) (d : nat) (queries keys : list (list Z)) (thresholds : list Z)
  : bool :=
  (0 <? length keys)%nat &&
  forallb (fun k => (length k <=? d)%nat && Z.ltb 0 (dot_integers k k 0)) keys &&
  implies (map (fun query => map (cap_entry query) keys) (combine queries thresholds)) S.

(** Euclidean distance: the query is a center, divided by its weight. *)
Definition ball_entry (query : list Z * Z * Z) (k : list Z) : entry :=
  let center := fst (fst query) in
  let weight := snd (fst query) in
  let bound := Z.add (snd query) (Z.mul weight (dot_integers k k 0)) in
  let product := dot_integers k center 0 in
  entry_of (Z.ltb bound (Z.add product product)).

Definition check_balls (S : pattern) (d : nat) (centers : list (list Z)) (weights : list Z)
  (keys : list (list Z)) (thresholds : list Z) : bool :=
  forallb (fun k => (length k <=? d)%nat) keys &&
  forallb (Z.ltb 0) weights &&
  implies
    (map (fun query => map (ball_entry query) keys) (combine (combine centers weights) thresholds)) S.
