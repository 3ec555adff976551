(** Signs on [r + 1] vectors that are those of their linear dependence: circuits. *)

From mathcomp Require Import all_ssreflect all_algebra.
From Samapprox Require Import Patterns Statement Configurations BracketsProof OrientationsProof.
From Samapprox Require Import SplitsProof PlaneProof.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.

Section Matches.

Variable F : realFieldType.
Variables r M : nat.
Variable v : nat -> 'rV[F]_r.
Hypothesis gen : general M v.

(** Elements below [M], each once. *)
Definition proper (L : seq nat) : bool := uniq L && all (fun e => e < M)%N L.

(** A linear dependence of the vectors of the elements. *)
Definition depends (L : seq nat) (l : nat -> F) : Prop := \sum_(e <- L) l e *: v e = 0.

Lemma independent T l : size T = r -> proper T -> depends T l -> forall e, e \in T -> l e = 0.
Proof.
move=> sT /andP [uT ltT] dep e ein.
have unit: matrix_of v T \in unitmx.
  by rewrite unitmxE unitfE; apply: gen; rewrite /is_subset sT eqxx uT.
pose u : 'rV[F]_r := \row_i l (nth 0%N T i).
have: u *m matrix_of v T = 0.
  rewrite mulmx_sum_row -[RHS]dep (big_nth 0%N) sT big_mkord; apply: eq_bigr => i _.
  by rewrite mxE; congr (_ *: _); apply/rowP => j; rewrite !mxE.
move/(congr1 (mulmx^~ (invmx (matrix_of v T)))); rewrite mulmxK // mul0mx => u0.
have lt: (index e T < r)%N by rewrite -sT index_mem.
by have /rowP /(_ (Ordinal lt)) := u0; rewrite !mxE /= nth_index.
Qed.

Lemma depends_rem L l e : e \in L -> l e = 0 -> depends L l -> depends (rem e L) l.
Proof. by move=> ein l0; rewrite /depends (big_rem e) //= l0 scale0r add0r. Qed.

Lemma proper_rem L e : proper L -> proper (rem e L).
Proof.
case/andP => u lt; rewrite /proper rem_uniq //=; apply/allP => x /mem_rem.
exact: (allP lt).
Qed.

Lemma depends_zero L l e : size L = r.+1 -> proper L -> depends L l -> e \in L -> l e = 0 ->
  forall x, x \in L -> l x = 0.
Proof.
move=> sL pL dep ein l0 x xin; case: (x =P e) => [-> //|/eqP ne].
have [uL _] := andP pL.
apply: (independent _ (proper_rem e pL) (depends_rem ein l0 dep)); first by rewrite size_rem // sL.
by rewrite rem_filter // mem_filter /= ne.
Qed.

(** A dependence, chosen by a function. *)
Definition dependence (L : seq nat) (e : nat) : F :=
  nz_row (kermx (\matrix_(i < r.+1, j < r) v (nth 0%N L i) 0 j)) 0 (inord (index e L)).

Lemma dependence_ok L : size L = r.+1 -> proper L ->
  depends L (dependence L) /\ forall e, e \in L -> dependence L e != 0.
Proof.
move=> sL pL; pose V : 'M[F]_(r.+1, r) := \matrix_(i, j) v (nth 0%N L i) 0 j.
have [uL _] := andP pL.
pose l := nz_row (kermx V).
have l0: l != 0.
  rewrite nz_row_eq0 -mxrank_eq0 mxrank_ker -lt0n subn_gt0.
  by rewrite (leq_ltn_trans (rank_leq_col V)).
have lV: l *m V = 0 by apply/sub_kermxP; apply: nz_row_sub.
have at_nth (i : 'I_r.+1) : dependence L (nth 0%N L i) = l 0 i.
  rewrite /dependence index_uniq ?sL //; congr (_ 0 _); exact: inord_val.
have dep: depends L (dependence L).
  rewrite /depends (big_nth 0%N) sL big_mkord -[RHS]lV mulmx_sum_row; apply: eq_bigr => i _.
  by rewrite at_nth; congr (_ *: _); apply/rowP => j; rewrite !mxE.
split=> // e ein; apply: contraNneq l0 => z; apply/eqP/rowP => i.
by rewrite mxE -at_nth; apply: (depends_zero sL pL dep ein z); rewrite mem_nth ?sL.
Qed.

(** Elements with signs. *)
Notation pattern := (seq (nat * bool)).

Definition has_signs (P : pattern) (l : nat -> F) : bool := all (fun p => has_sign p.2 (l p.1)) P.
Definition has_opposite_signs (P : pattern) (l : nat -> F) : bool :=
  all (fun p => has_sign (~~ p.2) (l p.1)) P.

Definition matches (P : pattern) : bool :=
  has_signs P (dependence (unzip1 P)) || has_opposite_signs P (dependence (unzip1 P)).

Lemma has_sign_scale s (a b : F) : 0 < a -> has_sign s (b * a) = has_sign s b.
Proof. by move=> a0; case: s => /=; rewrite ?pmulr_lgt0 ?pmulr_llt0. Qed.

Lemma has_sign_scale_opp s (a b : F) : a < 0 -> has_sign s (b * a) = has_sign (~~ s) b.
Proof. by move=> a0; case: s => /=; rewrite ?nmulr_lgt0 ?nmulr_llt0. Qed.

(** Any dependence without a 0 decides it. *)
Lemma matchesE P l : size P = r.+1 -> proper (unzip1 P) -> depends (unzip1 P) l ->
  (forall e, e \in unzip1 P -> l e != 0) ->
  matches P = has_signs P l || has_opposite_signs P l.
Proof.
move=> sP pP dep nz; have sL: size (unzip1 P) = r.+1 by rewrite size_map.
have [dep0 nz0] := dependence_ok sL pP; rewrite /matches; set l0 := dependence _ in dep0 nz0 *.
have [x0 x0in] : exists x, x \in unzip1 P.
  by case: (P) sP => // p Q _; exists p.1; rewrite mem_head.
pose rho := l0 x0 / l x0.
have prop x : x \in unzip1 P -> l0 x = l x * rho.
  move=> xin; apply/eqP; rewrite -subr_eq0; apply/eqP.
  have depm: depends (unzip1 P) (fun e => l0 e - l e * rho).
    rewrite /depends (eq_bigr (fun e => l0 e *: v e - rho *: (l e *: v e))).
      by rewrite sumrB -scaler_sumr (dep : \sum_(i <- _) _ = 0) (dep0 : \sum_(i <- _) _ = 0) scaler0 subr0.
    by move=> e _; rewrite scalerBl scalerA [rho * _]mulrC.
  apply: (depends_zero sL pP depm x0in _ xin).
  by rewrite /rho mulrCA divff ?nz // mulr1 subrr.
have rho0: rho != 0 by rewrite mulf_neq0 ?invr_eq0 ?nz ?nz0.
have in1 p : p \in P -> p.1 \in unzip1 P by apply: map_f.
case: (ltgtP rho 0) rho0 => // sgn _.
  rewrite orbC; congr (_ || _); apply: eq_in_all => p /in1 /prop ->.
    by rewrite has_sign_scale_opp ?negbK.
  by rewrite has_sign_scale_opp.
by congr (_ || _); apply: eq_in_all => p /in1 /prop ->; rewrite has_sign_scale.
Qed.

(** Order and a common change of signs do not matter. *)
Lemma depends_perm L L' l : perm_eq L L' -> depends L l -> depends L' l.
Proof. by move=> pm; rewrite /depends (perm_big _ pm). Qed.

Lemma matches_perm P Q : size P = r.+1 -> proper (unzip1 P) -> perm_eq P Q -> matches P = matches Q.
Proof.
move=> sP pP pm; have sL: size (unzip1 P) = r.+1 by rewrite size_map.
have [dep nz] := dependence_ok sL pP.
have pmL: perm_eq (unzip1 P) (unzip1 Q) by apply: perm_map.
rewrite (matchesE sP pP dep nz) (@matchesE Q _ _ _ (depends_perm pmL dep)).
- by congr (_ || _); apply: perm_all.
- by rewrite -(perm_size pm).
- by move: pP; rewrite /proper (perm_uniq pmL) (perm_all _ pmL).
- by move=> e; rewrite -(perm_mem pmL); apply: nz.
Qed.

Definition complement (P : pattern) : pattern := [seq (p.1, ~~ p.2) | p <- P].

Lemma unzip1_complement P : unzip1 (complement P) = unzip1 P.
Proof. by rewrite /unzip1 -map_comp. Qed.

Lemma matches_complement P : matches (complement P) = matches P.
Proof.
rewrite /matches unzip1_complement orbC /has_signs /has_opposite_signs !all_map.
by congr (_ || _); apply: eq_all => p /=; rewrite ?negbK.
Qed.

(** ** Of the patterns without one of [r + 2] elements, evenly many match *)

Definition without T (P : seq T) t : seq T := take t P ++ drop t.+1 P.

Section Even.

Variable Q : pattern.
Hypothesis sQ : size Q = r.+2.
Hypothesis pQ : proper (unzip1 Q).

Let L := unzip1 Q.
Let q := nth (0%N, false) Q.
Let a t := (q t).1.

Lemma a_in (t : 'I_r.+2) : a t \in L.
Proof. by apply: map_f; rewrite mem_nth ?sQ. Qed.

Lemma a_inj (s t : 'I_r.+2) : (a s == a t) = (s == t).
Proof.
have [uL _] := andP pQ.
have aE (i : 'I_r.+2) : a i = nth 0%N L i by rewrite /L /unzip1 (nth_map (0%N, false)) ?sQ.
by rewrite !aE nth_uniq ?size_map ?sQ.
Qed.

Lemma all_without (f : pred (nat * bool)) (t : 'I_r.+2) :
  all f (without Q t) = [forall s : 'I_r.+2, (s != t) ==> f (q s)].
Proof.
have lt: (t < size Q)%N by rewrite sQ.
apply/allP/forallP => [h s|h p].
  apply/implyP => ne; apply: h; rewrite mem_cat.
  case: (ltngtP s t) => [st|ts|/val_inj E]; last by rewrite E eqxx in ne.
    by apply/orP; left; rewrite /q -(nth_take _ st) mem_nth // size_take lt.
  apply/orP; right; rewrite /q -(subnKC ts) -nth_drop mem_nth // size_drop ltn_sub2r ?sQ //.
  exact: leq_ltn_trans ts (ltn_ord s).
rewrite mem_cat => /orP [] /(nthP (0%N, false)) [i]; rewrite ?size_take ?size_drop ?lt ?sQ => li <-.
  have lti: (i < r.+2)%N := ltn_trans li (ltn_ord t).
  by have := h (Ordinal lti); rewrite nth_take // -val_eqE /= ltn_eqF.
have lti: (t.+1 + i < r.+2)%N by rewrite -ltn_subRL.
have := h (Ordinal lti); rewrite nth_drop -val_eqE /=.
by rewrite gtn_eqF // ltnS leq_addr.
Qed.

Lemma perm_without (t : 'I_r.+2) : perm_eq Q (q t :: without Q t).
Proof.
rewrite -{1}(cat_take_drop t Q) (drop_nth (0%N, false)) ?sQ //.
by rewrite -(cat1s (nth _ _ _)) perm_catCA /= perm_refl.
Qed.

Lemma without_ok (t : 'I_r.+2) : size (without Q t) = r.+1 /\ proper (unzip1 (without Q t)).
Proof.
have pm := perm_without t; split; first by have := perm_size pm; rewrite sQ /= => -[].
have pmL : perm_eq L (a t :: unzip1 (without Q t)) by apply: (perm_map fst pm).
move: pQ; rewrite /proper -/L (perm_uniq pmL) (perm_all _ pmL) /=.
by case/andP => /andP [_ ->] /andP [_ ->].
Qed.

(** A dependence of all elements that is 0 at one of them, and nowhere else. *)
Lemma dependence_without (t : 'I_r.+2) : exists l, depends L l /\
  forall s : 'I_r.+2, (l (a s) == 0) = (s == t).
Proof.
have [sW pW] := without_ok t; have pm := perm_without t.
have pmL : perm_eq L (a t :: unzip1 (without Q t)) by apply: (perm_map fst pm).
have sU: size (unzip1 (without Q t)) = r.+1 by rewrite size_map.
have [dep nz] := dependence_ok sU pW.
pose l e := if e == a t then 0 else dependence (unzip1 (without Q t)) e.
have notin: a t \notin unzip1 (without Q t).
  by have [uL _] := andP pQ; move: uL; rewrite -/L (perm_uniq pmL) /= => /andP [].
exists l; split.
  apply: depends_perm; first by rewrite perm_sym; exact: pmL.
  rewrite /depends big_cons /l eqxx scale0r add0r -[RHS]dep; apply: eq_big_seq => e ein.
  by case: eqP => // E; rewrite -E ein in notin.
move=> s; rewrite /l a_inj; case: (boolP (s == t)) => ne; first by rewrite eqxx.
apply/negbTE/nz; have := a_in s; rewrite (perm_mem pmL) inE a_inj.
by rewrite (negbTE ne).
Qed.

Lemma depends_zero_twice l (s t : 'I_r.+2) : depends L l -> s != t -> l (a s) = 0 -> l (a t) = 0 ->
  forall e, e \in L -> l e = 0.
Proof.
move=> dep ne ls lt e ein; have [sW pW] := without_ok s.
have pmL : perm_eq L (a s :: unzip1 (without Q s)) by apply: (perm_map fst (perm_without s)).
have inW (u : 'I_r.+2) : u != s -> a u \in unzip1 (without Q s).
  by move=> us; have := a_in u; rewrite (perm_mem pmL) inE a_inj (negbTE us).
have depW: depends (unzip1 (without Q s)) l.
  by move: (depends_perm pmL dep); rewrite /depends big_cons ls scale0r add0r.
move: ein; rewrite (perm_mem pmL) inE => /orP [/eqP -> //|ein].
have sU: size (unzip1 (without Q s)) = r.+1 by rewrite size_map.
by apply: (depends_zero sU pW depW (inW t _) lt ein); rewrite eq_sym.
Qed.

Theorem evenly_many_match : \big[addb/false]_(t < r.+2) matches (without Q t) = false.
Proof.
have [l0 [dep0 z0]] := dependence_without ord0.
have [l1 [dep1 z1]] := dependence_without ord_max.
have ends: (ord0 : 'I_r.+2) != ord_max by [].
pose eps (t : 'I_r.+2) : F := if (q t).2 then 1 else -1.
have eps2 t : eps t * eps t = 1 by rewrite /eps; case: ifP => _; rewrite ?mulrNN mul1r.
pose x1 t := eps t * l0 (a t); pose x2 t := eps t * l1 (a t).
pose y t e := l0 (a t) * l1 e - l1 (a t) * l0 e.
have depy t : depends L (y t).
  rewrite /depends (eq_bigr (fun e => l0 (a t) *: (l1 e *: v e) - l1 (a t) *: (l0 e *: v e))).
    by rewrite sumrB -!scaler_sumr (dep0 : \sum_(i <- _) _ = 0) (dep1 : \sum_(i <- _) _ = 0) !scaler0 subr0.
  by move=> e _; rewrite /y scalerBl !scalerA.
have ytt t : y t (a t) = 0 by rewrite /y mulrC subrr.
have ynz (t s : 'I_r.+2) : t != s -> y t (a s) != 0.
  move=> ts; apply/eqP => yts; have all0 := depends_zero_twice (depy t) ts (ytt t) yts.
  have l0t: l0 (a t) = 0.
    have := all0 _ (a_in ord0); rewrite /y (eqP (etrans (z0 _) (eqxx _))) mulr0 subr0 => /eqP.
    by rewrite mulf_eq0 z1 (negbTE ends) orbF => /eqP.
  have := all0 _ (a_in ord_max); rewrite /y l0t mul0r sub0r => /eqP.
  rewrite oppr_eq0 mulf_eq0 z0 (eq_sym ord_max) (negbTE ends) orbF z1 => /eqP E.
  by move/eqP: l0t; rewrite z0 E (eq_sym ord_max) (negbTE ends).
have turnE t s : turn x1 x2 t s = eps t * (eps s * y t (a s)).
  by rewrite /turn /x1 /x2 /y !mulrBr !mulrA; congr (_ - _); rewrite -!mulrA; congr (_ * _);
    rewrite mulrCA.
have eps0 t : eps t != 0 by rewrite /eps; case: ifP; rewrite ?oppr_eq0 oner_neq0.
rewrite -[RHS](@extremes_even F r x1 x2) => [|t s ts]; last first.
  by rewrite turnE !mulf_neq0 ?eps0 ?ynz.
apply: eq_bigr => t _; have [sW pW] := without_ok t.
have pmL : perm_eq L (a t :: unzip1 (without Q t)) by apply: (perm_map fst (perm_without t)).
rewrite (@matchesE _ (y t) sW pW); last first.
- move=> e ein; have := ein; have: e \in L by rewrite (perm_mem pmL) inE ein orbT.
  case/(nthP 0%N) => i; rewrite size_map sQ => li <- nin.
  have aE: nth 0%N L i = a (Ordinal li) by rewrite /L /unzip1 (nth_map (0%N, false)) ?sQ.
  rewrite aE ynz //; apply: contraTneq nin => ti; rewrite aE -ti.
  by have [uL _] := andP pQ; move: uL; rewrite -/L (perm_uniq pmL) /= => /andP [].
- by move: (depends_perm pmL (depy t)); rewrite /depends big_cons ytt scale0r add0r.
rewrite /has_signs /has_opposite_signs !all_without /source.
have sgn (s : 'I_r.+2) b : has_sign ((q s).2 (+) b) (y t (a s)) = (0 < (-1) ^+ b * (eps s * y t (a s))).
  rewrite /eps; case: (q s).2; case: b; rewrite /= ?expr0 ?expr1 ?mul1r ?mulN1r ?opprK ?oppr_gt0 //.
have pos: [forall s : 'I_r.+2, (s != t) ==> has_sign (q s).2 (y t (q s).1)] =
    [forall s : 'I_r.+2, (s != t) ==> (0 < eps s * y t (a s))].
  by apply: eq_forallb => s; congr (_ ==> _); have := sgn s false; rewrite addbF expr0 mul1r.
have neg: [forall s : 'I_r.+2, (s != t) ==> has_sign (~~ (q s).2) (y t (q s).1)] =
    [forall s : 'I_r.+2, (s != t) ==> (0 < - (eps s * y t (a s)))].
  by apply: eq_forallb => s; congr (_ ==> _); have := sgn s true; rewrite addbT expr1 mulN1r.
rewrite pos neg; under [X in _ = X || _]eq_forallb => s do rewrite turnE mul1r.
under [X in _ = _ || X]eq_forallb => s do rewrite turnE mulN1r.
have [->|->]: eps t = 1 \/ eps t = -1 by rewrite /eps; case: ifP => _; [left | right].
  by congr (_ || _); apply: eq_forallb => s; rewrite mul1r.
by rewrite orbC; congr (_ || _); apply: eq_forallb => s; rewrite mulN1r ?opprK.
Qed.

End Even.

End Matches.
