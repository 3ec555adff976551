(** Glued patterns are representable. *)

From mathcomp Require Import all_ssreflect all_algebra.
From Samapprox Require Import Patterns Statement Configurations BasesProof BordersProof.
From Samapprox Require Import Embeddings EmbeddingsProof Gluing.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.

Section Gluing.

Variable F : realFieldType.

(** ** Two coordinates, and the rest *)

Section Coordinates.

Variable m : nat.
Implicit Types u v x : 'rV[F]_m.+2.

Let i1 : 'I_m.+2 := lift ord0 ord0.

Definition rest u v : F :=
  \sum_(l < m) u 0 (lift ord0 (lift ord0 l)) * v 0 (lift ord0 (lift ord0 l)).

Lemma dot_rest u v : dot u v = u 0 0 * v 0 0 + u 0 i1 * v 0 i1 + rest u v.
Proof. by rewrite /dot !big_ord_recl addrA. Qed.

Definition with_two (a b c : F) x : 'rV[F]_m.+2 :=
  \row_l match nat_of_ord l with 0 => a | 1 => b | _ => c * x 0 l end.

Lemma with_two_first a b c x : with_two a b c x 0 0 = a.
Proof. by rewrite mxE. Qed.

Lemma with_two_second a b c x : with_two a b c x 0 i1 = b.
Proof. by rewrite mxE. Qed.

Lemma rest_with_two a b c x v : rest (with_two a b c x) v = c * rest x v.
Proof. by rewrite /rest mulr_sumr; apply: eq_bigr => l _; rewrite mxE /= mulrA. Qed.

Lemma restC u v : rest u v = rest v u.
Proof. by apply: eq_bigr => l _; rewrite mulrC. Qed.

(** The map of keys that exchanges the first two coordinates, and that of queries that fits it. *)
Definition move_key s t x := with_two (s * t * x 0 i1) (x 0 0) s x.
Definition move_query s t u := with_two (u 0 i1) (s * t * u 0 0) t u.

Lemma dot_moved s t u x : dot (move_query s t u) (move_key s t x) = s * t * dot u x.
Proof.
rewrite !dot_rest !with_two_first !with_two_second rest_with_two restC rest_with_two restC.
rewrite [u 0 i1 * _]mulrCA -[s * t * u 0 0 * _]mulrA [t * (s * _)]mulrA [t * s]mulrC.
by rewrite -!mulrDr [u 0 i1 * _ + _]addrC.
Qed.

Lemma dot_move_query s t u x :
  dot (move_query s t u) x = u 0 i1 * x 0 0 + t * (s * (u 0 0 * x 0 i1) + rest u x).
Proof.
rewrite dot_rest with_two_first with_two_second rest_with_two mulrDr addrA !mulrA.
by rewrite [t * s]mulrC.
Qed.

Lemma dot_move_key s t u x :
  dot u (move_key s t x) = u 0 i1 * x 0 0 + s * (t * (u 0 0 * x 0 i1) + rest u x).
Proof.
rewrite dot_rest with_two_first with_two_second restC rest_with_two [rest x u]restC mulrDr addrA.
by rewrite !mulrA [u 0 0 * s]mulrC -[s * u 0 0 * t]mulrA [u 0 0 * t]mulrC mulrA [_ + u 0 i1 * _]addrC.
Qed.

(** A factor so small that it does not change signs. *)
Lemma room (us xs : seq 'rV[F]_m.+2) : exists s, 0 < s /\ s < 1 /\
  forall e u x t, u \in us -> x \in xs -> 0 <= t -> t <= 1 -> signed e (u 0 i1 * x 0 0) ->
    signed e (u 0 i1 * x 0 0 + s * (t * (u 0 0 * x 0 i1) + rest u x)).
Proof.
pose ratio (ux : 'rV[F]_m.+2 * 'rV[F]_m.+2) :=
  `|ux.1 0 i1 * ux.2 0 0| / (`|ux.1 0 0 * ux.2 0 i1| + `|rest ux.1 ux.2| + 1).
pose ratios := 1 :: [seq ratio (u, x) | u <- us, x <- xs].
exists (small ratios); have s0 := small_gt0 ratios; split=> //; split.
  by apply: small_lt; [rewrite mem_head | rewrite ltr01].
move=> e u x t uin xin t0 t1 sgn; apply: signedD => // nz.
have den: 0 < `|u 0 0 * x 0 i1| + `|rest u x| + 1.
  by rewrite ltr_paddl ?addr_ge0 ?normr_ge0 ?ltr01.
have: small ratios < ratio (u, x).
  apply: small_lt; last by rewrite divr_gt0 ?normr_gt0.
  by rewrite inE; apply/orP; right; apply/allpairsP; exists (u, x).
rewrite ltr_pdivl_mulr //; apply: le_lt_trans; rewrite normrM (gtr0_norm s0) ler_pmul2l //.
apply: le_trans (ler_norm_add _ _) _; rewrite normrM (ger0_norm t0) -addrA ler_add //.
  by rewrite ler_pimull // normr_ge0.
by rewrite ler_addl ler01.
Qed.

End Coordinates.

(** ** Entries of glued patterns *)

Lemma border_size share height width S : has_border share height width S ->
  (height < size S)%N /\ forall i, (i < height)%N -> (width < size (nth [::] S i))%N.
Proof.
move=> ok; split=> [|i lt].
  have [k [_ one _]] := border_rows ok.
  have: entry_at S (height + k) (if share then width.+1 else width) <> Any by rewrite one.
  by case/specified/andP => le _; apply: leq_ltn_trans (leq_addr _ _) le.
have := inner_row ok lt; set z := (if share then _ else _) => zero.
have /andP [_ ltz] : (i < size S)%N && (z < size (nth [::] S i))%N.
  by apply: specified; rewrite zero.
by apply: leq_ltn_trans ltz; rewrite /z; case: (share).
Qed.

Section Entries.

Variables (share : bool) (height width : nat) (S : pattern) (height' width' : nat) (S' : pattern).
Hypothesis ok : has_border share height width S.
Hypothesis ok' : has_border share height' width' S'.

Let G := glue share height width S height' width' S'.

Lemma nth_glue i : nth [::] G i =
  if (i < height)%N then let row := nth [::] S i in
    take width row ++ nseq width' Zero ++ (if share then [:: nth Any row width] else [::])
  else if (i - height < height')%N then let row := nth [::] S' (i - height) in
    nseq width Zero ++ take width' row ++ (if share then [:: nth Any row width'] else [::])
  else [::].
Proof.
have [/ltnW le _] := border_size ok; have [/ltnW le' _] := border_size ok'.
rewrite /G /glue appE !mapE !firstnE nth_cat size_map (size_takel le).
case: (ltnP i height) => lt.
  rewrite (nth_map [::]) ?size_takel // nth_take //= !firstnE !appE repeatE.
  by case: (share); rewrite ?nthE.
case: ltnP => lt'; last by rewrite nth_default // size_map size_takel.
rewrite (nth_map [::]) ?size_takel // nth_take //= !firstnE !appE repeatE.
by case: (share); rewrite ?nthE.
Qed.

Lemma entry_at_glue i j : entry_at G i j =
  if (i < height)%N then
    if (j < width)%N then entry_at S i j
    else if (j - width < width')%N then Zero
    else if share && (j - width == width')%N then entry_at S i width else Any
  else if (i - height < height')%N then
    if (j < width)%N then Zero
    else if (j - width < width')%N then entry_at S' (i - height) (j - width)
    else if share && (j - width == width')%N then entry_at S' (i - height) width' else Any
  else Any.
Proof.
have [_ wide] := border_size ok; have [_ wide'] := border_size ok'.
have last (b : bool) x k : nth Any (if b then [:: x] else [::]) k = if b && (k == 0%N) then x else Any.
  by case: b; case: k => //= k; rewrite nth_nil.
rewrite /entry_at !nthE nth_glue; case: (ltnP i height) => lti.
  rewrite !nth_cat size_takel ?(ltnW (wide i lti)) // size_nseq.
  case: ltnP => ltj; first by rewrite nth_take.
  case: ltnP => ltj'; first by rewrite nth_nseq ltj'.
  by rewrite last subn_eq0 eqn_leq ltj' andbT.
case: ltnP => lti'; last by rewrite nth_nil.
rewrite !nth_cat size_nseq size_takel ?(ltnW (wide' _ lti')) //.
case: ltnP => ltj; first by rewrite nth_nseq ltj.
case: ltnP => ltj'; first by rewrite nth_take.
by rewrite last subn_eq0 eqn_leq ltj' andbT.
Qed.

(** ** The glued embedding *)

Lemma realized_glue n : realized F (share + n).+2 S -> realized F (share + n).+2 S' ->
  realized F (share + n).+2 G.
Proof.
move=> /(normal_form ok) [e [w [v [pos cfg vpos vz vc]]]].
move=> /(normal_form ok') [e' [w' [v' [pos' cfg' vpos' vz' vc']]]].
set z := (if share then width.+1 else width) in vz.
set z' := (if share then width'.+1 else width') in vz'.
pose i1 : 'I_(share + n).+2 := lift ord0 ord0.
have at_unit u (x : 'rV[F]_(share + n).+2) :
    (forall l, x 0 l = (nat_of_ord l == 1%N)%:R) -> dot u x = u 0 i1.
  move=> unit; rewrite dot_rest !unit mulr0 add0r mulr1 /rest big1 ?addr0 // => l _.
  by rewrite unit mulr0.
have inner i : (i < height)%N -> w i 0 i1 < 0.
  by move=> lt; have := cfg i z; rewrite (inner_row ok lt) /= (at_unit _ _ vz).
have inner' i : (i < height')%N -> w' i 0 i1 < 0.
  by move=> lt; have := cfg' i z'; rewrite (inner_row ok' lt) /= (at_unit _ _ vz').
have e1 : 0 < e' 0 i1 by rewrite -(at_unit _ _ vz').
pose keys := [seq v j | j <- iota 0 width]; pose keys' := [seq v' j | j <- iota 0 width'].
have keyP j : (j < width)%N -> v j \in keys by move=> lt; rewrite map_f // mem_iota.
have keyP' j : (j < width')%N -> v' j \in keys' by move=> lt; rewrite map_f // mem_iota.
have [s [s0 [s1 smooth]]] := room (e' :: [seq w' i | i <- iota 0 height']) keys.
have [t [t0 [t1 smooth']]] := room [seq w i | i <- iota 0 height] keys'.
exists e', (fun i => if (i < height)%N then move_query s t (w i) else w' (i - height)%N).
exists (fun j => if (j < width)%N then move_key s t (v j)
  else if (j - width < width')%N then v' (j - width)%N else v' width').
split=> [j|i j].
  case: ifP => ltj; last by case: ifP.
  rewrite dot_move_key; apply: (smooth One) (keyP _ ltj) (ltW t0) (ltW t1) _; first exact: mem_head.
  exact: mulr_gt0 e1 (vpos j ltj).
rewrite entry_at_glue; case: ifP => lti.
  have inw : w i \in [seq w i | i <- iota 0 height] by rewrite map_f // mem_iota.
  case: ifP => ltj.
    rewrite dot_moved; have := cfg i j; case: entry_at => //= sgn.
      by rewrite !mulr_gt0.
    by rewrite nmulr_llt0 ?mulr_gt0.
  case: ifP => ltj'.
    rewrite dot_move_query; apply: (smooth' Zero) inw (keyP' _ ltj') (ltW s0) (ltW s1) _ => /=.
    by rewrite nmulr_rlt0 ?inner // vpos'.
  case: ifP => // /andP [sh _]; have [c c'] := (vc sh, vc' sh).
  have ->: v' width' = v width by apply/rowP => l; rewrite c c'.
  have -> : dot (move_query s t (w i)) (v width) = t * dot (w i) (v width).
    by rewrite dot_move_query dot_rest !c !mulr0 !add0r.
  have := cfg i width; case: entry_at => //= sgn; first exact: mulr_gt0.
  by rewrite pmulr_rlt0.
case: ifP => // lti'; have inw : w' (i - height)%N \in e' :: [seq w' i | i <- iota 0 height'].
  by rewrite inE map_f ?orbT // mem_iota.
case: ifP => ltj.
  rewrite dot_move_key; apply: (smooth Zero) inw (keyP _ ltj) (ltW t0) (ltW t1) _ => /=.
  by rewrite nmulr_rlt0 ?inner' // vpos.
case: ifP => ltj'; first exact: cfg'.
by case: ifP => // _; apply: cfg'.
Qed.

End Entries.

(** ** Evidence *)

Theorem represented_sound d why S : represented d why = Some S -> representable F d S.
Proof.
elim: why S => [queries keys thresholds|rows columns copied IH|share height width one IH height' width' other IH'] S /=.
- exact: pattern_of_integers_sound.
- case: represented IH => // P /(_ _ erefl) /realized_of_representable real [<-].
  exact/representable_of_realized/realized_copy_rows/realized_copy_columns.
- case: represented IH => // P /(_ _ erefl) /realized_of_representable real.
  case: represented IH' => // P' /(_ _ erefl) /realized_of_representable real'.
  case: ifP => // /andP [/andP [/PeanoNat.Nat.leb_spec0/ssrnat.leP le ok] ok'] [<-].
  apply: representable_of_realized; have E : d.+1 = (share + (d - share.+1)).+2.
    by rewrite -addSn subnKC //; move: le; case: (share).
  by rewrite E in real real' *; apply: realized_glue.
Qed.

Lemma row_impliesP row row' j : row_implies row row' -> nth Any row' j <> Any ->
  nth Any row' j = nth Any row j.
Proof.
elim: row' row j => [|e' row' IH] row j; first by rewrite nth_nil.
case: row => [|e row]; last by case: j => [|j]; case: e'; case: e => //=; apply: IH.
by case: j => [|j]; case: e' => //= /(IH [::]) h /h; rewrite nth_nil.
Qed.

Lemma impliesP S S' i j : implies S S' -> entry_at S' i j <> Any -> entry_at S' i j = entry_at S i j.
Proof.
rewrite /entry_at !nthE; elim: S' S i => [|row' S' IH] S i; first by rewrite !nth_nil.
case: S => [|row S] /=.
  case/andP => ok oks; case: i => [|i] /=; first by move/(row_impliesP ok).
  by move/(IH [::] i oks); rewrite nth_nil.
case: ifP => // ok oks; case: i => [|i] /=; last exact: IH.
exact: row_impliesP.
Qed.

Theorem check_evidence_sound S d why : check_evidence S d why = true -> representable F d S.
Proof.
rewrite /check_evidence; case E: represented => [P|//] imp.
have [q [k [t rep]]] := represented_sound E; exists q, k, t => i j.
case: (entry_at S i j =P Any) => [-> //|nA].
by rewrite (impliesP imp nA).
Qed.

End Gluing.
