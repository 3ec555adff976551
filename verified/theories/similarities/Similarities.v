(** The kinds [extended], [opposite-keys] and [odd-cycle]: refutations for cosine similarity and
    Euclidean distance. *)

From Coq Require Import List Bool Arith.
From Samapprox Require Import Patterns.
Import ListNotations.

(** Some row contains exactly one of the two columns. *)
Definition differ (B : pattern) (a b : nat) : bool :=
  existsb
    (fun row => match nth a row Any, nth b row Any with One, Zero | Zero, One => true | _, _ => false end) B.

Definition submatrix (S : pattern) (rows columns : list nat) : pattern :=
  map (fun i => let row := nth i S [] in map (fun j => nth j row Any) columns) rows.

(** The pattern with a row for each of its [n] columns: without any other column if they are
    distinct, else without those that differ. If the columns lie on a paraboloid, another column is
    far away on its axis, and has a row to itself. *)
Definition extend (distinct paraboloid : bool) (n : nat) (B : pattern) : pattern :=
  let wide row := if paraboloid then row ++ [Zero] else row in
  map wide B ++
  map
    (fun a => wide
      (map (fun b => if a =? b then One else if distinct || differ B a b then Zero else Any) (seq 0 n)))
    (seq 0 n) ++
  if paraboloid then [repeat Zero n ++ [One]] else [].

(** The row contains exactly one of the two columns. *)
Definition separates (S : pattern) (i j j' : nat) : bool :=
  match entry_at S i j, entry_at S i j' with One, Zero | Zero, One => true | _, _ => false end.

(** On two points, an odd number of columns, each at another point than the next one. *)
Fixpoint separates_all (S : pattern) (first : nat) (steps : list (nat * nat)) : bool :=
  match steps with
  | [] => true
  | (i, j) :: ((_, j') :: _) as steps => separates S i j j' && separates_all S first steps
  | [(i, j)] => separates S i j first
  end.

Definition check_opposite (S : pattern) (steps : list (nat * nat)) : bool :=
  match steps with
  | (_, first) :: _ => Nat.odd (length steps) && separates_all S first steps
  | [] => false
  end.
