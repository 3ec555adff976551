(** Copies of rows and columns, and patterns with a border. *)

From mathcomp Require Import all_ssreflect all_algebra.
From Samapprox Require Import Patterns Statement Configurations BasesProof.
From Samapprox Require Import Embeddings EmbeddingsProof Gluing.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.

(** ** Copies *)

Lemma nth_attach row columns j : (j < size columns)%N ->
  nth [::] (attach row columns) j = nth Any row j :: nth [::] columns j.
Proof.
elim: columns row j => // column columns IH [|e row] [|j] //= lt; first by rewrite IH // nth_nil.
exact: IH.
Qed.

Lemma size_attach row columns : size (attach row columns) = size columns.
Proof. by elim: columns row => // column columns IH [|e row] /=; rewrite IH. Qed.

Lemma size_transpose width S : size (transpose width S) = width.
Proof.
elim: S => [|row S IH] /=; first by elim: width => //= n ->.
by rewrite size_attach.
Qed.

Lemma nth_transpose width S j : (j < width)%N ->
  nth [::] (transpose width S) j = [seq nth Any row j | row <- S].
Proof.
move=> lt; elim: S => [|row S IH] /=; last by rewrite nth_attach ?size_transpose // IH.
by elim: width j lt => // width IH [|j] //=; apply: IH.
Qed.

Lemma entry_at_copy_columns S columns i b :
  entry_at (copy_columns S columns) i b =
  if (b < size columns)%N then entry_at S i (nth 0%N columns b) else Any.
Proof.
rewrite /entry_at /copy_columns !nthE mapE.
case: (ltnP i (size S)) => lti; last first.
  by rewrite !(nth_default [::]) ?size_transpose // !nth_nil if_same.
rewrite nth_transpose //; case: ltnP => ltb; last by rewrite nth_default // !size_map.
rewrite (nth_map [::]) ?size_map // (nth_map 0%N) // nthE nth_transpose ?(nth_map [::]) //.
rewrite ltnS; elim: columns b {lti} ltb => // x columns IH [|b] /= lt.
  by apply/ssrnat.leP/PeanoNat.Nat.le_max_l.
by apply: leq_trans (IH b lt) _; apply/ssrnat.leP/PeanoNat.Nat.le_max_r.
Qed.

Lemma nth_repeat e width j : nth Any (List.repeat e width) j = if (j < width)%N then e else Any.
Proof. by elim: width j => [|width IH] [|j] //=; rewrite IH. Qed.

Section Realizations.

Variable F : realFieldType.

Lemma signed_complement e (x : F) : signed e x -> signed (complement e) (- x).
Proof. by case: e => //=; rewrite ?oppr_gt0 ?oppr_lt0. Qed.

Lemma realized_copy_columns r S columns :
  realized F r S -> realized F r (copy_columns S columns).
Proof.
case=> e [w [v [pos cfg]]]; exists e, w, (fun b => v (nth 0%N columns b)).
by split=> [b|i b] //; rewrite entry_at_copy_columns; case: ifP => // _; apply: cfg.
Qed.

Lemma realized_copy_rows r S width rows :
  realized F r S -> realized F r (copy_rows S width rows).
Proof.
case=> e [w [v [pos cfg]]].
exists e, (fun i => match nth (Ones false) rows i with
  | Ones flipped => if flipped then - e else e | Copy flipped k => if flipped then - w k else w k end), v.
split=> // i j; rewrite /entry_at /copy_rows !nthE mapE.
case: (ltnP i (size rows)) => lt; last by rewrite (nth_default [::]) ?size_map // nth_nil.
rewrite (nth_map (Ones false)) //; case: (nth _ rows i) => [[]|[] k].
- rewrite nth_repeat; case: ifP => //= _; rewrite -scaleN1r dotZl mulN1r oppr_lt0; exact: pos.
- by rewrite nth_repeat; case: ifP => //= _; apply: pos.
- have := cfg k j; rewrite /entry_at !nthE mapE => sgn.
  case: (ltnP j (size (nth [::] S k))) => ltj; last by rewrite nth_default ?size_map.
  rewrite (nth_map Any) // -scaleN1r dotZl mulN1r; exact: signed_complement.
- by have := cfg k j; rewrite /entry_at !nthE.
Qed.

(** ** Entries of glued patterns *)

Lemma after_zerosP width row e row' : after_zeros width row = e :: row' ->
  (forall j, (j < width)%N -> nth Any row j = Zero) /\
  forall k, nth Any row (width + k)%N = nth Any (e :: row') k.
Proof.
elim: width row => [|width IH] row /=; first by move=> ->; split.
case: row => // -[] // row /IH [zeros rest]; split=> [[|j] //|k] /=; first exact: zeros.
exact: rest.
Qed.

Section Border.

Variables (share : bool) (height width : nat) (S : pattern).
Hypothesis ok : has_border share height width S.

Let z := if share then width.+1 else width.

Lemma width_gt0 : (0 < width)%N.
Proof. by case/andP: ok => /andP [/PeanoNat.Nat.ltb_spec0/ssrnat.ltP]. Qed.

Lemma border_rows : exists k : nat, [/\
  forall j, (j < width)%N -> entry_at S (height + k) j = Zero,
  entry_at S (height + k) z = One &
  share -> [/\ k = 2%N, entry_at S (height + k) width = Zero,
    forall k' j, (k' < 2)%N -> (j < width)%N -> entry_at S (height + k') j = Zero,
    (entry_at S height width = One /\ entry_at S height z = One) &
    (entry_at S (height + 1) width = One /\ entry_at S (height + 1) z = Zero)]].
Proof.
have := ok; rewrite /has_border plusE /z /entry_at; case: share => /andP [_]; rewrite !nthE /=.
  case E0: after_zeros => [|[] [|[] l0]] //; case E1: after_zeros => [|[] [|[] l1]] //.
  case E2: after_zeros => [|[] [|[] l2]] // _; exists 2%N; rewrite !nthE.
  have [z2 r2] := after_zerosP E2; have [z1 r1] := after_zerosP E1.
  have [z0 r0] := after_zerosP E0; rewrite -[width.+1]addn1.
  split=> [j lt||_]; rewrite ?nthE ?r2 //; first exact: z2.
  split=> //; first by rewrite -[width]addn0 r2.
  - by case=> [|[|//]] j _ lt; rewrite ?nthE; [exact: z0 | exact: z1].
  - by rewrite -{1}[width]addn0 -{1}[height]addn0 r0; rewrite -{1}[height]addn0 r0.
  - by rewrite -{1}[width]addn0 !r1.
case E: after_zeros => [|[] l] // _; exists 0%N; rewrite !nthE.
have [zs rest] := after_zerosP E; split=> // [j lt|]; rewrite ?nthE; first exact: zs.
by rewrite -[width]addn0 rest.
Qed.

Lemma inner_row i : (i < height)%N -> entry_at S i z = Zero.
Proof.
move=> lt; case/andP: ok => /andP [_ inner] _.
have [k [_ one _]] := border_rows.
have lth: (height < size S)%N.
  have /andP [le _] : (height + k < size S)%N && (z < size (nth [::] S (height + k)))%N.
    by apply: specified; rewrite one.
  exact: leq_ltn_trans (leq_addr _ _) le.
have: List.In (nth [::] S i) (List.firstn height S).
  elim: (S) (height) i lt lth => [|row rows IH] [|h] [|i] //= lt lth; first by left.
  by right; apply: IH.
by move/(proj1 (List.forallb_forall _ _) inner); rewrite /entry_at !nthE /z; case: nth.
Qed.

(** A hyperplane through z, and c if it is shared, that has all other columns on its positive side. *)
Lemma hyperplane r (e : 'rV[F]_r) (w v : nat -> 'rV[F]_r) :
  (forall j, 0 < dot e (v j)) -> config S w v ->
  exists h, [/\ forall j, (j < width)%N -> 0 < dot h (v j), dot h (v z) = 0
    & share -> dot h (v width) = 0 /\
        exists g, dot g (v width) > 0 /\ dot g (v z) < 0].
Proof.
move=> pos cfg; have [k [zeros one both]] := border_rows.
have sgn i j x : entry_at S i j = x -> signed x (dot (w i) (v j)) by move <-; apply: cfg.
have := sgn _ _ _ one; case: (share) both => [/(_ isT) [_ kc zeros' [fc fz] [gc gz]]|_] /= kz.
  pose f := w height; pose g := w (height + 1)%N; pose b := w (height + k)%N.
  have {kz} bz : 0 < dot b (v z) := kz; have {kc} bc : dot b (v width) < 0 := sgn _ _ _ kc.
  have {fc} fc : 0 < dot f (v width) := sgn _ _ _ fc.
  have {fz} fz : 0 < dot f (v z) := sgn _ _ _ fz.
  have {gc} gc : 0 < dot g (v width) := sgn _ _ _ gc.
  have {gz} gz : dot g (v z) < 0 := sgn _ _ _ gz.
  pose u := dot g (v width) *: e - dot e (v width) *: g.
  pose u' := dot b (v width) *: f - dot f (v width) *: b.
  have dots (x y : F) p q (t : 'rV_r) : dot (x *: p - y *: q) t = x * dot p t - y * dot q t.
    by rewrite -scaleNr dotDl !dotZl mulNr.
  have uz : 0 < dot u (v z) by rewrite dots subr_gt0 (lt_trans (y := 0)) // ?pmulr_rlt0 ?mulr_gt0.
  have u'z : dot u' (v z) < 0 by rewrite dots subr_lt0 (lt_trans (y := 0)) // ?nmulr_rlt0 ?mulr_gt0.
  exists (dot u (v z) *: u' - dot u' (v z) *: u); split.
  - move=> j lt; rewrite dots subr_gt0 (lt_trans (y := 0)) //.
      rewrite nmulr_rlt0 // dots subr_gt0 (lt_trans (y := 0)) //; last exact: mulr_gt0.
      rewrite pmulr_rlt0 //; exact: (sgn _ _ _ (zeros' 1%N j isT lt)).
    rewrite mulr_gt0 // dots subr_gt0 (lt_trans (y := 0)) //.
      rewrite pmulr_rlt0 //; exact: (sgn _ _ _ (zeros j lt)).
    rewrite nmulr_rgt0 //; have := sgn _ _ _ (zeros' 0%N j isT lt); by rewrite addn0.
  - by rewrite dots mulrC subrr.
  - move=> _; split; last by exists g.
    have uc : dot u (v width) = 0 by rewrite dots mulrC subrr.
    have u'c : dot u' (v width) = 0 by rewrite dots mulrC subrr.
    by rewrite dots uc u'c !mulr0 subrr.
pose b := w (height + k)%N; exists (dot b (v z) *: e - dot e (v z) *: b); split=> //.
  move=> j lt; rewrite -scaleNr dotDl !dotZl mulNr subr_gt0 (lt_trans (y := 0)) ?mulr_gt0 //.
  by rewrite pmulr_rlt0 //; apply: (sgn _ _ _ (zeros j lt)).
by rewrite -scaleNr dotDl !dotZl mulNr mulrC subrr.
Qed.

Lemma eliminate (a b x y x' y' : F) :
  a * x + b * y = 0 -> a * x' + b * y' = 0 -> a * (x * y' - x' * y) = 0.
Proof.
move=> /eqP; rewrite addr_eq0 => /eqP ax /eqP; rewrite addr_eq0 => /eqP ax'.
by rewrite mulrBr !mulrA ax ax' !mulNr opprK addrC -!mulrA (mulrC y) subrr.
Qed.

(** The column z becomes a unit vector, and c another one. *)
Lemma normal_form n : realized F (share + n).+2 S ->
  exists (e : 'rV[F]_(share + n).+2) (w v : nat -> 'rV[F]_(share + n).+2), [/\
    forall j, 0 < dot e (v j), config S w v, forall j, (j < width)%N -> 0 < v j 0 0,
    forall l, v z 0 l = (nat_of_ord l == 1%N)%:R
    & share -> forall l, v width 0 l = (nat_of_ord l == 2%N)%:R].
Proof.
case=> e [w [v [pos cfg]]]; have [h [hpos hz hc]] := hyperplane pos cfg.
have h0 : h != 0.
  by apply: contraTneq (hpos 0%N width_gt0) => ->; rewrite dotC dot0r ltxx.
pose column (a : 'I_(1 + share)) := if val a == 0%N then z else width.
pose Z : 'M_(1 + share, 1 + ((1 + share) + n)) := \matrix_a v (column a).
have Zh : Z *m h^T = 0.
  apply/matrixP => a l; rewrite ord1 [RHS]mxE.
  transitivity ((row a Z *m h^T) 0 0); first by rewrite -row_mul [RHS]mxE.
  rewrite -dotE rowK dotC /column; case: ifP => // /negbT; case: a => -[|a] //= lt _.
  have sh: share by move: lt; rewrite ltnS; case: (share).
  by have [] := hc sh.
have free : row_free Z.
  rewrite -kermx_eq0; apply/rowV0P => l /sub_kermxP lZ.
  have sum (u : 'rV_(share + n).+2) : \sum_a l 0 a * dot u (v (column a)) = 0.
    transitivity (dot u (l *m Z)); last by rewrite lZ dot0r.
    by rewrite mulmx_sum_row dot_sumr; apply: eq_bigr => a _; rewrite dotZr rowK.
  have only (x : F) j : x * dot e (v j) = 0 -> x = 0.
    by move/eqP; rewrite mulf_eq0 (gt_eqF (pos j)) orbF => /eqP.
  pose y := \sum_(i < share) l 0 (lift ord0 i).
  have {}sum u : l 0 0 * dot u (v z) + y * dot u (v width) = 0.
    by rewrite -[RHS](sum u) big_ord_recl /column /= mulr_suml.
  have [l0 y0] : l 0 0 = 0 /\ y = 0.
    have: share \/ ~~ share by case: (share); [left | right].
    case=> sh; last first.
      have y0: y = 0 by rewrite /y big1 // => -[i lt]; exfalso; rewrite (negbTE sh) in lt.
      by have := sum e; rewrite y0 mul0r addr0 => /only.
    have [_ [g [gc gz]]] := hc sh.
    have l0: l 0 0 = 0.
      have D: 0 < dot e (v z) * dot g (v width) - dot g (v z) * dot e (v width).
        by rewrite subr_gt0 (lt_trans (y := 0)) ?nmulr_rlt0 ?mulr_gt0.
      have := eliminate (sum e) (sum g).
      by move/eqP; rewrite mulf_eq0 (gt_eqF D) orbF => /eqP.
    by split=> //; apply: (only _ width); have := sum e; rewrite l0 mul0r add0r.
  apply/rowP => a; rewrite [RHS]mxE; case: (unliftP ord0 a) => [i ->|-> //].
  rewrite -y0 /y (bigD1 i) //= big1 ?addr0 // => i' /eqP []; apply: val_inj.
  by case: i i' => -[|i] + [[|i'] +] //=; rewrite ?ltnS; case: (share).
have [G [uG first ZG]] := @normalize F (1 + share) n h Z h0 Zh free.
exists (e *m (invmx G)^T), (fun i => w i *m (invmx G)^T), (fun j => v j *m G).
have same x y : dot (x *m (invmx G)^T) (y *m G) = dot x y by rewrite dotC dot_mulmx // dotC.
have unit (a : 'I_(1 + share)) (l : 'I_(1 + (1 + share + n))) :
    (v (column a) *m G) 0 l = (nat_of_ord l == a.+1)%:R.
  rewrite -[v _](rowK (fun a => v (column a))) -/Z -row_mul ZG 2!mxE.
  case: splitP => l' ->; rewrite mxE ?ord1 //.
  rewrite -[(1 + l')%N]/(l'.+1) eqSS; case: splitP => l'' ->; rewrite mxE; first by rewrite eq_sym.
  by rewrite gtn_eqF // ltn_addr.
split=> [j|i j|j lt|l|sh l].
- by have := pos j; rewrite -same.
- by have := cfg i j; rewrite -same.
- by have := hpos j lt; rewrite -first.
- exact: (unit 0).
- have lt : (1 < 1 + share)%N by rewrite sh.
  exact: (unit (Ordinal lt)).
Qed.

End Border.

End Realizations.
