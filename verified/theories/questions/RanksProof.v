(** Ranks of matrices of signs, as dimensions of other patterns. *)

From Coq Require Import ZArith.
From mathcomp Require Import all_ssreflect all_algebra.
From Samapprox Require Import Patterns Statement Configurations BasesProof Embeddings EmbeddingsProof.
From Samapprox Require Import Gluing BordersProof Similarities SimilaritiesProof CapsProof.
From Samapprox Require Import Certificates CertificatesProof Ranks.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.
Local Delimit Scope Z_scope with Z.

Section Ranks.

Variable F : realFieldType.

(** ** Refutations *)

Lemma nth_relative first row j :
  nth Any (List.map (fun p => relative_entry p.1 p.2) (List.combine first row)) j =
  relative_entry (nth Any first j) (nth Any row j).
Proof.
have any x : relative_entry x Any = Any by case: x.
by elim: first row j => [|x first IH] [|y row] [|j] //=; rewrite ?nth_nil ?any.
Qed.

Section Rows.

Variables (B : pattern) (n : nat).
Hypothesis wide : forall row, row \in B -> size row = n.

Lemma entry_at_doubled i j : entry_at (doubled_rows B) i j =
  if (j < n)%N then entry_at B i j else complement (entry_at B i (j - n)).
Proof.
rewrite /entry_at /doubled_rows mapE !nthE.
case: (ltnP i (size B)) => lt; last by rewrite !(nth_default [::]) ?size_map // !nth_nil if_same.
rewrite (nth_map [::]) // appE nth_cat mapE (wide (mem_nth [::] lt)).
case: ltnP => // le; case: (ltnP (j - n) n) => lt'; last first.
  by rewrite !(nth_default Any) ?size_map ?(wide (mem_nth [::] lt)).
by rewrite (nth_map Any) // (wide (mem_nth [::] lt)).
Qed.

Lemma entry_at_widened e i j : entry_at (widened_rows e B) i j =
  if (j < n)%N then entry_at B i j else if (i < size B)%N && (j == n) then e else Any.
Proof.
rewrite /entry_at /widened_rows mapE !nthE.
case: (ltnP i (size B)) => lt; last by rewrite !(nth_default [::]) ?size_map // !nth_nil if_same.
rewrite (nth_map [::]) // appE nth_cat (wide (mem_nth [::] lt)).
case: ltnP => //= le; rewrite eqn_leq le andbT -subn_eq0; case: (j - n)%N => // k; exact: nth_nil.
Qed.

End Rows.

Lemma beyond_submatrix S rows columns r (u v : nat -> 'rV[F]_r) t :
  (forall i j, beyond (entry_at S i j) (dot (u i) (v j)) (t i)) ->
  forall i j, beyond (entry_at (submatrix S rows columns) i j) (dot (u (nth 0%N rows i)) (v (nth 0%N columns j)))
    (t (nth 0%N rows i)).
Proof. by move=> ok i j; rewrite entry_at_submatrix; case: ifP. Qed.

Lemma entry_at_relative (B : pattern) i j :
  entry_at (relative_rows B) i j = relative_entry (entry_at B 0 j) (entry_at B i.+1 j).
Proof.
have any x : relative_entry x Any = Any by case: x.
case: B => [|first B]; rewrite /entry_at !nthE /= ?nth_nil // mapE.
case: (ltnP i (size B)) => lt; last by rewrite !(nth_default [::]) ?size_map // !nth_nil any.
by rewrite (nth_map [::]) // nth_relative.
Qed.

Lemma agrees_beyond e (x t : F) : beyond e x t -> agrees e x t.
Proof. by case: e => //= /ltW. Qed.

Theorem check_rank_no_sound kind S r proof :
  check_rank_no kind S r proof = true -> ~ rank_at_most F kind r S.
Proof.
move=> ok [u [v [t [same beyond_S]]]].
case: kind same ok => same; case: proof => //.
- case=> [[rows columns] why] /=.
  set B := submatrix _ _ _; pose n := size columns; case/andP => /andP [/andP [/andP [r2 n0] m0] named] no.
  have {}r2 : (1 < r)%N by apply/ssrnat.leP/PeanoNat.Nat.leb_spec0.
  have {}n0 : (0 < n)%N by apply/ssrnat.ltP/PeanoNat.Nat.ltb_spec0.
  have {}m0 : (0 < size rows)%N by apply/ssrnat.ltP/PeanoNat.Nat.ltb_spec0.
  rewrite forallbE in named; move/allP: named => named.
  have ok := beyond_submatrix rows columns beyond_S; rewrite -/B in ok.
  have specified_entry b : (b < n)%N -> entry_at B 0 b <> Any.
    have in_B : nth [::] B 0 \in B by rewrite mem_nth // /B /submatrix mapE size_map.
    move=> lt E; have := named (nth Any (nth [::] B 0) b); rewrite nthE mem_nth; last first.
      by rewrite (wide_submatrix in_B).
    by move/(_ isT); move: E; rewrite /entry_at !nthE => ->.
  pose key b := if entry_at B 0 b is One then v (nth 0%N columns b) else - v (nth 0%N columns b).
  have neg (x y : 'rV[F]_r) : dot x (- y) = - dot x y by rewrite -scaleN1r dotZr mulN1r.
  have pos b : (b < n)%N -> 0 < dot (u (nth 0%N rows 0)) (key b).
    move=> lt; have := ok 0%N b; have := specified_entry b lt; rewrite same /key.
    by case: (entry_at B 0 b) => //= _; rewrite neg oppr_gt0.
  apply: (check_no_sound no) => /=; apply: representable_of_realized.
  rewrite minusE subn1 prednK ?(ltnW r2) //.
  exists (u (nth 0%N rows 0)), (fun a => u (nth 0%N rows a.+1)), (fun b => if (b < n)%N then key b else key 0%N).
  split=> [b|a b]; first by case: ifP => lt; apply: pos.
  rewrite entry_at_relative; case: (ltnP b n) => lt; last first.
    by rewrite entry_at_submatrix -/n [(b < n)%N]ltnNge lt andbF; case: entry_at.
  have := ok a.+1 b; rewrite same /key; case: (entry_at B 0 b) (specified_entry b lt) => //= _.
  by rewrite neg; apply: signed_complement.
- case=> [[rows columns] why] /= no; apply: (check_no_sound no) => /=.
  have ok := beyond_submatrix rows columns beyond_S; pose n := size columns.
  exists (fun i => u (nth 0%N rows i)).
  exists (fun j => if (j < n)%N then v (nth 0%N columns j) else - v (nth 0%N columns (j - n))).
  exists (fun=> 0) => i j; apply: agrees_beyond; rewrite (entry_at_doubled (@wide_submatrix S rows columns)) -/n.
  have := ok i j; have := ok i (j - n)%N; rewrite same; case: ifP => // _.
  rewrite -scaleN1r dotZr mulN1r.
  by case: entry_at => //=; rewrite ?oppr_gt0 ?oppr_lt0.
- move=> [[rows columns] why] [[rows' columns'] why'] /= /andP [no no'].
  have eq i i' : t i = t i' by apply: same.
  case: (leP 0 (t 0%N)) => t0.
    apply: (check_no_sound no) => /=; have ok := beyond_submatrix rows columns beyond_S.
    exists (fun i => u (nth 0%N rows i)).
    exists (fun j => if (j < size columns)%N then v (nth 0%N columns j) else 0).
    exists (fun i => t (nth 0%N rows i)) => i j; rewrite (entry_at_widened (@wide_submatrix S rows columns)).
    case: ifP => lt; first exact/agrees_beyond/ok.
    by case: ifP => //= _; rewrite dot0r (eq _ 0%N).
  apply: (check_no_sound no') => /=; have ok := beyond_submatrix rows' columns' beyond_S.
  exists (fun i => u (nth 0%N rows' i)).
  exists (fun j => if (j < size columns')%N then v (nth 0%N columns' j) else 0).
  exists (fun i => t (nth 0%N rows' i)) => i j; rewrite (entry_at_widened (@wide_submatrix S rows' columns')).
  case: ifP => lt; first exact/agrees_beyond/ok.
  by case: ifP => //= _; rewrite dot0r (eq _ 0%N).
- case=> [[rows columns] why] /= no; apply: (check_no_sound no) => /=.
  have ok := beyond_submatrix rows columns beyond_S.
  exists (fun i => u (nth 0%N rows i)), (fun j => v (nth 0%N columns j)).
  by exists (fun i => t (nth 0%N rows i)) => i j; apply/agrees_beyond/ok.
Qed.

(** ** Factors *)

Lemma In_combine A B (x : A) (y : B) xs ys i : (i < size xs)%N -> (i < size ys)%N ->
  List.In (nth x xs i, nth y ys i) (List.combine xs ys).
Proof.
elim: xs ys i => // a xs IH [|b ys] [|i] //= lt lt'; first by left.
by right; apply: IH.
Qed.

Lemma size_combine A B (xs : seq A) (ys : seq B) :
  size ys = size xs -> size (List.combine xs ys) = size xs.
Proof. by elim: xs ys => [|x xs IH] [|y ys] //= [/IH ->]. Qed.

Theorem check_factors_sound kind S r left right thresholds :
  check_factors kind S r left right thresholds = true -> rank_at_most F kind r S.
Proof.
case/andP => /andP [/andP []]; rewrite !eqbP_nat => /eqP sl /eqP st kinds.
move=> /List.forallb_forall each.
pose u i := vector F r (nth [::] left i); pose v j := vector F r (nth [::] right j).
pose t i := inF F (nth 0%Z thresholds i).
have ok i j : beyond (entry_at S i j) (dot (u i) (v j)) (t i).
  case: (entry_at S i j =P Any) => [-> //|/specified /andP [lti ltj]].
  have := each (nth [::] S i, nth [::] left i, nth 0%Z thresholds i).
  have lt : (i < size (List.combine S left))%N by rewrite size_combine // -[size S]/(length S).
  have lt' : (i < size thresholds)%N by rewrite -[size thresholds]/(length thresholds) st.
  have := In_combine (([::], [::]) : seq entry * seq Z) 0%Z lt lt'.
  have lt'' : (i < size left)%N by rewrite -[size left]/(length left) sl.
  rewrite -[nth ([::], [::]) _ i]nthE List.combine_nth // !nthE => inc /(_ inc).
  case/andP => /andP [/PeanoNat.Nat.leb_spec0/ssrnat.leP le /PeanoNat.Nat.leb_spec0/ssrnat.leP wide].
  move=> /List.forallb_forall /(_ _ (In_combine Any [::] ltj (leq_trans ltj wide))) /=.
  by rewrite /entry_at !nthE; case: nth => //=; rewrite -(inF_lt F) (@dot_integersE F r _ _ le).
have zero i : List.forallb (Z.eqb 0) thresholds -> t i = 0.
  move=> zs; rewrite /t; case: (ltnP i (size thresholds)) => lt; last by rewrite nth_default.
  by have /Z.eqb_eq <- := (proj1 (List.forallb_forall _ _) zs) _ (nth_In 0%Z lt).
have row i j : entry_at S i j <> Any -> (i < size thresholds)%N.
  by case/specified/andP => lt _; rewrite -[size thresholds]/(length thresholds) st.
case: kind kinds => [zs|/orP [/orP [ps|ns]|zs]|_].
- by exists u, v, t; split=> // i; apply: zero.
- exists (fun i => (t i)^-1 *: u i), v, (fun=> 1); split=> // i j; have := ok i j.
  case: (entry_at S i j =P Any) => [-> //|/row lt].
  have t0 : 0 < t i by rewrite -[0]/(inF F 0) inF_lt; apply: (proj1 (List.forallb_forall _ _) ps); apply: nth_In.
  by rewrite dotZl mulrC; case: entry_at => //=; rewrite ?ltr_pdivl_mulr ?ltr_pdivr_mulr ?mul1r.
- exists (fun i => (- t i)^-1 *: u i), v, (fun=> -1); split=> // i j; have := ok i j.
  case: (entry_at S i j =P Any) => [-> //|/row lt].
  have t0 : 0 < - t i.
    rewrite oppr_gt0 -[0]/(inF F 0) inF_lt.
    exact: (proj1 (List.forallb_forall _ _) ns _ (nth_In 0%Z lt)).
  by rewrite dotZl mulrC; case: entry_at => //=; rewrite ?ltr_pdivl_mulr ?ltr_pdivr_mulr // mulN1r opprK.
- by exists u, v, t; split=> // i i'; rewrite !zero.
- by exists u, v, t.
Qed.

End Ranks.
