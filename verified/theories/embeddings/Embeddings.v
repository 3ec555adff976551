(** The kind [embedding]: integer queries, keys and thresholds. *)

From Coq Require Import List Bool Arith ZArith.
From Samapprox Require Import Patterns.
Import ListNotations.

Fixpoint dot_integers (u v : list Z) (sum : Z) : Z :=
  match u, v with
  | x :: u, y :: v => dot_integers u v (Z.add sum (Z.mul x y))
  | _, _ => sum
  end.

(** A 1 where the logit is above the threshold, a 0 elsewhere. *)
Definition row_of_integers (keys : list (list Z)) (q : list Z) (t : Z) : list entry :=
  map (fun k => if Z.ltb t (dot_integers q k 0) then One else Zero) keys.

(** The pattern of integer queries, keys and thresholds in dimension [d]. *)
Fixpoint pattern_of_integers (d : nat) (keys queries : list (list Z)) (thresholds : list Z)
  : option pattern :=
  match queries, thresholds with
  | [], _ => Some []
  | q :: queries, t :: thresholds =>
      match length q <=? d, pattern_of_integers d keys queries thresholds with
      | true, Some rows => Some (row_of_integers keys q t :: rows)
      | _, _ => None
      end
  | _ :: _, [] => None
  end.
