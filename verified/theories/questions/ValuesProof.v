(** Queries and keys outside the pattern have entries of the set as well. *)

From Coq Require Import ZArith.
From mathcomp Require Import all_ssreflect all_algebra.
From Samapprox Require Import Patterns Statement Configurations Embeddings EmbeddingsProof.
From Samapprox Require Import Gluing GluingProof CapsProof Values.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import GRing.Theory Num.Theory.
Local Open Scope ring_scope.
Local Delimit Scope Z_scope with Z.

Section Values.

Variable F : realFieldType.

(** The vectors of a list, and a vector of values after its end. *)
Definition filled d (values : seq Z) (vectors : seq (seq Z)) i : 'rV[F]_d :=
  if (i < size vectors)%N then vector F d (nth [::] vectors i) else const_mx (inF F (nth 0%Z values 0)).

Lemma all_amongP d values vectors : all_among values d vectors ->
  forall i l, among values (filled d values vectors i 0%R l).
Proof.
case/andP => /PeanoNat.Nat.ltb_spec0/ssrnat.ltP some /List.forallb_forall fine i l.
rewrite /filled; case: ifP => lt; rewrite mxE; last by exists (nth 0%Z values 0); split=> //; apply: nth_In.
case/andP: (fine _ (nth_In [::] lt)) => /PeanoNat.Nat.eqb_spec size_d /List.forallb_forall each.
have lt_l := leq_trans (ltn_ord l) (eq_leq (esym size_d)).
have := each _ (nth_In 0%Z lt_l); case/List.existsb_exists => z [in_z /Z.eqb_spec same].
by exists z; rewrite same.
Qed.

(** Further coordinates of two values change all logits by the same number. *)
Lemma more_coordinates d d' of_queries of_keys S : (d <= d')%N ->
  (forall values, of_queries = Some values -> exists a : F, among values a) ->
  (exists b : F, among of_keys b) ->
  representable_with F of_queries of_keys d S -> representable_with F of_queries of_keys d' S.
Proof.
move=> /subnKC <- some [b is_b] [q [k [t [of_q [of_k rep]]]]]; set n := (d' - d)%N.
have [a is_a] : exists a : F, forall values, of_queries = Some values -> among values a.
  case E: of_queries some => [values|] some; last by exists 0%R.
  by have [a is_a] := some _ erefl; exists a => _ [<-].
pose q' i : 'rV[F]_(d + n) := row_mx (q i) (const_mx a).
pose k' j : 'rV[F]_(d + n) := row_mx (k j) (const_mx b).
exists q', k', (fun i => t i + (a * b) *+ n); split; last split.
- move=> values E i l; rewrite /q' mxE; case: splitP => l' _; first exact: of_q.
  by rewrite mxE; apply: is_a.
- by move=> j l; rewrite /k' mxE; case: splitP => l' _; last by rewrite mxE.
move=> i j; have -> : dot (q' i) (k' j) = dot (q i) (k j) + (a * b) *+ n.
  rewrite /dot big_split_ord /=; congr (_ + _).
    by apply: eq_bigr => l _; rewrite !row_mxEl.
  under eq_bigr do rewrite !row_mxEr !mxE.
  by rewrite sumr_const card_ord.
by have := rep i j; case: entry_at => //=; rewrite ?ltr_add2r ?ler_add2r.
Qed.

Lemma some_among d values vectors : all_among values d vectors -> exists a : F, among values a.
Proof.
case/andP => /PeanoNat.Nat.ltb_spec0/ssrnat.ltP some _.
by exists (inF F (nth 0%Z values 0)), (nth 0%Z values 0); split=> //; apply: nth_In.
Qed.

Theorem check_values_sound of_queries of_keys S d own queries keys thresholds :
  check_values of_queries of_keys S d own queries keys thresholds = true ->
  representable_with F of_queries of_keys d S.
Proof.
case/andP => /andP [/andP [/PeanoNat.Nat.leb_spec0/ssrnat.leP le fine_queries] fine_keys]; rewrite /check_evidence /=.
case E: pattern_of_integers => [P|//] imp.
have rep i j : entry_at S i j <> Any -> (i < size queries)%N /\ (j < size keys)%N /\
    agrees (entry_at S i j) (dot (vector F own (nth [::] queries i)) (vector F own (nth [::] keys j)))
      (inF F (nth 0%Z thresholds i)).
  move=> nA; have same := impliesP imp nA; rewrite same in nA *.
  have [? ?] := pattern_of_integers_specified E nA.
  by split=> //; split=> //; apply: (pattern_of_integers_represents F E).
apply: (more_coordinates le) => [values is_values||].
- by move: fine_queries; rewrite is_values; apply: some_among.
- exact: some_among fine_keys.
pose q i := if of_queries is Some values then filled own values queries i else vector F own (nth [::] queries i).
exists q, (filled own of_keys keys), (fun i => inF F (nth 0%Z thresholds i)); split; last split.
- by move=> values is_values; rewrite /q; move: fine_queries; rewrite is_values; apply: all_amongP.
- exact: all_amongP.
move=> i j; case: (entry_at S i j =P Any) => [-> //|/rep [lt_i [lt_j]]].
by rewrite /q /filled lt_j; case: (of_queries) => [values|] //; rewrite lt_i.
Qed.

End Values.
