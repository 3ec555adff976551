(** Orders of points on a line. *)

From mathcomp Require Import all_ssreflect all_algebra.
From Samapprox Require Import Patterns Statement Configurations SimilaritiesProof OddCycle.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.

(** ** Walks *)

Section Walks.

Variables (S : pattern) (s : nat -> nat -> bool).
Hypothesis forced : forall i x y y', forces S i x y y' ->
  [/\ s x y = s x y', s y x = ~~ s x y & s y' x = ~~ s x y'].

Lemma follows_stepP a b i a' b' : follows_step S (a, b, i) a' b' ->
  s a b = s a' b' /\ s b a = ~~ s a b.
Proof.
rewrite /follows_step !eqbP_nat => /orP [] /andP [/eqP <-] /forced [same ab ab'].
  by rewrite same ab same.
by rewrite ab ab' same negbK.
Qed.

Lemma follows_walkP a0 b0 walk : follows_walk S a0 b0 walk ->
  if walk is (a, b, _) :: _ then s a b = s b0 a0 else True.
Proof.
elim: walk => // -[[a b] i] [|[[a' b'] i'] walk] IH.
  by case/follows_stepP.
by rewrite /= => /andP [/follows_stepP [-> _]] /IH.
Qed.

Lemma check_walkP walk : ~ check_walk S walk.
Proof.
rewrite /check_walk; case: walk => // -[[a b] i] walk ok.
have same := follows_walkP ok.
have anti : s b a = ~~ s a b.
  by case: walk ok {same} => [|[[a' b'] i'] walk] /=; [case/follows_stepP | case/andP => /follows_stepP []].
by move: anti; rewrite -same; case: (s a b).
Qed.

End Walks.

Section Points.

Variable F : realFieldType.

(** A point at a greater distance is on the same side of two others. *)
Lemma same_side (q x y y' b : F) :
  (q - y) * (q - y) < b -> (q - y') * (q - y') < b -> b <= (q - x) * (q - x) ->
  [/\ (x < y) = (x < y'), (y < x) = ~~ (x < y) & (y' < x) = ~~ (x < y')].
Proof.
move=> near near' far.
have closer z : (q - z) * (q - z) < b -> `|z - q| < `|x - q|.
  move=> lt; rewrite !(distrC _ q) -(ltr_pexpn2r (_ : 0 < 2)%N) ?nnegrE ?normr_ge0 //.
  by rewrite !real_normK ?num_real // !expr2 (lt_le_trans lt far).
have {near} := closer y near; have {near'} := closer y' near'.
case: (ltgtP (x - q) 0) => [x0|x0|->]; last by rewrite normr0 normr_lt0.
  rewrite (ltr0_norm x0) !ltr_norml !opprK !ltr_add2r => /andP [lt _] /andP [lt' _].
  by rewrite lt lt' [y < x]ltNge [y' < x]ltNge !ltW.
rewrite (gtr0_norm x0) !ltr_norml !ltr_add2r => /andP [_ lt] /andP [_ lt'].
by rewrite lt lt' [x < y]ltNge [x < y']ltNge !ltW.
Qed.

Theorem check_walk_sound d S walk : (d <= 1)%N -> check_walk S walk ->
  ~ representable_by F Distance d S.
Proof.
move=> d1 ok [q [k [b rep]]]; pose point (u : 'rV[F]_d) := \sum_l u 0 l.
have square (u : 'rV[F]_d) : dot u u = point u * point u.
  rewrite /dot /point; case: (d) d1 u => [|[|]] // _ u; first by rewrite !big_ord0 mul0r.
  by rewrite !big_ord_recl !big_ord0 !addr0.
have sub (u v : 'rV[F]_d) : point (u - v) = point u - point v.
  by rewrite /point -sumrB; apply: eq_bigr => l _; rewrite !mxE.
apply: (check_walkP (s := fun i j => point (k i) < point (k j)) _ ok) => i x y y'.
rewrite /forces; have := rep i x; have := rep i y; have := rep i y'; rewrite !square !sub.
case: (entry_at S i x) => // + + + ; case: (entry_at S i y) => // + + +.
case: (entry_at S i y') => // near' near far _; exact: same_side near near' far.
Qed.

End Points.
