(** Scaled integers have the norms and the margin. *)

From Coq Require Import ZArith Lia.
From mathcomp Require Import all_ssreflect all_algebra.
From Samapprox Require Import Patterns Statement Configurations Embeddings EmbeddingsProof.
From Samapprox Require Import CapsProof Margins.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.
Local Delimit Scope Z_scope with Z.

Section Margins.

Variable F : realFieldType.

Lemma short_vector d scale vectors i : all_short d scale vectors -> 0 < inF F scale ->
  (size (nth [::] vectors i) <= d)%N /\
  dot ((inF F scale)^-1 *: vector F d (nth [::] vectors i)) ((inF F scale)^-1 *: vector F d (nth [::] vectors i)) <= 1.
Proof.
move=> /List.forallb_forall short scale0.
case: (ltnP i (size vectors)) => [lt|le]; last first.
  rewrite nth_default //; split=> //; rewrite dotZl dotZr -dot_integersE //=.
  by rewrite !mulr0 ler01.
case/andP: (short _ (nth_In [::] lt)) => /PeanoNat.Nat.leb_spec0/ssrnat.leP le /(@inF_le F) norm.
split=> //; rewrite dotZl dotZr -dot_integersE // mulrA -expr2 exprVn mulrC ler_pdivr_mulr ?exprn_gt0 //.
by rewrite mul1r expr2 -inF_mul; apply: norm.
Qed.

Lemma row_is_farP distance q t query row keys j : row_is_far distance q t query row keys ->
  far distance (q * t)%Z (q * dot_integers query (nth [::] keys j) 0)%Z (nth Any row j).
Proof.
elim: row keys j => [|e row IH] keys j; first by rewrite nth_nil.
by case: keys => [|k keys] //= /andP [ok rest]; case: j => [|j] //=; apply: IH.
Qed.

Lemma rows_are_farP distance q keys S queries thresholds i j :
  rows_are_far distance q keys S queries thresholds ->
  far distance (q * nth 0%Z thresholds i)%Z
    (q * dot_integers (nth [::] queries i) (nth [::] keys j) 0)%Z (entry_at S i j).
Proof.
rewrite /entry_at !nthE; elim: S queries thresholds i => [|row S IH] queries thresholds i /=.
  by rewrite nth_nil nth_nil.
case: queries => [|query queries] //; case: thresholds => [|t thresholds] //=.
by case/andP => ok rest; case: i => [|i] /=; [apply: row_is_farP | apply: IH].
Qed.

Theorem check_margin_sound S d p q a b queries keys thresholds :
  check_margin S d (Z.of_nat p) (Z.of_nat q) a b queries keys thresholds = true ->
  has_margin F d S p q.
Proof.
case/andP => /andP [/andP [/andP [a0 b0] short_q] short_k] fars.
have {}a0 : 0 < inF F a by rewrite -[0]/(inF F 0) inF_lt.
have {}b0 : 0 < inF F b by rewrite -[0]/(inF F 0) inF_lt.
set x := inF F a in a0; set y := inF F b in b0.
exists (fun i => x^-1 *: vector F d (nth [::] queries i)), (fun j => y^-1 *: vector F d (nth [::] keys j)).
exists (fun i => (x * y)^-1 * inF F (nth 0%Z thresholds i)); split; last split.
- by move=> i; have [] := short_vector i short_q a0.
- by move=> j; have [] := short_vector j short_k b0.
move=> i j; have xy0 : 0 < x * y by rewrite mulr_gt0.
have := rows_are_farP i j fars; have [le _] := short_vector i short_q a0.
rewrite dotZl dotZr mulrA -invfM -dot_integersE //.
set l := dot_integers _ _ _; set t := nth _ thresholds i.
case: entry_at => //= /(@inF_le F); rewrite inF_add !inF_mul !inF_nat -/x -/y => far_enough;
  by rewrite -mulrBr mulrCA ler_pdivl_mull // [x * y * _]mulrC mulrBr ler_subr_addr // addrC.
Qed.

End Margins.
