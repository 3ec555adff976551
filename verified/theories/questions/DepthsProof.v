(** An embedding of a pattern with fewer zeros shows which ones are among the first columns. *)

From Coq Require Import ZArith.
From mathcomp Require Import all_ssreflect all_algebra.
From Samapprox Require Import Patterns Statement Configurations EmbeddingsProof Certificates CertificatesProof Depths.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.
Local Delimit Scope Z_scope with Z.

Section Depths.

Variable F : rcfType.

Lemma tlE A (s : seq A) : List.tl s = behead s. Proof. by case: s. Qed.

Lemma hdE A (x : A) s : List.hd x s = nth x s 0. Proof. by case: s. Qed.

(** The columns that [number_of] counts. *)
Definition places (f : entry -> entry -> bool) (row row' : seq entry) : seq nat :=
  [seq j <- iota 0 (size row) | f (nth Any row j) (nth Any row' j)].

Lemma size_places f row row' : size (places f row row') = number_of f row row'.
Proof.
elim: row row' => //= e row IH row'; rewrite tlE hdE -IH /places /=.
have -> : iota 1 (size row) = [seq j.+1 | j <- iota 0 (size row)] by rewrite -addn1 addnC iotaDl.
rewrite filter_map (eq_filter (a2 := fun j => f (nth Any row j) (nth Any (behead row') j))).
  by case: ifP => _ /=; rewrite size_map.
by move=> j /=; rewrite nth_behead.
Qed.

Lemma mem_places f row row' j : (forall e', f Any e' = false) ->
  (j \in places f row row') = f (nth Any row j) (nth Any row' j).
Proof.
move=> none; rewrite mem_filter mem_iota /= add0n.
case: ltnP => lt; first by rewrite andbT.
by rewrite andbF nth_default.
Qed.

(** A witness gives scores and thresholds. *)
Lemma scores_of_representable s d S : representable_by F s d S ->
  exists (x : nat -> nat -> F) (t : nat -> F), scores s d x /\
    forall i j, agrees (entry_at S i j) (x i j) (t i).
Proof.
case: s => /=.
- by case=> q [k [t rep]]; exists (fun i j => dot (q i) (k j)), t; split=> //; exists q, k.
- by case=> q [k [t [unit rep]]]; exists (fun i j => dot (q i) (k j)), t; split=> //; exists q, k.
case=> q [k [b rep]]; exists (fun i j => - dot (q i - k j) (q i - k j)), (fun i => - b i).
split; first by exists q, k.
by move=> i j; have := rep i j; case: entry_at => //=; rewrite ?ltr_opp2 ?ler_opp2.
Qed.

Lemma among_first_kept K row row' (x : nat -> F) t :
  (forall j, agrees (nth Any row' j) (x j) t) ->
  (number_of kept row row' + number_of ahead row row' <= K)%N ->
  among_first K row x (places kept row row').
Proof.
move=> rep le; exists (places ahead row row'); rewrite !size_places; split=> // j j'.
rewrite !mem_places //; have := rep j; have := rep j'.
case: (nth Any row j) => //; case: (nth Any row' j) => //= zero one _ -> le_x.
case: (nth Any row' j') zero => //= zero.
by have := lt_le_trans one (le_trans le_x zero); rewrite ltxx.
Qed.

Lemma ones_kept row row' : number_of lost row row' = 0%N -> ones row = places kept row row'.
Proof.
move/eqP; rewrite -size_places size_eq0 -[_ == _]negbK -has_filter => /hasPn none.
apply: eq_in_filter => j /none /=.
by rewrite /lost /kept; case: (nth Any row j); case: (nth Any row' j).
Qed.

Lemma wrong_rows_atP K S T : exists wrong : seq nat, size wrong = wrong_rows_at K S T /\
  forall i, i \notin wrong -> right_at K (nth [::] S i) (nth [::] T i).
Proof.
elim: S T => [|row S IH] T /=; first by exists [::]; split=> // i _; rewrite nth_nil.
have [wrong [<- right]] := IH (List.tl T); rewrite hdE.
have later i : i.+1 \notin [seq j.+1 | j <- wrong] ->
    right_at K (nth [::] S i) (nth [::] T i.+1).
  by rewrite mem_map => [|a b []//] /right; rewrite tlE nth_behead.
case: ifP => ok.
  by exists [seq j.+1 | j <- wrong]; rewrite size_map; split=> // -[_|i /later].
exists (0%N :: [seq j.+1 | j <- wrong]); rewrite /= size_map; split=> // -[|i] //.
by rewrite inE negb_or => /andP [_ /later].
Qed.

Theorem check_few_wrong_rows_at_sound s S d w K T why :
  check_few_wrong_rows_at s S d w K T why = true -> fits_rows_at F s d S w K.
Proof.
case/andP => /PeanoNat.Nat.leb_spec0/ssrnat.leP few /(@check_yes_cosine_sound F).
case/scores_of_representable => x [t [are rep]].
have [wrong [size_wrong right]] := wrong_rows_atP K S T.
exists wrong, x; rewrite size_wrong; split=> //; split=> // i /right.
case/andP => /PeanoNat.Nat.eqb_spec none /PeanoNat.Nat.leb_spec0/ssrnat.leP le.
rewrite (ones_kept none); apply: (among_first_kept (t := t i)) le => j.
by have := rep i j; rewrite /entry_at !nthE.
Qed.

Lemma integerE n : inF F (integer n) = n%:R.
Proof. by rewrite -inF_nat; congr inF; elim: n => //= n ->; rewrite -Znat.Nat2Z.inj_succ. Qed.

Lemma size_ones row : size (ones row) = number_of kept row row.
Proof. by rewrite -size_places; congr size; apply: eq_filter => j; rewrite /kept; case: nth. Qed.

Lemma sum_of_recallsE K scale rows T quotients sum : 0 < inF F scale ->
  sum_of_recalls K scale rows T quotients = Some sum ->
  inF F sum = inF F scale *
    \sum_(i < size rows) (recalled K (nth [::] rows i) (nth [::] T i))%:R / (size (ones (nth [::] rows i)))%:R.
Proof.
move=> scale0; elim: rows T quotients sum => [|row rows IH] T [|quotient quotients] sum //=.
- by case=> <-; rewrite big_ord0 mulr0.
- by case=> <-; rewrite big_ord0 mulr0.
case: Z.eqb_spec => // exact; case E: sum_of_recalls => [rest|//] [<-].
rewrite big_ord_recl mulrDr inF_add inF_mul integerE (IH _ _ _ E) hdE /=; congr (_ + _).
  have {}exact : inF F scale = (size (ones row))%:R * inF F quotient.
    by rewrite -exact inF_mul integerE size_ones.
  have some : (size (ones row))%:R != 0 :> F.
    by apply: contraTneq scale0 => none; rewrite exact none mul0r ltxx.
  by rewrite exact [_ * inF F quotient in RHS]mulrC -mulrA [_%:R / _]mulrC mulVKf // mulrC.
by congr (_ * _); apply: eq_bigr => i _; rewrite tlE nth_behead.
Qed.

Theorem check_recall_sound s S d K p q scale quotients T why :
  check_recall s S d K (Z.of_nat p) (Z.of_nat q) scale quotients T why = true ->
  recall_at_least F s d S K p q.
Proof.
case/andP => /andP [scale0 enough] /(@check_yes_cosine_sound F).
have {}scale0 : 0 < inF F scale by rewrite -[0]/(inF F 0) inF_lt.
case/scores_of_representable => x [t [are rep]].
pose row i := nth [::] S i; pose row' i := nth [::] T i.
pose first i := (number_of kept (row i) (row' i) + number_of ahead (row i) (row' i) <= K)%N.
pose found i := if first i then places kept (row i) (row' i) else [::].
exists x, found; split=> //; split=> [i|].
  rewrite /found; case: ifP => [le|_]; last by split=> //; split=> //; exists [::].
  split; first exact: filter_uniq (iota_uniq _ _).
  split; last by apply: (among_first_kept (t := t i)) le => j; have := rep i j; rewrite /entry_at !nthE.
  move=> j; rewrite !mem_filter => /andP [both ->]; rewrite andbT.
  by move: both; rewrite /kept -/(row i); case: (nth Any (row i) j).
case E: sum_of_recalls enough => [sum|//] /(@inF_le F).
rewrite !inF_mul !integerE !inF_nat (sum_of_recallsE scale0 E) mulrCA [X in X <= _]mulrC.
rewrite ler_pmul2l // => le; apply: le_trans le _; rewrite le_eqVlt; apply/orP; left; apply/eqP.
congr (_ * _); apply: eq_bigr => i _; congr (_ / _); rewrite /recalled /found /first -/(row i) -/(row' i).
by case: PeanoNat.Nat.leb_spec0 => [/ssrnat.leP ->|/ssrnat.leP/negbTE ->]; rewrite ?size_places.
Qed.

End Depths.
