(** The kind [odd-cycle] on a line: an order of two columns that is forced along a walk, which ends
    with the two columns exchanged. *)

From Coq Require Import List Bool Arith.
From Samapprox Require Import Patterns.
Import ListNotations.

(** Row [i] contains [y] and [y'], but not [x], which is therefore not between them. *)
Definition forces (S : pattern) (i x y y' : nat) : bool :=
  match entry_at S i x, entry_at S i y, entry_at S i y' with
  | Zero, One, One => true
  | _, _, _ => false
  end.

(** A step: two columns, and the row that forces the next two. *)
Definition follows_step (S : pattern) (from : nat * nat * nat) (a' b' : nat) : bool :=
  let '(a, b, i) := from in
  ((a =? a') && forces S i a b b') || ((b =? b') && forces S i b a a').

Fixpoint follows_walk (S : pattern) (a0 b0 : nat) (walk : list (nat * nat * nat)) : bool :=
  match walk with
  | [] => true
  | [last] => follows_step S last b0 a0
  | from :: ((a, b, _) :: _) as walk => follows_step S from a b && follows_walk S a0 b0 walk
  end.

Definition check_walk (S : pattern) (walk : list (nat * nat * nat)) : bool :=
  match walk with
  | (a, b, _) :: _ => follows_walk S a b walk
  | [] => false
  end.
