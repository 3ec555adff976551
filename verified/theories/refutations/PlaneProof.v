(** Vectors in a plane, one of which has all others on one side: so does another one. *)

From Coq Require Import Ring.
From mathcomp Require Import all_ssreflect all_algebra.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.

Section Identity.

Variables (R : Type) (zero one : R) (add mul sub : R -> R -> R) (opp : R -> R).
Hypothesis R_ring : ring_theory zero one add mul sub opp eq.
Add Ring R_ring : R_ring.

Lemma abstract_plucker a1 a2 b1 b2 c1 c2 e1 e2 :
  mul (sub (mul a1 e2) (mul a2 e1)) (sub (mul b1 c2) (mul b2 c1)) =
  sub (mul (sub (mul a1 b2) (mul a2 b1)) (sub (mul e1 c2) (mul e2 c1)))
    (mul (sub (mul a1 c2) (mul a2 c1)) (sub (mul e1 b2) (mul e2 b1))).
Proof. ring. Qed.

End Identity.

Section Plane.

Variable F : realFieldType.

Lemma field_ring : ring_theory (0 : F) 1 +%R *%R (fun x y => x - y) -%R eq.
Proof.
split=> //; [exact: add0r | exact: addrC | exact: addrA | exact: mul1r | exact: mulrC
  | exact: mulrA | exact: mulrDl | exact: subrr].
Qed.

Variable n : nat.
Variables x1 x2 : 'I_n.+2 -> F.

(** Positive if [b] lies to the left of [a]. *)
Definition turn a b := x1 a * x2 b - x2 a * x1 b.

Lemma turnC a b : turn b a = - turn a b.
Proof. by rewrite /turn opprB mulrC [x2 b * _]mulrC. Qed.

Hypothesis nonzero : forall a b, a != b -> turn a b != 0.

Definition source (s : F) a := [forall b, (b != a) ==> (0 < s * turn a b)].

Lemma source_opposite s a : s * s = 1 -> source s a -> exists b, source (- s) b.
Proof.
move=> ss /forallP src.
have pos b : b != a -> 0 < s * turn a b by move=> ne; apply: (implyP (src b)).
have [e ne] : exists e, e != a.
  by exists (if a == ord0 then ord_max else ord0); case: ifP => [/eqP ->|/negbT]; rewrite // eq_sym.
pose slope b := turn e b / turn a b.
have := @Order.TotalTheory.arg_maxP _ _ _ e (fun b => b != a) slope ne.
case=> b nb best; exists b; apply/forallP => c; apply/implyP => nc.
rewrite mulNr -mulrN -turnC.
case: (c =P a) => [->|/eqP nca]; first exact: pos.
have an0 (c' : 'I_n.+2) : c' != a -> turn a c' != 0 by move=> h; apply: nonzero; rewrite eq_sym.
have le : slope c <= slope b := best c nca.
have eqn : turn a e * turn b c = turn a b * turn e c - turn a c * turn e b.
  exact: (abstract_plucker field_ring).
rewrite turnC mulrN -mulNr; rewrite mulNr oppr_gt0.
have pb := pos b nb; have pc := pos c nca; have pe := pos e ne.
have s0: s != 0 by apply: contraTneq pb => ->; rewrite mul0r ltxx.
have slopeE d : slope d = (s * turn e d) / (s * turn a d) by rewrite /slope -mulf_div divff ?mul1r.
move: le; rewrite !slopeE ler_pdivr_mulr // mulrAC ler_pdivl_mulr // => cross.
have: 0 <= - (turn a e * turn b c).
  have -> : - (turn a e * turn b c) = s * turn e b * (s * turn a c) - s * turn e c * (s * turn a b).
    rewrite [s * turn e b * _]mulrACA [s * turn e c * _]mulrACA ss !mul1r eqn opprB.
    by rewrite [turn e b * _]mulrC [turn e c * _]mulrC.
  by rewrite subr_ge0.
rewrite oppr_ge0 => le0.
have: s * turn a e * (s * turn b c) <= 0 by rewrite mulrACA ss mul1r.
by rewrite (pmulr_rle0 _ pe) le_eqVlt mulf_eq0 (negbTE s0) (negbTE (nonzero _)) // eq_sym.
Qed.

Lemma source_unique s a b : source s a -> source s b -> a = b.
Proof.
move=> /forallP sa /forallP sb; case: (a =P b) => // /eqP ne; exfalso.
have := implyP (sa b); rewrite eq_sym => /(_ ne) p1; have := implyP (sb a) ne.
by rewrite turnC mulrN oppr_gt0 ltNge (ltW p1).
Qed.

Lemma not_both s a : source s a -> source (- s) a -> False.
Proof.
move=> /forallP sa /forallP sb.
have [e ne] : exists e, e != a.
  by exists (if a == ord0 then ord_max else ord0); case: ifP => [/eqP ->|/negbT]; rewrite // eq_sym.
have := implyP (sa e) ne; have := implyP (sb e) ne.
by rewrite mulNr oppr_gt0 => /ltW le; rewrite ltNge le.
Qed.

(** The number of vectors that have all others on one side is 0 or 2. *)
Lemma extremes_even : \big[addb/false]_a (source 1 a || source (- 1) a) = false.
Proof.
case: (pickP (source 1)) => [a sa|none]; last first.
  rewrite big1 // => a _; rewrite none /=; apply/negP => sa.
  have [|b] := source_opposite _ sa; first by rewrite mulrNN mul1r.
  by rewrite opprK none.
have [|b sb] := source_opposite _ sa; first by rewrite mul1r.
have ne: b != a by apply/negP => /eqP E; subst b; apply: not_both sa sb.
rewrite (bigD1 a) //= sa (bigD1 b) //= sb orbT big1 // => c /andP [ca cb].
apply/negP => /orP [/(source_unique sa) E|/(source_unique sb) E].
  by rewrite E eqxx in ca.
by rewrite E eqxx in cb.
Qed.

End Plane.
