(** Determinants of elements: exchanges, circuits, three-term relations, images (Lemmas 3 to 5). *)

From mathcomp Require Import all_ssreflect all_fingroup all_algebra.
From Samapprox Require Import Patterns Statement Configurations Sorting.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.

Section Brackets.

Variable F : realFieldType.
Variable r : nat.
Implicit Types (v : nat -> 'rV[F]_r) (T : seq nat).

Lemma bracket_exchange v pre x y post : size (pre ++ x :: y :: post) = r ->
  bracket v (pre ++ x :: y :: post) = - bracket v (pre ++ y :: x :: post).
Proof.
move=> sz.
have lt1: (size pre < r)%N by rewrite -sz size_cat /= -[X in (X < _)%N]addn0 ltn_add2l.
have lt2: ((size pre).+1 < r)%N by rewrite -sz size_cat /= -addn1 ltn_add2l.
pose i1 := Ordinal lt1; pose i2 := Ordinal lt2.
have ne: i1 != i2 by rewrite -val_eqE /= neq_ltn ltnSn.
rewrite /bracket; have ->: matrix_of v (pre ++ x :: y :: post) = xrow i1 i2 (matrix_of v (pre ++ y :: x :: post)).
  apply/matrixP => i j; rewrite !mxE; congr (v _ _ _).
  case: tpermP => [->|->|].
  - by rewrite !nth_cat /= ltnn subnn ltnNge leqnSn /= subSnn.
  - by rewrite !nth_cat /= ltnn subnn ltnNge leqnSn /= subSnn.
  move=> /eqP; rewrite -val_eqE /= => n1 /eqP; rewrite -val_eqE /= => n2.
  rewrite !nth_cat; case: ltnP => // le.
  case E: (i - size pre)%N => [|[|k]] //=; exfalso.
    by move: n1; rewrite eqn_leq le -subn_eq0 E.
  by move: n2; rewrite -(subnK le) E add1n eqxx.
by rewrite xrowE det_mulmx det_perm odd_tperm ne expr1 mulN1r.
Qed.

(** Sorting changes a bracket by the sign that it counts. *)
Lemma bracket_insert v pre x T : size (pre ++ x :: T) = r ->
  bracket v (pre ++ x :: T) = (-1) ^+ (insert x T).1 * bracket v (pre ++ (insert x T).2).
Proof.
elim: T pre => [|y T IH] pre sz /=; first by rewrite expr0 mul1r.
case: ifP => _ /=; first by rewrite expr0 mul1r.
rewrite bracket_exchange // -cat_rcons.
have := IH (rcons pre y); case: insert => s T' /= ->.
  by rewrite cat_rcons; case: s; rewrite /= ?expr1 ?expr0 ?mulN1r ?mul1r ?opprK.
by rewrite -sz !size_cat size_rcons /= !addnS.
Qed.

Lemma insert_size x T : size (insert x T).2 = (size T).+1.
Proof. by elim: T => //= y T IH; case: ifP => //= _; case: insert IH => s T' /= ->. Qed.

Lemma sort_size T : size (sort T).2 = size T.
Proof.
elim: T => //= x T IH; case: sort IH => s T' /= <-.
by have := insert_size x T'; case: insert.
Qed.

Lemma bracket_sort v T : size T = r ->
  bracket v T = (-1) ^+ (sort T).1 * bracket v (sort T).2.
Proof.
suff gen: forall pre, size (pre ++ T) = r ->
    bracket v (pre ++ T) = (-1) ^+ (sort T).1 * bracket v (pre ++ (sort T).2).
  exact: (gen [::]).
elim: T => [|x T IH] pre sz /=; first by rewrite expr0 mul1r.
have := IH (rcons pre x); have := sort_size T; case: sort => s T' /= sT'.
rewrite !cat_rcons => -> //.
rewrite bracket_insert; last by rewrite -sz !size_cat /= sT'.
by case: insert => s' T''; rewrite mulrA /= -signr_addb; case: s; case: s'.
Qed.

(** ** Lemma 3 *)

Definition removed (I : seq nat) t := take t I ++ drop t.+1 I.

Lemma nth_removed I t i : (t < size I)%N -> nth 0%N (removed I t) i = nth 0%N I (bump t i).
Proof.
move=> lt; rewrite nth_cat size_take lt /bump.
case: (ltnP i t) => le; first by rewrite add0n nth_take.
by rewrite add1n nth_drop addSn subnKC.
Qed.

Lemma circuit v (w : 'rV[F]_r) I : size I = r.+1 ->
  \sum_(t < r.+1) (-1) ^+ t * bracket v (removed I t) * dot w (v (nth 0%N I t)) = 0.
Proof.
move=> sz.
pose V : 'M[F]_(r.+1, r) := \matrix_(i, j) v (nth 0%N I i) 0 j.
pose W : 'M[F]_(r, r.+1) :=
  \matrix_(i, j) if unlift ord0 j is Some k then (i == k)%:R else w 0 i.
pose D : 'M[F]_r.+1 := V *m W.
have D0: \det D = 0.
  apply/eqP; apply/negPn/negP; rewrite -unitfE -unitmxE -row_full_unit /row_full.
  by rewrite ltn_eqF // ltnS (leq_trans (mxrankM_maxl _ _)) ?rank_leq_col.
rewrite -[RHS]D0 (expand_det_col _ ord0); apply: eq_bigr => t _.
have ->: D t ord0 = dot w (v (nth 0%N I t)).
  by rewrite mxE; apply: eq_bigr => i _; rewrite !mxE unlift_none mulrC.
rewrite mulrC; congr (_ * _); rewrite /cofactor addn0; congr (_ * _).
rewrite /bracket; congr (\det _).
apply/matrixP => i j; rewrite !mxE nth_removed ?sz // (bigD1 j) //= !mxE liftK eqxx mulr1.
by rewrite big1 ?addr0 // => k /negbTE ne; rewrite !mxE liftK ne mulr0.
Qed.

(** ** Lemma 4 *)

(** The bracket is linear in its last element. *)
Lemma bracket_linear v T : size T = r.-1 -> (0 < r)%N ->
  exists w : 'rV[F]_r, forall e, bracket v (rcons T e) = dot w (v e).
Proof.
move=> sz r0; have lt: (r.-1 < r)%N by rewrite prednK.
pose l := Ordinal lt.
exists (\row_j cofactor (matrix_of v (rcons T 0%N)) l j) => e.
rewrite /bracket (expand_det_row _ l); apply: eq_bigr => j _.
rewrite !mxE /= nth_rcons sz ltnn eqxx mulrC; congr (_ * _).
rewrite /cofactor; congr (_ * \det _); apply/matrixP => i k; rewrite !mxE.
have: (bump r.-1 i < r.-1)%N.
  by have lti: (i < r.-1)%N := ltn_ord i; rewrite /bump (leqNgt r.-1 i) lti.
by rewrite !nth_rcons sz /= => ->.
Qed.

Lemma three_terms v A b c d e : size A = r.-2 -> (1 < r)%N ->
  bracket v (A ++ [:: b; c]) * bracket v (A ++ [:: d; e])
  - bracket v (A ++ [:: b; d]) * bracket v (A ++ [:: c; e])
  + bracket v (A ++ [:: b; e]) * bracket v (A ++ [:: c; d]) = 0.
Proof.
move=> sz r1.
have r0 := ltnW r1.
have sz1: size (rcons A e) = r.-1 by rewrite size_rcons sz; case: (r) r1 => [|[]].
have [w lin] := bracket_linear v sz1 r0.
have two x y : size (A ++ [:: x; y]) = r.
  by rewrite size_cat sz /= addn2; case: (r) r1 => [|[]].
have linw x : dot w (v x) = - bracket v (A ++ [:: x; e]).
  by rewrite -lin -cats1 -cats1 -catA /= bracket_exchange.
have w0 x : x \in A -> dot w (v x) = 0.
  move=> xin; rewrite -lin /bracket.
  have ltx: (index x A < r.-1)%N by rewrite -sz1 size_rcons ltnS index_size.
  have lt2: (r.-1 < r)%N by rewrite prednK.
  apply: (@determinant_alternate _ _ _ (Ordinal (ltn_trans ltx lt2)) (Ordinal lt2)).
    by rewrite -val_eqE /= ltn_eqF.
  move=> j; rewrite !mxE /= (nth_rcons _ (rcons A e)) sz1 ltx nth_rcons index_mem xin nth_index //.
  by rewrite nth_rcons sz1 ltnn eqxx.
have sI: size (A ++ [:: b; c; d]) = r.+1.
  by rewrite size_cat sz /= addn3; case: (r) r1 => [|[]].
have := circuit v w sI.
pose f t := (-1) ^+ t * bracket v (removed (A ++ [:: b; c; d]) t)
            * dot w (v (nth 0%N (A ++ [:: b; c; d]) t)).
rewrite -[LHS]/(\sum_(t < r.+1) f t) -(big_mkord xpredT f).
have ->: r.+1 = (size A + 3)%N by rewrite -sI size_cat.
rewrite (@big_cat_nat _ _ _ (size A)) ?leq_addr //= big1_seq ?add0r; last first.
  move=> t /andP [_]; rewrite mem_index_iota /= => lt.
  by rewrite /f nth_cat lt w0 ?mulr0 // mem_nth.
rewrite -{1}[size A]add0n big_addn addnC addnK unlock /= /f.
rewrite !nth_cat !ltnNge !leq_addl /= !addnK /= addr0 !linw.
have cut t : removed (A ++ [:: b; c; d]) (t + size A) = A ++ removed [:: b; c; d] t.
  rewrite /removed take_cat drop_cat ltnNge leq_addl /= addnK -catA; congr (_ ++ (_ ++ _)).
  by rewrite -addSn ltnNge leq_addl /= addnK.
rewrite (cut 0%N) (cut 1%N) (cut 2%N) /removed /= !exprD expr0 expr1 sqrrN expr1n mul1r.
set s := (-1) ^+ size A => sum0.
have: s * (bracket v (A ++ [:: b; c]) * bracket v (A ++ [:: d; e])
  - bracket v (A ++ [:: b; d]) * bracket v (A ++ [:: c; e])
  + bracket v (A ++ [:: b; e]) * bracket v (A ++ [:: c; d])) = 0.
  apply: oppr_inj; rewrite oppr0 -[RHS]sum0 !mulrDr !mulrN !mulNr !mul1r !opprD !opprK !mulrA.
  rewrite (mulrAC _ (bracket v (A ++ [:: c; d]))) [in RHS]addrC; congr (_ - _).
  by rewrite addrC.
by move/eqP; rewrite mulf_eq0 signr_eq0 => /eqP.
Qed.

End Brackets.
