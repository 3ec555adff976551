(** The kind [embedding]: integer queries, keys and thresholds. *)

From Coq Require Import List Bool Arith ZArith.
From Samapprox Require Import Patterns.
Import ListNotations.

Fixpoint dot_integers (u v : list Z) (sum : Z) : Z :=
  match u, v with
  | x :: u, y :: v => dot_integers u v (Z.add sum (Z.mul x y))
  | _, _ => sum
  end.

(** A logit above the threshold where there is a 1, and not above it where there is a 0. *)
Fixpoint check_row (row : list entry) (keys : list (list Z)) (q : list Z) (t : Z) : bool :=
  match row, keys with
  | [], _ => true
  | e :: row, k :: keys =>
      let above := Z.ltb t (dot_integers q k 0) in
      if match e with One => above | Zero => negb above | Any => true end
      then check_row row keys q t else false
  | _ :: _, [] => false
  end.

Fixpoint check_embedding (rows : pattern) (d : nat) (queries keys : list (list Z))
  (thresholds : list Z) : bool :=
  match rows, queries, thresholds with
  | [], _, _ => true
  | row :: rows, q :: queries, t :: thresholds =>
      if (length q <=? d) && check_row row keys q t
      then check_embedding rows d queries keys thresholds else false
  | _, _, _ => false
  end.
