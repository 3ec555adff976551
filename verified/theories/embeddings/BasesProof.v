(** Changes of basis: vectors with positive products with one vector are keys of an embedding. *)

From mathcomp Require Import all_ssreflect all_algebra.
From Samapprox Require Import Patterns Statement Configurations.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.

Section Bases.

Variable F : realFieldType.

(** All keys have positive products with one vector: Lemma 1 and its converse. *)
Definition realized r (S : pattern) : Prop :=
  exists (e : 'rV[F]_r) (w v : nat -> 'rV[F]_r),
    (forall j, 0 < dot e (v j)) /\ config S w v.

Lemma dotE r (u v : 'rV[F]_r) : dot u v = (u *m v^T) 0 0.
Proof. by rewrite /dot mxE; apply: eq_bigr => l _; rewrite mxE. Qed.

Lemma dot_mulmx r (G : 'M[F]_r) (u v : 'rV[F]_r) : G \in unitmx ->
  dot (u *m G) (v *m (invmx G)^T) = dot u v.
Proof. by move=> uG; rewrite !dotE trmx_mul trmxK -mulmxA (mulmxA G) mulmxV // mul1mx. Qed.

Lemma dot_delta r (v : 'rV[F]_r.+1) : dot (delta_mx 0 0) v = v 0 0.
Proof.
rewrite /dot (bigD1 ord0) //= mxE eqxx mul1r big1 ?addr0 // => l /negbTE l0.
by rewrite mxE l0 mul0r.
Qed.

(** Independent vectors are the first ones of a basis. *)
Lemma complete k n (Z : 'M[F]_(k, k + n)) : row_free Z ->
  exists G, G \in unitmx /\ Z *m G = row_mx 1%:M 0.
Proof.
move=> free; have rk: \rank Z = k by apply/eqP.
have E := mulmx_ebase Z; pose C := col_ebase Z.
have uC : C \in unitmx by apply: col_ebase_unit.
exists (invmx (row_ebase Z) *m block_mx (invmx C) 0 0 1%:M); split.
  rewrite unitmx_mul unitmx_inv row_ebase_unit /= unitmxE det_ublock det1 mulr1 -unitmxE.
  by rewrite unitmx_inv.
rewrite -{1}E mulmxA mulmxK ?row_ebase_unit // -/C rk pid_mx_row -mulmxA mul_row_block.
rewrite !mul1mx !mulmx0 !mul0mx !addr0 mul_mx_row mulmx0.
by rewrite mulmxV.
Qed.

Lemma functional_first n (h : 'rV[F]_n.+1) : h != 0 ->
  exists G, G \in unitmx /\ h *m G = delta_mx 0 0.
Proof.
move=> h0; have free: row_free (h : 'M_(1, 1 + n)) by rewrite /row_free rank_rV h0.
have [G [uG E]] := complete free; exists G; split=> //; rewrite E.
apply/rowP => l; rewrite !mxE eqxx /= -[l == 0]/(nat_of_ord l == 0%N).
by case: splitP => l' ->; rewrite mxE ?ord1.
Qed.

(** Independent vectors on a hyperplane become unit vectors, and its normal the first coordinate. *)
Lemma normalize k n (h : 'rV[F]_(1 + (k + n))) (Z : 'M[F]_(k, 1 + (k + n))) :
  h != 0 -> Z *m h^T = 0 -> row_free Z ->
  exists G : 'M_(1 + (k + n)), [/\ G \in unitmx, forall v, (v *m G) 0 0 = dot h v
    & Z *m G = row_mx 0 (row_mx 1%:M 0)].
Proof.
move=> h0 Zh free; have [G1 [u1 E1]] := functional_first h0.
pose H : 'M[F]_(1 + (k + n)) := (invmx G1)^T.
have uH : H \in unitmx by rewrite unitmx_tr unitmx_inv.
have first v : (v *m H) 0 0 = dot h v by rewrite -(dot_mulmx h v u1) E1 dot_delta.
pose Z1 := rsubmx (Z *m H).
have Z_H : Z *m H = row_mx 0 Z1.
  have zero i : (Z *m H) i 0 = 0.
    transitivity ((row i Z *m H) 0 0); first by rewrite -row_mul [RHS]mxE.
    by rewrite first dotC dotE -row_mul Zh !mxE.
  rewrite -[LHS]hsubmxK; congr row_mx; apply/matrixP => i j; rewrite ord1 [LHS]mxE [RHS]mxE.
  by rewrite (_ : lshift (k + n) 0 = 0) ?zero //; apply: val_inj.
have free1 : row_free Z1.
  have [X ZX] := row_freeP free; apply/row_freeP; exists (dsubmx (invmx H *m X)).
  rewrite -ZX -[in RHS](mulmxK uH Z) Z_H -mulmxA -[in RHS](vsubmxK (invmx H *m X)) mul_row_col.
  by rewrite mul0mx add0r.
have [G2 [u2 E2]] := complete free1.
exists (H *m block_mx 1%:M 0 0 G2); split.
- by rewrite unitmx_mul uH unitmxE det_ublock det1 mul1r -unitmxE.
- move=> v; rewrite mulmxA -first -(hsubmxK (v *m H)) mul_row_block mulmx1 !mulmx0 addr0.
  have lead (x : 'rV[F]_(1 + (k + n))) : x 0 0 = lsubmx x 0 0.
    by rewrite mxE; congr (x _ _); apply: val_inj.
  by rewrite !lead !row_mxKl.
- by rewrite mulmxA Z_H mul_row_block !mul0mx !mulmx0 !add0r E2.
Qed.

Lemma realized_of_representable d S : representable F d S -> realized d.+1 S.
Proof.
case=> q [k [t rep]].
have [t' sgn] := strict (iota 0 (\max_(row <- S) size row)) rep.
exists (row_mx 1%:M 0 : 'rV_(1 + d)), (fun i => row_mx (- t' i)%:M (q i) : 'rV_(1 + d)).
exists (fun j => row_mx 1%:M (k j) : 'rV_(1 + d)); split=> [j|i j].
  by rewrite dot_row_mx !mxE dotC dot0r mulr1 addr0 ltr01.
rewrite dot_row_mx !mxE mulr1 addrC.
case: (entry_at S i j =P Any) => [-> //|/specified /andP [lti ltj]].
apply: sgn; rewrite mem_iota /= add0n (leq_trans ltj) //.
by rewrite (@leq_bigmax_seq _ S (fun=> true) size) // mem_nth.
Qed.

Lemma representable_of_realized d S : realized d.+1 S -> representable F d S.
Proof.
case=> e [w [v [pos cfg]]].
have e0: e != 0 by apply: contraTneq (pos 0%N) => ->; rewrite dotC dot0r ltxx.
have [G [uG eG]] := functional_first e0.
pose W i : 'rV_(1 + d) := w i *m G; pose V j : 'rV_(1 + d) := v j *m (invmx G)^T.
have head j : lsubmx (V j) 0 0 = dot e (v j).
  by rewrite -(dot_mulmx e (v j) uG) eG dot_delta mxE; congr (_ _ _); apply: val_inj.
exists (fun i => rsubmx (W i)), (fun j => (dot e (v j))^-1 *: rsubmx (V j)).
exists (fun i => - lsubmx (W i) 0 0) => i j.
have: dot (w i) (v j) =
    dot e (v j) * (dot (rsubmx (W i)) ((dot e (v j))^-1 *: rsubmx (V j)) + lsubmx (W i) 0 0).
  rewrite -(dot_mulmx (w i) (v j) uG) -/(W i) -/(V j) -{1}(hsubmxK (W i)) -{1}(hsubmxK (V j)).
  by rewrite dot_row_mx head dotZr mulrDr mulVKf ?(lt0r_neq0 (pos j)) // addrC mulrC.
have := cfg i j; case: (entry_at S i j) => //= sgn E; rewrite E in sgn.
  by move: sgn; rewrite pmulr_rgt0 // -ltr_subl_addr sub0r.
by move: sgn; rewrite pmulr_rlt0 // -ltr_subr_addr sub0r => /ltW.
Qed.

End Bases.
