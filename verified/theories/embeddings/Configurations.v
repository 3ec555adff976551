(** Vectors with prescribed signs, and how they follow from an embedding (Lemmas 1 and 2). *)

From mathcomp Require Import all_ssreflect all_algebra.
From Samapprox Require Import Patterns Statement.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.

Lemma nthE A (x : A) s i : List.nth i s x = nth x s i.
Proof. by elim: s i => [|y s IH] [|i] /=. Qed.

Lemma mapE A B (f : A -> B) s : List.map f s = [seq f x | x <- s].
Proof. by elim: s => //= x s ->. Qed.

Lemma eqbP_nat m n : PeanoNat.Nat.eqb m n = (m == n).
Proof. by apply/PeanoNat.Nat.eqb_spec/eqP. Qed.

Lemma appE A (s s' : seq A) : List.app s s' = s ++ s'.
Proof. by elim: s => //= x s ->. Qed.

Lemma repeatE A (x : A) n : List.repeat x n = nseq n x.
Proof. by elim: n => //= n ->. Qed.

Lemma seqE m n : List.seq m n = iota m n.
Proof. by elim: n m => //= n IH m; rewrite IH. Qed.

Lemma forallbE T (f : T -> bool) s : List.forallb f s = all f s.
Proof. by elim: s => //= x s ->. Qed.

Lemma firstnE T n (s : seq T) : List.firstn n s = take n s.
Proof. by elim: n s => [|n IH] [|x s] //=; rewrite ?take0 // IH. Qed.

Lemma skipnE T n (s : seq T) : List.skipn n s = drop n s.
Proof. by elim: n s => [|n IH] [|x s] //=; rewrite ?drop0 // IH. Qed.

Lemma nat_oddE n : Nat.odd n = odd n.
Proof.
elim: n => // n IH; rewrite PeanoNat.Nat.odd_succ -PeanoNat.Nat.negb_odd IH.
by rewrite oddS.
Qed.

Section Configurations.

Variable F : realFieldType.
Implicit Types (A S : pattern) (d r : nat).

(** ** Dot products *)

Lemma dotDl d (u u' v : 'rV[F]_d) : dot (u + u') v = dot u v + dot u' v.
Proof. by rewrite /dot -big_split; apply: eq_bigr => l _; rewrite !mxE mulrDl. Qed.

Lemma dotZl d a (u v : 'rV[F]_d) : dot (a *: u) v = a * dot u v.
Proof. by rewrite /dot mulr_sumr; apply: eq_bigr => l _; rewrite !mxE mulrA. Qed.

Lemma dotC d (u v : 'rV[F]_d) : dot u v = dot v u.
Proof. by apply: eq_bigr => l _; rewrite mulrC. Qed.

Lemma dotDr d (u v v' : 'rV[F]_d) : dot u (v + v') = dot u v + dot u v'.
Proof. by rewrite dotC dotDl !(dotC u). Qed.

Lemma dotZr d a (u v : 'rV[F]_d) : dot u (a *: v) = a * dot u v.
Proof. by rewrite dotC dotZl dotC. Qed.

Lemma dot0r d (u : 'rV[F]_d) : dot u 0 = 0.
Proof. by rewrite /dot big1 // => l _; rewrite mxE mulr0. Qed.

Lemma dot_sumr d I (s : seq I) (P : pred I) (u : 'rV[F]_d) (v : I -> 'rV[F]_d) :
  dot u (\sum_(i <- s | P i) v i) = \sum_(i <- s | P i) dot u (v i).
Proof.
by apply: (big_morph (dot u)) => [x y|]; [apply: dotDr | apply: dot0r].
Qed.

Lemma dot_row_mx d (a b : 'rV[F]_1) (u v : 'rV[F]_d) :
  dot (row_mx a u : 'rV_d.+1) (row_mx b v) = a 0 0 * b 0 0 + dot u v.
Proof.
rewrite /dot (@big_split_ord _ _ _ 1 d) /= big_ord_recl big_ord0 addr0.
congr (_ + _); first by rewrite !(@row_mxEl _ 1 1 d).
by apply: eq_bigr => l _; rewrite !(@row_mxEr _ 1 1 d).
Qed.

(** ** Small positive numbers *)

Definition small (xs : seq F) : F :=
  foldr (fun x s => if 0 < x then Num.min x s else s) 1 xs / 2%:R.

Lemma small_gt0 xs : 0 < small xs.
Proof.
rewrite /small divr_gt0 ?ltr0n //; elim: xs => [|x xs IH] /=; first exact: ltr01.
by case: ifP => // x0; rewrite lt_minr x0.
Qed.

Lemma small_lt xs x : x \in xs -> 0 < x -> small xs < x.
Proof.
move=> xin x0.
suff le: foldr (fun x s => if 0 < x then Num.min x s else s) 1 xs <= x.
  apply: lt_le_trans le; rewrite /small ltr_pdivr_mulr ?ltr0n // mulr_natr mulr2n ltr_addl.
  by have := small_gt0 xs; rewrite /small pmulr_lgt0 // invr_gt0 ltr0n.
elim: xs xin => //= y xs IH; rewrite inE => /orP [/eqP <-|/IH le].
  by rewrite x0 le_minl lexx.
by case: ifP => // _; rewrite le_minl le orbT.
Qed.

(** ** Vectors with the signs of a core *)

Definition eq_entry (a b : entry) : bool :=
  match a, b with One, One | Zero, Zero | Any, Any => true | _, _ => false end.

Lemma eq_entryP : Equality.axiom eq_entry.
Proof. by case=> [] []; constructor. Qed.

Canonical entry_eqType := EqType entry (EqMixin eq_entryP).


(** The covectors [w] have on the elements [v] the signs of [A], none of them 0. *)
Definition signed (e : entry) (x : F) : Prop :=
  match e with One => 0 < x | Zero => x < 0 | Any => True end.

Definition config r A (w v : nat -> 'rV[F]_r) : Prop :=
  forall c e, signed (entry_at A c e) (dot (w c) (v e)).

(** Raise the thresholds a little, so that logits of zeros are below them. *)
Lemma strict d S (q k : nat -> 'rV[F]_d) t (columns : seq nat) :
  represents S q k t -> exists t', forall i j, j \in columns ->
    signed (entry_at S i j) (dot (q i) (k j) - t' i).
Proof.
move=> rep; pose gaps i := [seq dot (q i) (k j) - t i | j <- columns].
exists (fun i => t i + small (gaps i)) => i j jin.
have := rep i j; rewrite /agrees /signed; case: (entry_at S i j) => // cmp.
  rewrite opprD addrA subr_gt0 small_lt ?subr_gt0 //.
  by apply/mapP; exists j.
by rewrite subr_lt0 (le_lt_trans cmp) // ltr_addl small_gt0.
Qed.

Lemma entry_at_columns S rows columns c e :
  entry_at (core_of_columns S rows columns) c e =
  if (e < size columns)%N then
    if c is c'.+1 then
      if (c' < size rows)%N then entry_at S (nth 0%N rows c') (nth 0%N columns e) else Any
    else One
  else Any.
Proof.
rewrite /entry_at /core_of_columns !mapE !nthE; case: c => [|c] /=.
  by case: ltnP => le; [rewrite (nth_map 0%N) | rewrite nth_default ?size_map].
case: (ltnP c) => lec; last by rewrite (nth_default [::]) ?size_map // nth_nil if_same.
rewrite (nth_map 0%N) // mapE nthE.
by case: ltnP => le; [rewrite (nth_map 0%N) // nthE | rewrite nth_default ?size_map].
Qed.

Lemma entry_at_rows S rows columns c e :
  entry_at (core_of_rows S rows columns) c e =
  entry_at (core_of_columns S rows columns) e c.
Proof.
rewrite entry_at_columns /entry_at /core_of_rows !mapE !nthE.
case: (ltnP c) => lec; last by rewrite (nth_default [::]) ?size_map // nth_nil.
rewrite (nth_map 0%N) //; case: e => //= e.
rewrite mapE -map_comp.
case: (ltnP e) => lee; last by rewrite nth_default ?size_map.
by rewrite (nth_map 0%N) //= !nthE.
Qed.

(** Lemma 1. *)
Lemma config_of_representable d S side rows columns :
  representable F d S ->
  exists w v : nat -> 'rV[F]_d.+1, config (core side S rows columns) w v.
Proof.
case=> q [k [t rep]]; have [t' sgn] := strict columns rep.
pose a c : 'rV[F]_d.+1 :=
  if c is c'.+1 then row_mx (- t' (nth 0%N rows c'))%:M (q (nth 0%N rows c')) : 'rV_(1 + d)
  else row_mx 1%:M 0 : 'rV_(1 + d).
pose b e : 'rV[F]_d.+1 := row_mx 1%:M (k (nth 0%N columns e)) : 'rV_(1 + d).
have cfg: config (core_of_columns S rows columns) a b.
  move=> c e; rewrite entry_at_columns; case: ltnP => // le.
  case: c => [|c]; first by rewrite /= dot_row_mx !mxE dotC dot0r mulr1 addr0 ltr01.
  case: ltnP => // lc; rewrite /a /b dot_row_mx !mxE mulr1 addrC.
  exact/sgn/mem_nth.
case: side; [by exists a, b | exists b, a => c e].
by rewrite /= entry_at_rows dotC; apply: cfg.
Qed.

(** ** Determinants of elements *)

Definition matrix_of r (v : nat -> 'rV[F]_r) (T : seq nat) : 'M[F]_r :=
  \matrix_(i, j) v (nth 0%N T i) 0 j.

Definition bracket r (v : nat -> 'rV[F]_r) (T : seq nat) : F := \det (matrix_of v T).

(** Subsets of [r] of the first [N] elements, in any order. *)
Definition is_subset r N (T : seq nat) : bool :=
  [&& size T == r, uniq T & all (fun e => e < N)%N T].

(** Any [r] of the elements are linearly independent. *)
Definition general r N (v : nat -> 'rV[F]_r) : Prop :=
  forall T, is_subset r N T -> bracket v T != 0.

Definition moment r (e : nat) : 'rV[F]_r := \row_j e%:R ^+ j.

Lemma moment_unit r T : size T = r -> uniq T -> matrix_of (@moment r) T \in unitmx.
Proof.
move=> sT uT; rewrite unitmxE unitfE -det_tr; apply/negP => /det0P [v v0 vM].
pose p := \poly_(j < r) (if insub j is Some j' then v 0 j' else 0).
have p0: p != 0.
  apply: contra v0 => /eqP p0; apply/eqP/rowP => j; rewrite mxE.
  by have := coef_poly r (fun j => if insub j is Some j' then v 0 j' else 0) j;
    rewrite -/p p0 coef0 ltn_ord valK.
have: (size [seq (e%:R : F) | e <- T] < size p)%N.
  apply: max_poly_roots => //; last by rewrite map_inj_uniq // => x y /eqP; rewrite eqr_nat => /eqP.
  apply/allP => x /mapP [e ein ->]; rewrite /root horner_poly.
  have lt: (index e T < r)%N by rewrite -sT index_mem.
  have /rowP /(_ (Ordinal lt)) := vM; rewrite !mxE => sum0.
  apply/eqP; rewrite -[RHS]sum0; apply: eq_bigr => j _.
  by rewrite valK !mxE /= nth_index.
by rewrite size_map sT ltnNge size_poly.
Qed.

Lemma avoid (p : {poly F}) delta : 0 < delta -> p != 0 -> exists x, 0 < x < delta /\ p.[x] != 0.
Proof.
move=> delta0 p0; pose xs := [seq delta / i.+2%:R | i <- iota 0 (size p)].
have: ~~ all (root p) xs.
  apply/negP => all_root.
  have uxs: uniq xs.
    rewrite map_inj_in_uniq ?iota_uniq // => i j _ _ eq.
    have: i.+2%:R = j.+2%:R :> F.
      apply: invr_inj; apply: (mulfI (lt0r_neq0 delta0)); exact: eq.
    by move/eqP; rewrite eqr_nat => /eqP [].
  by have := max_poly_roots p0 all_root uxs; rewrite size_map size_iota ltnn.
case/allPn => x /mapP [i _ ->] rootx; exists (delta / i.+2%:R); split=> //.
rewrite divr_gt0 ?ltr0n //= ltr_pdivr_mulr ?ltr0n // ltr_pmulr // ltr1n //.
Qed.

Lemma bracket_shift r (v : nat -> 'rV[F]_r) T : size T = r -> uniq T ->
  exists p : {poly F}, p != 0 /\ forall x,
    bracket (fun e => v e + x *: moment r e) T != 0 = (p.[x] != 0).
Proof.
move=> sT uT; have uM := moment_unit sT uT; pose M := matrix_of (@moment r) T.
pose B := - (matrix_of v T *m invmx M).
exists (char_poly B); split; first exact: monic_neq0 (char_poly_monic _).
move=> x; rewrite /bracket.
have ->: matrix_of (fun e => v e + x *: moment r e) T = (x%:M - B) *m M.
  rewrite mulmxDl opprK -mulmxA mulVmx // mulmx1 mul_scalar_mx addrC.
  by apply/matrixP => i j; rewrite !mxE.
rewrite det_mulmx mulf_eq0 negb_or (_ : \det M != 0) ?andbT; last by rewrite -unitfE -unitmxE.
congr (_ != 0); rewrite -horner_evalE -det_map_mx; congr (\det _).
by apply/matrixP => i j; rewrite !mxE /= horner_evalE !hornerE hornerMn hornerX.
Qed.

Lemma specified A c e : entry_at A c e <> Any -> (c < size A)%N && (e < size (nth [::] A c))%N.
Proof.
rewrite /entry_at !nthE => Ace; apply/andP; split; rewrite ltnNge; apply/negP => le; apply: Ace.
  by rewrite (nth_default [::]) // nth_nil.
by rewrite nth_default.
Qed.

Lemma signedD e (x y : F) : signed e x -> (x != 0 -> `|y| < `|x|) -> signed e (x + y).
Proof.
case: e => //= sgn; [have nz := lt0r_neq0 sgn | have nz := ltr0_neq0 sgn] => /(_ nz).
  by rewrite (gtr0_norm sgn) ltr_norml => /andP [lo _]; rewrite addrC -ltr_subl_addr sub0r.
by rewrite (ltr0_norm sgn) ltr_norml => /andP [_ hi]; rewrite addrC -ltr_subr_addr sub0r.
Qed.

(** Lemma 2, which moves each vector along a vector of moments. *)
Lemma moved_to_general_position r A (w v : nat -> 'rV[F]_r) N :
  config A w v -> exists x, let v' e := v e + x *: moment r e in
    0 < x /\ config A w v' /\ general N v'.
Proof.
move=> cfg.
pose places := [seq (c, e) | c <- iota 0 (size A), e <- iota 0 (\max_(row <- A) size row)].
pose moved (x : F) e := v e + x *: moment r e.
pose ratio (ce : nat * nat) :=
  `|dot (w ce.1) (v ce.2)| / (`|dot (w ce.1) (moment r ce.2)| + 1).
pose delta := small [seq ratio ce | ce <- places].
have keep x : 0 < x -> x < delta -> config A w (moved x).
  move=> x0 xd c e; have := cfg c e.
  case: (entry_at A c e =P Any) => [-> //|/specified /andP [lc le] sgn].
  have inp: (c, e) \in places.
    apply/allpairsP; exists (c, e); rewrite !mem_iota /= add0n lc; split=> //.
    by rewrite (leq_trans le) // (@leq_bigmax_seq _ A (fun=> true) size) // mem_nth.
  rewrite dotDr dotZr; apply: (signedD sgn) => nz.
  have den: 0 < `|dot (w c) (moment r e)| + 1 by rewrite ltr_paddl ?normr_ge0 ?ltr01.
  have: x < ratio (c, e).
    by apply: lt_trans xd _; apply: small_lt; [exact: map_f | rewrite divr_gt0 ?normr_gt0].
  rewrite ltr_pdivl_mulr // mulrDr mulr1 normrM (gtr0_norm x0); apply: le_lt_trans.
  by rewrite ler_addl ltW.
pose fs := [seq [seq val (f i) | i <- enum 'I_r] | f : {ffun 'I_r -> 'I_N}].
have in_fs T : is_subset r N T -> T \in fs.
  case/and3P => /eqP sT uT ltT; apply/mapP.
  have ltN (i : 'I_r) : (nth 0 T i < N)%N by apply: (allP ltT); rewrite mem_nth ?sT.
  exists [ffun i => Ordinal (ltN i)]; first by rewrite mem_enum.
  apply: (@eq_from_nth _ 0%N); first by rewrite size_map size_enum_ord.
  move=> i; rewrite sT => lt.
  by rewrite (nth_map (Ordinal lt)) ?size_enum_ord // ffunE /= nth_enum_ord.
have [p [p0 pP]] : exists p : {poly F}, p != 0 /\ forall x, p.[x] != 0 ->
    forall T, T \in fs -> is_subset r N T -> bracket (moved x) T != 0.
  elim: fs {in_fs} => [|T fs [p [p0 pP]]]; first by exists 1; rewrite oner_neq0.
  case sub: (is_subset r N T); last first.
    exists p; split=> // x px T'; rewrite inE => /orP [/eqP ->|]; first by rewrite sub.
    exact: pP.
  case/and3P: (sub) => /eqP sT uT _; have [p' [p0' pP']] := bracket_shift v sT uT.
  exists (p' * p); rewrite mulf_neq0 //; split=> // x; rewrite hornerM mulf_eq0 negb_or.
  case/andP => px' px T'; rewrite inE => /orP [/eqP -> _|]; last exact: pP.
  by rewrite /moved pP'.
have [x [/andP [x0 xd] px]] := avoid (small_gt0 _ : 0 < delta) p0.
exists x; split=> //; split; first exact: keep.
by move=> T sub; apply: (pP x px) => //; apply: in_fs.
Qed.

Lemma general_position r A (w v : nat -> 'rV[F]_r) N :
  config A w v -> exists v', config A w v' /\ general N v'.
Proof. by case/(moved_to_general_position N) => x [_ [cfg gen]]; eexists; split; [exact: cfg |]. Qed.

End Configurations.
