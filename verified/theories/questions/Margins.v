(** The kind [unit-embedding]: integers that become short vectors by division. *)

From Coq Require Import List Bool Arith ZArith.
From Samapprox Require Import Patterns Embeddings.
Import ListNotations.

(** Each vector has at most [d] coordinates, and at most the length [scale]. *)
Definition all_short (d : nat) (scale : Z) (vectors : list (list Z)) : bool :=
  forallb (fun u => (length u <=? d) && Z.leb (dot_integers u u 0) (Z.mul scale scale)) vectors.

(** The [logit] is far enough on its side of the threshold; all of them are multiplied. *)
Definition far (distance threshold logit : Z) (e : entry) : bool :=
  match e with
  | One => Z.leb (Z.add threshold distance) logit
  | Zero => Z.leb (Z.add logit distance) threshold
  | Any => true
  end.

Fixpoint row_is_far (distance q t : Z) (query : list Z) (row : list entry) (keys : list (list Z)) : bool :=
  match row, keys with
  | [], _ => true
  | e :: row, k :: keys =>
      far distance (Z.mul q t) (Z.mul q (dot_integers query k 0)) e && row_is_far distance q t query row keys
  | _ :: _, [] => false
  end.

Fixpoint rows_are_far (distance q : Z) (keys : list (list Z)) (rows : pattern)
  (queries : list (list Z)) (thresholds : list Z) : bool :=
  match rows, queries, thresholds with
  | [], _, _ => true
  | row :: rows, query :: queries, t :: thresholds =>
      row_is_far distance q t query row keys && rows_are_far distance q keys rows queries thresholds
  | _, _, _ => false
  end.

(** The margin is at least p / q, for queries that are divided by [a] and keys that are divided by
    [b]. *)
Definition check_margin (S : pattern) (d : nat) (p q a b : Z) (queries keys : list (list Z))
  (thresholds : list Z) : bool :=
  Z.ltb 0 a && Z.ltb 0 b && all_short d a queries && all_short d b keys &&
  rows_are_far (Z.mul p (Z.mul a b)) q keys S queries thresholds.
