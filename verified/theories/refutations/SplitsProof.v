(** Vectors in [F^r] are not split in every way if they are more than [r] (Radon). *)

From mathcomp Require Import all_ssreflect all_algebra.
From Samapprox Require Import Patterns Statement Configurations Splits.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.

Lemma tailsP b vectors v : v \in tails b vectors -> b :: v \in vectors.
Proof.
rewrite /tails.
suff gen: forall found, v \in List.fold_left
    (fun found v => match v with
      | x :: v => if Bool.eqb x b then v :: found else found | [::] => found end) vectors found ->
    (v \in found) || (b :: v \in vectors).
  by move/gen.
elim: vectors => [|u vectors IH] found /=; first by rewrite orbF.
move/IH; rewrite inE => /orP [|->]; last by rewrite !orbT.
case: u => [|x u]; first by move=> ->.
case: Bool.eqb_spec => [->|_] /=; last by move=> ->.
by rewrite inE => /orP [/eqP ->|->] //; rewrite eqxx orbT.
Qed.

Lemma all_vectorsP n vectors v : all (fun u => size u == n) vectors ->
  all_vectors n vectors -> size v = n -> v \in vectors.
Proof.
elim: n vectors v => [|n IH] vectors v.
  by case: vectors => //= u vectors /andP [/eqP/size0nil -> _] _ /size0nil ->; rewrite inE eqxx.
move=> sz full; case: v => //= b v [sv]; apply: tailsP; apply: IH => //.
  by apply/allP => u /tailsP /(allP sz) /=.
by move: full; rewrite /=; case: (vectors) => // u us /andP []; case: b.
Qed.

Lemma with_complementsP A found vectors v :
  with_complements A found = Some vectors -> v \in vectors ->
  (v \in found) || has (fun row => (bits row == Some v) || (bits row == Some (map negb v))) A.
Proof.
elim: A found => [|row A IH] found /=; first by case=> ->; rewrite orbF.
case E: (bits row) => [b|//] /IH step /step; rewrite !inE => /orP [|->]; last by rewrite !orbT.
case/or3P => [/eqP ->|/eqP ->|->] //; rewrite ?eqxx ?orbT // mapE.
by rewrite -map_comp (eq_map negbK) map_id eqxx !orbT.
Qed.

Lemma bits_size row b : bits row = Some b -> size b = size row.
Proof.
elim: row b => [|e row IH] b /=; first by case=> <-.
by case: e => //; case E: (bits row) => [c|//] [<-] /=; rewrite (IH c).
Qed.

Lemma bits_nth row b e : bits row = Some b -> (e < size row)%N ->
  nth Any row e = if nth false b e then One else Zero.
Proof.
elim: row b e => [|x row IH] b e //=.
by case: x => //; case E: (bits row) => [c|//] [<-]; case: e => //= e; apply: IH.
Qed.

Section Radon.

Variable F : realFieldType.

Lemma dependent r (v : nat -> 'rV[F]_r) : exists l : 'rV[F]_r.+1,
  l != 0 /\ forall w : 'rV[F]_r, \sum_e l 0 e * dot w (v e) = 0.
Proof.
pose V : 'M[F]_(r.+1, r) := \matrix_e v e.
have: kermx V != 0.
  rewrite -mxrank_eq0 mxrank_ker -lt0n subn_gt0.
  by rewrite (leq_ltn_trans (rank_leq_col V)).
case/rowV0Pn => l /sub_kermxP lV l0; exists l; split=> // w.
transitivity (dot w (l *m V)); last by rewrite lV dot0r.
rewrite mulmx_sum_row dot_sumr; apply: eq_bigr => e _.
by rewrite dotZr rowK.
Qed.

Lemma not_split r (v : nat -> 'rV[F]_r) :
  ~ forall b : seq bool, size b = r.+1 -> exists (w : 'rV[F]_r),
      forall e, (e < r.+1)%N -> signed (if nth false b e then One else Zero) (dot w (v e)).
Proof.
move=> split; have [l [l0 dep]] := dependent v.
pose b := mkseq (fun e => if insub e is Some e' then 0 < l 0 e' else false) r.+1.
have [|w sgn] := split b; first by rewrite size_mkseq.
case/negP: l0; apply/eqP/rowP => e; rewrite mxE.
have pos (e' : 'I_r.+1) : 0 <= l 0 e' * dot w (v e').
  have := sgn _ (ltn_ord e'); rewrite nth_mkseq // valK.
  case: ltP => /= [le0 /ltW|le0 /ltW]; first exact/mulr_ge0/ltW.
  exact: mulr_le0.
have /psumr_eq0P := dep w => /(_ (fun e' _ => pos e')) /(_ e isT) /eqP.
rewrite mulf_eq0 => /orP [/eqP //|/eqP z].
by have := sgn _ (ltn_ord e); rewrite z; case: ifP => _ /=; rewrite ltxx.
Qed.

Theorem check_splits_sound S d side rows columns :
  check_splits S d side rows columns = true -> ~ representable F d S.
Proof.
case/andP => /List.forallb_forall len; case E: with_complements => [vectors|//] full rep.
have [w [v cfg]] := config_of_representable side rows columns rep.
set A := core _ _ _ _ in len E cfg.
have lenA c : (c < size A)%N -> size (nth [::] A c) = d.+2.
  move=> lt; have: List.In (nth [::] A c) A.
    by elim: (A) c lt => //= x s IH [|c] lt; [left | right; apply: IH].
  by move/len/PeanoNat.Nat.eqb_eq.
apply: (@not_split _ v) => b sb.
have bin: b \in vectors.
  apply: all_vectorsP full sb.
  apply/allP => u /(with_complementsP E) /=.
  case/hasP => row /(nthP [::]) [c lt <-] /orP [] /eqP /bits_size; rewrite lenA // ?size_map.
  - by move=> ->.
  - by move=> ->.
case/hasP: (with_complementsP E bin) => row /(nthP [::]) [c lt <-] {row} /= /orP [] /eqP bE.
  exists (w c) => e le; have := cfg c e.
  by rewrite /entry_at !nthE (bits_nth bE) // lenA.
exists (- w c) => e le; have := cfg c e.
rewrite /entry_at !nthE (bits_nth bE) ?lenA // (nth_map false) ?sb //.
rewrite -scaleN1r dotZl mulN1r.
by case: nth => /=; rewrite ?oppr_gt0 ?oppr_lt0.
Qed.

End Radon.
