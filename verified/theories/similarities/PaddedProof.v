(** A pattern with padding needs one dimension more than without. *)

From mathcomp Require Import all_ssreflect all_algebra.
From Samapprox Require Import Patterns Statement Configurations BasesProof BordersProof.
From Samapprox Require Import Gluing Padded.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.

Section Padding.

Variable F : realFieldType.

(** A functional, of the row or of its complement. *)
Lemma read_asP r (w : 'rV[F]_r) (v : nat -> 'rV[F]_r) first row rest :
  read_as first row = Some rest ->
  (forall j, signed (nth Any row j) (dot w (v j))) ->
  exists u, signed first (dot u (v 0%N)) /\
    forall j, signed (nth Any rest j) (dot u (v j.+1)).
Proof.
have neg x (y : F) : signed x y -> signed (complement x) (- y) by apply: signed_complement.
case: first row => [] [|[] row] //= [<-] sgn.
- by exists w; split=> [|j]; [apply: (sgn 0%N) | apply: (sgn j.+1)].
- exists (- w); rewrite -scaleN1r dotZl mulN1r; split=> [|j].
    by rewrite oppr_gt0; apply: (sgn 0%N).
  rewrite mapE dotZl mulN1r; case: (ltnP j (size row)) => lt; last by rewrite nth_default ?size_map.
  by rewrite (nth_map Any) //; apply: neg (sgn j.+1).
- exists (- w); rewrite -scaleN1r dotZl mulN1r; split=> [|j].
    by rewrite oppr_lt0; apply: (sgn 0%N).
  rewrite mapE dotZl mulN1r; case: (ltnP j (size row)) => lt; last by rewrite nth_default ?size_map.
  by rewrite (nth_map Any) //; apply: neg (sgn j.+1).
- by exists w; split=> [|j]; [apply: (sgn 0%N) | apply: (sgn j.+1)].
Qed.

Arguments read_as : simpl never.

Lemma nth_common u l j :
  nth Any (List.map (fun p => common p.1 p.2) (List.combine u l)) j = common (nth Any u j) (nth Any l j).
Proof.
have any x : common x Any = Any by case: x.
by elim: u l j => [|x u IH] [|y l] [|j] //=; rewrite ?nth_nil ?any.
Qed.

(** Functionals that vanish on the first column. *)
Lemma common_rowsP r (v : nat -> 'rV[F]_r) rows T :
  common_rows rows = Some T ->
  (forall i, exists w, forall j, signed (nth Any (nth [::] rows i) j) (dot w (v j))) ->
  forall i, exists u, dot u (v 0%N) = 0 /\
    forall j, signed (nth Any (nth [::] T i) j) (dot u (v j.+1)).
Proof.
elim: {rows}_.+1 {-2}rows (ltnSn (size rows)) T => // n IH [|upper [|lower rows]] //= lt T.
  by case=> <- _ i; exists 0; rewrite dotC dot0r; split=> // j; rewrite !nth_nil.
case U: (read_as One upper) => [u|//]; case L: (read_as Zero lower) => [l|//].
case E: (common_rows rows) => [T'|//] [<-] sgn; case=> [|i]; last first.
  apply: (IH rows _ _ E) => [|k]; first by move: lt; rewrite ltnS => /ltnW.
  by have [w sw] := sgn k.+2; exists w.
have [w sw] := sgn 0%N; have [w' sw'] := sgn 1%N.
have [f [f0 fj]] := read_asP U sw; have [g [g0 gj]] := read_asP L sw'.
have dots x y p q (t : 'rV[F]_r) : dot (x *: p + y *: q) t = x * dot p t + y * dot q t.
  by rewrite dotDl !dotZl.
exists (- dot g (v 0%N) *: f + dot f (v 0%N) *: g); rewrite dots; split=> [|j].
  by rewrite mulNr mulrC addNr.
have pos : 0 < - dot g (v 0%N) by rewrite oppr_gt0.
rewrite dots nth_common; have := fj j; have := gj j.
case: (nth Any u j) => //; case: (nth Any l j) => //= sg sf.
  by rewrite addr_gt0 ?mulr_gt0.
by rewrite -[X in _ < X]addr0 ltr_add ?pmulr_rlt0.
Qed.

(** Finitely many choices. *)
Lemma choose A (P : nat -> A -> Prop) (a : A) n :
  (forall i, exists x, P i x) -> exists f : nat -> A, forall i, (i < n)%N -> P i (f i).
Proof.
move=> ex; elim: n => [|n [f ok]]; first by exists (fun=> a).
have [x px] := ex n; exists (fun i => if i == n then x else f i) => i.
by rewrite ltnS leq_eqVlt; case: eqP => [->|_] //=; apply: ok.
Qed.

Theorem without_padding_sound d B T :
  without_padding B = Some T -> representable F d.+1 B -> representable F d T.
Proof.
rewrite /without_padding; case: B => // level rows; rewrite /others.
case R: (read_as One level) => [rest|//]; case: ifP => // /andP [nonempty zeros].
case made: (common_rows rows) => [T'|//] [<-] /realized_of_representable [e [w [v [pos cfg]]]].
have sgn i : exists u, forall j, signed (nth Any (nth [::] rows i) j) (dot u (v j)).
  by exists (w i.+1) => j; have := cfg i.+1 j; rewrite /entry_at !nthE.
have first j : signed (nth Any level j) (dot (w 0%N) (v j)).
  by have := cfg 0%N j; rewrite /entry_at !nthE.
have [g [g0 gj]] := read_asP R first.
have vanish := common_rowsP made sgn.
(* A functional that vanishes on the first column and is positive on the others. *)
pose n := size rest.
have below j : (j < n)%N -> dot g (v j.+1) < 0.
  move=> lt; have := gj j; move: zeros; rewrite forallbE => /allP /(_ _ (mem_nth Any lt)).
  by case: nth.
pose h := dot g (v 0%N) *: e - dot e (v 0%N) *: g.
have dots x y p q (t : 'rV[F]_d.+2) : dot (x *: p - y *: q) t = x * dot p t - y * dot q t.
  by rewrite -scaleNr dotDl !dotZl mulNr.
have hz : dot h (v 0%N) = 0 by rewrite dots mulrC subrr.
have hpos j : (j < n)%N -> 0 < dot h (v j.+1).
  move=> lt; rewrite dots subr_gt0 (lt_trans (y := 0)) ?mulr_gt0 //.
  by rewrite pmulr_rlt0 // below.
(* The quotient by the vector of the first column. *)
have z0 : v 0%N != 0 by apply: contraTneq (pos 0%N) => ->; rewrite dot0r ltxx.
have [G [uG zG]] := functional_first z0.
pose V j : 'rV[F]_d.+1 := rsubmx (v j *m G : 'rV_(1 + d.+1)).
pose W (u : 'rV[F]_d.+2) : 'rV[F]_d.+1 := rsubmx (u *m (invmx G)^T : 'rV_(1 + d.+1)).
have moved u j : dot u (v j) = dot (u *m (invmx G)^T) (v j *m G).
  by rewrite dotC -(dot_mulmx (v j) u uG) dotC.
have same u j : dot u (v 0%N) = 0 -> dot (W u) (V j) = dot u (v j).
  move=> uz; have head : lsubmx (u *m (invmx G)^T : 'rV_(1 + d.+1)) 0 0 = 0.
    rewrite -uz moved zG dotC dot_delta mxE; congr (_ _ _); exact: val_inj.
  rewrite moved -[in RHS](hsubmxK (u *m (invmx G)^T : 'rV_(1 + d.+1))).
  by rewrite -[v j *m G in RHS](hsubmxK (v j *m G : 'rV_(1 + d.+1))) dot_row_mx head mul0r add0r.
apply: representable_of_realized.
have [f fP] := choose 0 (size T') vanish.
have n0 : (0 < n)%N by apply/ssrnat.ltP/PeanoNat.Nat.ltb_spec0.
exists (W h), (fun i => W (f i)), (fun j => if (j < n)%N then V j.+1 else V 1%N).
split=> [j|i j]; first by case: ifP => lt; rewrite same ?hpos.
rewrite /entry_at mapE !nthE; case: (ltnP i (size T')) => lti; last first.
  by rewrite (nth_default [::]) ?size_map // nth_nil.
rewrite (nth_map [::]) // firstnE -[length rest]/n; have [fz fj] := fP i lti.
case: ltnP => ltj; last by rewrite nth_default // size_take; case: ltnP => // /leq_trans ->.
by rewrite nth_take // same.
Qed.

End Padding.
