(** The kind [odd-cycle]: an order of two columns that is forced along a walk, which ends with the two
    columns exchanged. On a circle, it is the order of the two and another column. *)

From Coq Require Import List Bool Arith.
From Samapprox Require Import Patterns Similarities.
Import ListNotations.

(** On a line, row [i] contains [y] and [y'], but not [x], which is therefore not between them. On a
    circle, it separates [y] and [y'] from [x] and the other column. *)
Definition forces (S : pattern) (other : option nat) (i x y y' : nat) : bool :=
  match other with
  | None =>
      match entry_at S i x, entry_at S i y, entry_at S i y' with
      | Zero, One, One => true
      | _, _, _ => false
      end
  | Some z =>
      match entry_at S i z, entry_at S i x, entry_at S i y, entry_at S i y' with
      | One, One, Zero, Zero | Zero, Zero, One, One => true
      | _, _, _, _ => false
      end
  end.

(** A step: two columns, and the row that forces the next two. *)
Definition follows_step (S : pattern) (other : option nat) (from : nat * nat * nat) (a' b' : nat) : bool :=
  let '(a, b, i) := from in
  ((a =? a') && forces S other i a b b') || ((b =? b') && forces S other i b a a').

Fixpoint follows_walk (S : pattern) (other : option nat) (a0 b0 : nat) (walk : list (nat * nat * nat))
  : bool :=
  match walk with
  | [] => true
  | [last] => follows_step S other last b0 a0
  | from :: ((a, b, _) :: _) as walk => follows_step S other from a b && follows_walk S other a0 b0 walk
  end.

(** Some row of the walk separates the columns of each step from the other one. *)
Definition are_apart (S : pattern) (other : option nat) (walk : list (nat * nat * nat)) : bool :=
  match other with
  | None => true
  | Some z =>
      let apart a := existsb (fun step => separates S (snd step) z a) walk in
      forallb (fun step => apart (fst (fst step)) && apart (snd (fst step))) walk
  end.

Definition check_walk (S : pattern) (other : option nat) (walk : list (nat * nat * nat)) : bool :=
  match walk with
  | (a, b, _) :: _ => are_apart S other walk && follows_walk S other a b walk
  | [] => false
  end.
