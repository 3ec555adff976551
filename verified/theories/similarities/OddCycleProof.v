(** Orders of points on a line and around a circle. *)

From mathcomp Require Import all_ssreflect all_algebra.
From Samapprox Require Import Patterns Statement Configurations Similarities SimilaritiesProof OddCycle CirclesProof.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.

(** ** Walks *)

Section Walks.

Variables (S : pattern) (other : option nat) (fine : nat -> bool) (s : nat -> nat -> bool).
Hypothesis forced : forall i x y y', fine x -> forces S other i x y y' ->
  [/\ s x y = s x y', s y x = ~~ s x y & s y' x = ~~ s x y'].

Lemma follows_stepP a b i a' b' : fine a -> fine b -> follows_step S other (a, b, i) a' b' ->
  s a b = s a' b' /\ s b a = ~~ s a b.
Proof.
move=> fa fb; rewrite /follows_step !eqbP_nat.
case/orP => /andP [/eqP <-]; [move/(forced fa) | move/(forced fb)] => -[same ab ab'].
  by rewrite same ab same.
by rewrite ab ab' same negbK.
Qed.

Let fine_steps (walk : seq (nat * nat * nat)) := all (fun step => fine step.1.1 && fine step.1.2) walk.

Lemma follows_walkP a0 b0 walk : fine_steps walk -> follows_walk S other a0 b0 walk ->
  if walk is (a, b, _) :: _ then s a b = s b0 a0 else True.
Proof.
elim: walk => // -[[a b] i] walk IH /= /andP [/andP [fa fb] fs].
case: walk IH fs => [|[[a' b'] i'] walk] IH fs; first by case/(follows_stepP fa fb).
by case/andP => /(follows_stepP fa fb) [-> _] /(IH fs).
Qed.

Lemma check_walkP walk : fine_steps walk -> ~ check_walk S other walk.
Proof.
rewrite /check_walk; case: walk => // -[[a b] i] walk fs /andP [_ ok].
have same := follows_walkP fs ok; have /andP [/andP [fa fb] _] := fs.
have anti : s b a = ~~ s a b.
  by case: walk ok {same fs} => [|[[a' b'] i'] walk] /=;
    [case/(follows_stepP fa fb) | case/andP => /(follows_stepP fa fb) []].
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

Theorem check_walk_line_sound d S walk : (d <= 1)%N -> check_walk S None walk ->
  ~ representable_by F Distance d S.
Proof.
move=> d1 ok [q [k [b rep]]]; pose point (u : 'rV[F]_d) := \sum_l u 0 l.
have square (u : 'rV[F]_d) : dot u u = point u * point u.
  rewrite /dot /point; case: (d) d1 u => [|[|]] // _ u; first by rewrite !big_ord0 mul0r.
  by rewrite !big_ord_recl !big_ord0 !addr0.
have sub (u v : 'rV[F]_d) : point (u - v) = point u - point v.
  by rewrite /point -sumrB; apply: eq_bigr => l _; rewrite !mxE.
apply: (check_walkP (fine := fun=> true) (s := fun i j => point (k i) < point (k j)) _ _ ok) => [i x y y' _|]; last exact: all_predT.
rewrite /forces; have := rep i x; have := rep i y; have := rep i y'; rewrite !square !sub.
case: (entry_at S i x) => // + + + ; case: (entry_at S i y) => // + + +.
case: (entry_at S i y') => // near' near far _; exact: same_side near near' far.
Qed.

(** ** Points on a circle *)

Theorem check_walk_circle_sound d S z walk : (d <= 2)%N -> check_walk S (Some z) walk ->
  ~ representable_by F Cosine d S.
Proof.
move=> d2 ok [q0 [k0 [t [unit0 rep0]]]].
pose q i := padded 2 (q0 i); pose k j := padded 2 (k0 j).
have unit j : dot (k j) (k j) = 1 by rewrite dot_padded.
have rep : represents S q k t by move=> i j; rewrite dot_padded.
pose side x y := dot (perp (k x - k z)) (k y - k z).
apply: (check_walkP (fine := fun x => k x - k z != 0) (s := fun x y => 0 < side x y) _ _ ok).
  move=> i x y y' w0 force; have pos : 0 < side x y * side x y'.
    apply: same_arc => // c l c' l' cl c0 l0 cl' c0' l0'; apply/eqP => E.
    move: force; rewrite /forces; have := rep i z; have := rep i x; have := rep i y; have := rep i y'.
    case: (entry_at S i z) => //; case: (entry_at S i x) => //; case: (entry_at S i y) => //;
      case: (entry_at S i y') => //= sy' sy sx sz _.
      have := combine_gt cl c0 l0 sz sx; rewrite E ltNge.
      by rewrite (combine_le cl' c0' l0' sy sy').
    have := combine_gt cl' c0' l0' sy sy'; rewrite -E ltNge.
    by rewrite (combine_le cl c0 l0 sz sx).
  have anti u : side u x = - side x u by apply: perp_anti.
  rewrite !anti !oppr_gt0; move: pos; case: (ltgtP (side x y) 0) => [neg|sy|->]; last by rewrite mul0r ltxx.
    by rewrite nmulr_rgt0 // => neg'; rewrite neg' [0 < _]ltNge ltW.
  by rewrite pmulr_rgt0 // => sy'; rewrite sy' [_ < 0]ltNge ltW.
move: ok; rewrite /check_walk; case: walk => // -[[a b] i] walk /andP [+ _].
rewrite /are_apart forallbE; apply: sub_all => step /andP [one two].
have apart x : List.existsb (fun step => separates S step.2 z x) ((a, b, i) :: walk) -> k x - k z != 0.
  case/List.existsb_exists => st [_ /(separated rep)]; by rewrite subr_eq0 eq_sym.
by rewrite !apart.
Qed.

End Points.
