(** The kinds [factors] and [rank-refutation]: ranks of matrices of signs. *)

From Coq Require Import List Bool Arith ZArith.
From Samapprox Require Import Patterns Embeddings Gluing Similarities Certificates.
Import ListNotations.

(** *** Factors *)

Definition strictly (row : list entry) (right : list (list Z)) (left : list Z) (t : Z) : bool :=
  forallb
    (fun ek =>
       let x := dot_integers left (snd ek) 0 in
       match fst ek with One => Z.ltb t x | Zero => Z.ltb x t | Any => true end)
    (combine row right).

Definition check_thresholds (kind : thresholds_kind) (thresholds : list Z) : bool :=
  match kind with
  | AllZero => forallb (Z.eqb 0) thresholds
  | AllEqual =>
      forallb (Z.ltb 0) thresholds || forallb (fun t => Z.ltb t 0) thresholds ||
      forallb (Z.eqb 0) thresholds
  | EachRow => true
  end.

Definition check_factors (kind : thresholds_kind) (S : pattern) (r : nat) (left right : list (list Z))
  (thresholds : list Z) : bool :=
  (length left =? length S) && (length thresholds =? length S) &&
  check_thresholds kind thresholds &&
  forallb
    (fun x =>
       let '(row, u, t) := x in
       (length u <=? r) && (length row <=? length right) && strictly row right u t)
    (combine (combine S left) thresholds).

(** *** Refutations *)

(** The rows, read in relation to the first one. *)
Definition relative_entry (first e : entry) : entry :=
  match first with One => e | Zero => complement e | Any => Any end.

Definition relative_rows (B : pattern) : pattern :=
  match B with
  | first :: rows =>
      map (fun row => map (fun p => relative_entry (fst p) (snd p)) (combine first row)) rows
  | [] => []
  end.

Definition is_specified (e : entry) : bool := match e with Any => false | _ => true end.

Definition doubled_rows (B : pattern) : pattern := map (fun row => row ++ map complement row) B.

Definition widened_rows (e : entry) (B : pattern) : pattern := map (fun row => row ++ [e]) B.

(** Rows, columns, and why a pattern that is derived from them is not representable. *)
Definition reduced : Type := list nat * list nat * refutation.

Inductive rank_refutation :=
| Relative (of : reduced)
| Doubled (of : reduced)
| WithZerosAndOnes (zeros ones : reduced)
| Unchanged (of : reduced).

Definition refuted (S : pattern) (d : nat) (derive : pattern -> pattern) (of : reduced) : bool :=
  let '(rows, columns, why) := of in
  check_no DotProduct (derive (submatrix S rows columns)) d why.

Definition check_rank_no (kind : thresholds_kind) (S : pattern) (r : nat) (proof : rank_refutation)
  : bool :=
  match kind, proof with
  | AllZero, Relative (rows, columns, why) =>
      let B := submatrix S rows columns in
      (2 <=? r) && (0 <? length columns) && (0 <? length rows) && forallb is_specified (nth 0 B []) &&
      check_no DotProduct (relative_rows B) (r - 1) why
  | AllZero, Doubled of => refuted S r doubled_rows of
  | AllEqual, WithZerosAndOnes zeros ones =>
      refuted S r (widened_rows Zero) zeros && refuted S r (widened_rows One) ones
  | EachRow, Unchanged of => refuted S r (fun B => B) of
  | _, _ => false
  end.
