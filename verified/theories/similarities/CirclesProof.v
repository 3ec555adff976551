(** Points on a circle, and vectors in a larger dimension. *)

From mathcomp Require Import all_ssreflect all_algebra.
From Samapprox Require Import Patterns Statement Configurations DistinctProof SimilaritiesProof.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.

Section Circle.

Variable F : realFieldType.
Implicit Types u v w : 'rV[F]_2.

(** ** More coordinates, which are 0 *)

Definition padded d d' (u : 'rV[F]_d) : 'rV[F]_d' :=
  \row_l if insub (val l) is Some l' then u 0 l' else 0.

Lemma dot_padded d d' (u v : 'rV[F]_d) : (d <= d')%N ->
  dot (padded d' u) (padded d' v) = dot u v.
Proof.
move=> le; rewrite /dot.
pose f (w : 'rV[F]_d) (l : nat) : F := if insub l is Some l' then w 0 l' else 0.
transitivity (\sum_(l < d') f u l * f v l).
  by apply: eq_bigr => l _; rewrite !mxE.
rewrite -(big_mkord xpredT (fun l => f u l * f v l)) (big_cat_nat _ _ _ (leq0n d) le) /=.
rewrite [X in _ + X]big1_seq ?addr0 => [|l]; last first.
  by rewrite mem_index_iota /f => /andP [_ /andP [ge _]]; rewrite insubF ?mul0r // ltnNge ge.
by rewrite big_mkord; apply: eq_bigr => l _; rewrite /f !valK.
Qed.

(** ** The plane *)

Definition perp w : 'rV[F]_2 := \row_l (if l == 0 then - w 0 1 else w 0 0).

Lemma dot2 u v : dot u v = u 0 0 * v 0 0 + u 0 1 * v 0 1.
Proof.
rewrite /dot !big_ord_recl big_ord0 addr0; congr (_ + _ * _); congr (_ _ _); exact: val_inj.
Qed.

Lemma dot_perp w v : dot (perp w) v = w 0 0 * v 0 1 - w 0 1 * v 0 0.
Proof. by rewrite dot2 !mxE /= mulNr addrC. Qed.

Lemma perp_anti w v : dot (perp w) v = - dot (perp v) w.
Proof. by rewrite !dot_perp opprB mulrC [w 0 1 * _]mulrC. Qed.

Lemma collinear w v : w != 0 -> dot (perp w) v = 0 -> exists m, v = m *: w.
Proof.
move=> w0; rewrite dot_perp => /eqP; rewrite subr_eq0 => /eqP E.
have n0 : dot w w != 0 by rewrite lt0r_neq0 // dot_gt0.
exists (dot v w / dot w w); apply: (scalerI n0); rewrite scalerA mulrCA mulfV // mulr1.
apply/rowP => l; rewrite !mxE !dot2.
have [->|->] : l = 0 \/ l = 1 by case: l => -[|[|]] //= lt; [left | right]; apply: val_inj.
  rewrite !mulrDl [v 0 1 * _ * _]mulrAC [v 0 1 * _]mulrC E [v 0 0 * _ * _]mulrAC [w 0 0 * w 0 0 * _]mulrC mulrA.
  by rewrite [w 0 1 * v 0 0]mulrC [w 0 1 * w 0 1 * _]mulrC mulrA.
rewrite !mulrDl -[w 0 0 * _ * _]mulrA E mulrA [v 0 0 * _]mulrC [w 0 1 * w 0 1 * _]mulrC mulrA.
by rewrite -[w 0 0 * w 0 1 * _]mulrA [w 0 1 * v 0 0]mulrC mulrA.
Qed.

Lemma convex_square (c l : F) (a b : 'rV[F]_2) : c + l = 1 -> dot a a = 1 -> dot b b = 1 ->
  dot (c *: a + l *: b) (c *: a + l *: b) = 1 - c * l * dot (a - b) (a - b).
Proof.
move=> cl aa bb; rewrite distance aa bb dotDl !dotDr !dotZl !dotZr aa bb (dotC b a) !mulr1.
set x := dot a b; have E : c * c + l * l = 1 - c * l *+ 2.
  by apply/eqP; rewrite eq_sym subr_eq -[1](expr1n _ 2) -cl sqrrD !expr2 addrAC.
rewrite !mulrA [l * c]mulrC; set p := c * l in E *; rewrite [p * x + l * l]addrC addrACA E -mulr2n.
have -> : 1 - (2%:R * x - 1) = 2%:R - 2%:R * x by rewrite opprB addrA -[1 + 1]/(2%:R).
by rewrite mulrBr mulrnAr mulr1 mulr_natl mulrnAr opprB addrA addrAC.
Qed.

Lemma combine_gt (c l t : F) (q a b : 'rV[F]_2) : c + l = 1 -> 0 <= c -> 0 <= l ->
  t < dot q a -> t < dot q b -> t < dot q (c *: a + l *: b).
Proof.
move=> cl c0 l0 ta tb; rewrite dotDr !dotZr -[t]mul1r -cl mulrDl.
case: (ltgtP 0 c) c0 => // [cp _|E _].
  by rewrite ltr_le_add // ?ltr_pmul2l // ler_wpmul2l // ltW.
by rewrite -E add0r in cl *; rewrite cl !mul0r !mul1r !add0r.
Qed.

Lemma combine_le (c l t : F) (q a b : 'rV[F]_2) : c + l = 1 -> 0 <= c -> 0 <= l ->
  dot q a <= t -> dot q b <= t -> dot q (c *: a + l *: b) <= t.
Proof.
move=> cl c0 l0 ta tb; rewrite dotDr !dotZr -[t]mul1r -cl mulrDl.
by rewrite ler_add // ler_wpmul2l.
Qed.

(** If a line separates two points of a circle from two others, these are on the same side of the
    line through the first two. *)
Lemma same_arc (o x y y' : 'rV[F]_2) :
  dot o o = 1 -> dot x x = 1 -> dot y y = 1 -> dot y' y' = 1 -> x - o != 0 ->
  (forall c l c' l', c + l = 1 -> 0 <= c -> 0 <= l -> c' + l' = 1 -> 0 <= c' -> 0 <= l' ->
    c *: o + l *: x != c' *: y + l' *: y') ->
  0 < dot (perp (x - o)) (y - o) * dot (perp (x - o)) (y' - o).
Proof.
move=> oo xx yy yy' w0 disjoint; set p := perp _.
set f := dot p (y - o); set f' := dot p (y' - o); rewrite ltNge; apply/negP => le.
have [c [l [cl c0 l0 zero]]] : exists c l, [/\ c + l = 1, 0 <= c, 0 <= l & c * f + l * f' = 0].
  case: (ltgtP f 0) le => [fn|fp|->] le; last by exists 1, 0; rewrite addr0 mul0r mulr0 addr0 ler01.
    have f'0 : 0 <= f' by move: le; rewrite nmulr_rle0.
    have D : 0 < f' - f by rewrite subr_gt0 (lt_le_trans fn).
    exists (f' / (f' - f)), (- f / (f' - f)); rewrite -mulrDl mulfV ?lt0r_neq0 //; split=> //.
    - by rewrite divr_ge0 // ltW.
    - by rewrite divr_ge0 ?oppr_ge0 // ltW.
    - by rewrite mulrAC [- f / _ * _]mulrAC -mulrDl mulNr [f' * f]mulrC subrr mul0r.
  have f'0 : f' <= 0 by move: le; rewrite pmulr_rle0.
  have D : 0 < f - f' by rewrite subr_gt0 (le_lt_trans f'0).
  exists (- f' / (f - f')), (f / (f - f')); rewrite -mulrDl [- f' + f]addrC mulfV ?lt0r_neq0 //; split=> //.
  - by rewrite divr_ge0 ?oppr_ge0 // ltW.
  - by rewrite divr_ge0 // ltW.
  - by rewrite mulrAC [f / _ * _]mulrAC -mulrDl mulNr [f' * f]mulrC addNr mul0r.
have cl' : c = 1 - l by rewrite -cl addrK.
have on_line : dot p (c *: y + l *: y' - o) = 0.
  rewrite -zero /f /f' -!dotZr -dotDr; congr dot; rewrite !scalerBr addrACA -opprD -scalerDl cl scale1r.
  by [].
have [m E] := collinear w0 on_line.
have z : c *: y + l *: y' = (1 - m) *: o + m *: x.
  by rewrite -[LHS](subrK o) E scalerBr scalerBl scale1r addrC addrA addrAC.
have sq := convex_square cl yy yy'.
have sq' := @convex_square (1 - m) m o x (subrK _ _) oo xx.
rewrite z sq' in sq; have {}sq : (1 - m) * m * dot (o - x) (o - x) = c * l * dot (y - y') (y - y').
  by apply: oppr_inj; apply: (addrI 1); rewrite sq.
have pos : 0 < dot (o - x) (o - x) by apply: dot_gt0; rewrite -opprB oppr_eq0.
have m0 : 0 <= (1 - m) * m.
  by rewrite -(pmulr_lge0 _ pos) sq !mulr_ge0 // dot_ge0.
have [m1 m2] : 0 <= 1 - m /\ 0 <= m.
  split; rewrite leNgt; apply/negP => neg; move: m0; rewrite leNgt; case/negP.
    by rewrite nmulr_rlt0 //; move: neg; rewrite subr_lt0; apply: lt_trans; apply: ltr01.
  by rewrite pmulr_rlt0 // subr_gt0 (lt_trans neg) ?ltr01.
by have := disjoint _ _ _ _ (subrK m 1) m1 m2 cl c0 l0; rewrite -z eqxx.
Qed.

End Circle.
