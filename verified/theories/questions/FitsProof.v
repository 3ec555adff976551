(** Few wrong rows do not hit all cores. *)

From Coq Require Import ZArith Lia.
From mathcomp Require Import all_ssreflect all_algebra.
From Samapprox Require Import Patterns Statement Configurations OrientationsProof.
From Samapprox Require Import Certificates CertificatesProof Fits.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Delimit Scope Z_scope with Z.

Lemma memberE x T : member x T = (x \in T).
Proof. by elim: T => //= y T IH; rewrite /member /= -/(member x T) IH eqbP_nat inE. Qed.

Section Trees.

Variables (weight : nat -> Z) (cores : seq (seq nat)) (most : Z).
Hypothesis weight_ge0 : forall x, (0 <= weight x)%Z.

(** A set that hits all cores and weighs little. *)
Variable H : seq nat.
Hypothesis uH : uniq H.
Hypothesis hits : forall c, (c < size cores)%N -> has (mem H) (nth [::] cores c).
Hypothesis light : (total weight H <= most)%Z.

Lemma total_cat T U : total weight (T ++ U) = (total weight T + total weight U)%Z.
Proof. by elim: T => //= x T ->; lia. Qed.

Lemma total_perm T U : perm_eq T U -> total weight T = total weight U.
Proof.
elim: T U => [|x T IH] U; first by rewrite perm_sym => /perm_nilP ->.
move=> pm; have xU: x \in U by rewrite -(perm_mem pm) mem_head.
have [U1 [U2 E]] : exists U1 U2, U = U1 ++ x :: U2.
  exists (take (index x U) U), (drop (index x U).+1 U).
  by rewrite -{1}(cat_take_drop (index x U) U) (drop_nth x) ?index_mem // nth_index.
move: pm; rewrite E perm_sym perm_catC /= perm_cons perm_catC perm_sym => /IH /= ->.
by rewrite !total_cat /=; lia.
Qed.

(** The part of the weight outside the classes that are known to be wrong. *)
Lemma total_split wrong : uniq wrong -> {subset wrong <= H} ->
  total weight H = (total weight wrong + total weight [seq x <- H | x \notin wrong])%Z.
Proof.
move=> uw sub; rewrite -total_cat; apply: total_perm.
apply: uniq_perm => //; first rewrite cat_uniq uw filter_uniq // andbT /=.
  by apply/hasPn => x; rewrite mem_filter => /andP [].
move=> x; rewrite mem_cat mem_filter; case: (boolP (x \in wrong)) => //= xw.
by rewrite sub.
Qed.

Fixpoint loads (chosen : seq (nat * Z)) (T : seq nat) : Z :=
  if T is x :: T then (load cores chosen x + loads chosen T)%Z else 0%Z.

Lemma loads_nil T : loads [::] T = 0%Z.
Proof. by elim: T => //= x T ->. Qed.

Lemma loads_cons c y chosen T : (0 <= y)%Z -> has (mem T) (nth [::] cores c) ->
  (y + loads chosen T <= loads ((c, y) :: chosen) T)%Z.
Proof.
move=> y0; have mono U : (loads chosen U <= loads ((c, y) :: chosen) U)%Z.
  elim: U => [|x U IH] /=; first by lia.
  by case: member; lia.
elim: T => [|x T IH] /=; first by rewrite has_pred0.
rewrite nthE memberE; case: (boolP (x \in nth [::] cores c)) => xc h.
  by have := mono T; lia.
suff /IH : has (mem T) (nth [::] cores c) by lia.
case/hasP: h => z zc /=; rewrite inE => /orP [/eqP zx|zT]; first by rewrite -zx zc in xc.
by apply/hasP; exists z.
Qed.

Lemma sum_of_loads chosen T :
  (forall c y, List.In (c, y) chosen -> (0 <= y)%Z /\ has (mem T) (nth [::] cores c)) ->
  (sum_of chosen <= loads chosen T)%Z.
Proof.
elim: chosen => [|[c y] chosen IH] hyp; first by rewrite loads_nil /=; lia.
have [y0 hc] := hyp c y (or_introl erefl).
have := @loads_cons c y chosen T y0 hc; have := IH (fun c y h => hyp c y (or_intror h)).
by rewrite /=; lia.
Qed.

Lemma load0 chosen x : (forall c y, List.In (c, y) chosen -> x \notin nth [::] cores c) ->
  load cores chosen x = 0%Z.
Proof.
elim: chosen => [|[c y] chosen IH] hyp //=.
rewrite nthE memberE (negbTE (hyp c y (or_introl erefl))).
by apply: IH => c' y' h; apply: (hyp c' y' (or_intror h)).
Qed.

Lemma check_treeP t wrong right : uniq wrong -> {subset wrong <= H} ->
  (forall x, x \in right -> x \notin H) ->
  check_tree weight cores most t wrong right -> False.
Proof.
elim: t wrong right => [chosen D|x a IHa b IHb] wrong right uw sub away /=; last first.
  case/andP => /andP []; rewrite memberE => xw ca cb.
  case: (boolP (x \in H)) => xH.
    apply: (IHa (x :: wrong) right) => //=; first by rewrite xw.
    by move=> y; rewrite inE => /orP [/eqP ->|/sub].
  apply: (IHb wrong (x :: right)) => // y; rewrite inE => /orP [/eqP ->|/away] //.
case/andP => /andP [/Z.leb_spec0 D0 /List.forallb_forall each] /Z.ltb_spec0 big.
have fine c y : List.In (c, y) chosen -> [/\ (c < size cores)%N, (0 <= y)%Z
    & forall x, x \in nth [::] cores c -> x \notin wrong /\
        (x \in right \/ (load cores chosen x <= D * weight x)%Z)].
  move/each => /= /andP [/andP [/PeanoNat.Nat.ltb_spec0/ssrnat.ltP lc /Z.leb_spec0 y0]].
  rewrite forallbE nthE => /allP ok; split=> // x /ok /andP []; rewrite !memberE => -> /orP [->|/Z.leb_spec0 le].
    by split=> //; left.
  by split=> //; right.
pose T := [seq x <- H | x \notin wrong].
have le: (sum_of chosen <= loads chosen T)%Z.
  apply: sum_of_loads => c y /fine [lc y0 ok]; split=> //.
  have /hasP [x xc xH] := hits lc; apply/hasP; exists x => //=.
  by rewrite mem_filter (ok x xc).1.
have le': (loads chosen T <= D * total weight T)%Z.
  have inT x : x \in T -> x \notin right.
    by rewrite mem_filter => /andP [_ xH]; apply/negP => /away; rewrite xH.
  elim: (T) inT => [|x U IH] inU /=; first by lia.
  have {IH} := IH (fun y yU => inU y (mem_behead (yU : y \in behead (x :: U)))).
  suff: (load cores chosen x <= D * weight x)%Z by lia.
  have nr := inU x (mem_head _ _).
  case: (boolP (has (fun cy : nat * Z => x \in nth [::] cores cy.1) chosen)) => found.
    have [c [y [incy xc]]] : exists c y, List.In (c, y) chosen /\ x \in nth [::] cores c.
      elim: (chosen) found => //= [[c y] l IH] /orP [xc|/IH [c' [y' [h xc]]]].
        by exists c, y; split=> //; left.
      by exists c', y'; split=> //; right.
    by have [_ _ /(_ x xc) [_ [xr|//]]] := fine c y incy; rewrite xr in nr.
  rewrite load0; first by have := @weight_ge0 x; nia.
  move=> c y; elim: (chosen) found => //= [[c' y'] l IH]; rewrite negb_or => /andP [n1 n2].
  by case=> [[<- _] //|/(IH n2)].
have := total_split uw sub; rewrite -/T => E.
by nia.
Qed.

End Trees.

Section Rows.

Variable F : realFieldType.

Lemma same_rowP a b : same_row a b -> a = b.
Proof.
elim: a b => [|x a IH] [|y b] //= /andP [xy /IH ->].
by case: x xy => //; case: y.
Qed.

Lemma entry_only_rows S kept i j : entry_at (only_rows S kept) i j <> Any ->
  nth false kept i /\ entry_at (only_rows S kept) i j = entry_at S i j.
Proof.
rewrite /entry_at /only_rows !nthE; elim: S kept i => [|row S IH] [|k kept] [|i] //=;
  rewrite ?nth_nil //; try exact: IH.
by case: k => //; rewrite nth_nil.
Qed.

Lemma entry_erase_rows S wrong i j :
  entry_at (erase_rows S wrong) i j = if i \in wrong then Any else entry_at S i j.
Proof.
rewrite /entry_at /erase_rows !nthE mapE seqE -[length S]/(size S).
case: (ltnP i (size S)) => lt; last by rewrite !(nth_default [::]) ?size_map ?size_iota // !nth_nil if_same.
rewrite (nth_map 0%N) ?size_iota // nth_iota // add0n -/(member i wrong) memberE nthE.
by case: ifP => _; rewrite ?nth_nil.
Qed.

Lemma size_of_classE classes x : size_of_class classes x = Z.of_nat (count_mem x classes).
Proof.
elim: classes => //= y l IH; rewrite -/(size_of_class l x) IH eqbP_nat.
by case: eqP => _; rewrite ?add0n // add1n Nat2Z.inj_succ.
Qed.

Theorem check_wrong_rows_sound s S d w classes reps cores t :
  check_wrong_rows s S d (Z.of_nat w) classes reps cores t = true -> ~ fits_rows F s d S w.
Proof.
case/andP => /andP [/andP []]; rewrite eqbP_nat => /eqP szc /List.forallb_forall equal.
move=> /List.forallb_forall cores_ok tree_ok [wrong [szw rep]].
pose m := size S; pose cl i := nth 0%N classes i.
have row_rep i : (i < m)%N -> nth [::] S i = nth [::] S (nth 0%N reps (cl i)).
  move=> lt; apply/same_rowP; have := equal (nth [::] S i, cl i); rewrite /= !nthE; apply.
  rewrite /cl; move: lt; rewrite /m.
  elim: (S) (classes) i szc => [|row S' IH] [|x l] [|i] //= sz lt; first by left.
  by right; apply: IH => //; case: sz.
(* Copies of a right row are right, with its query and threshold. *)
pose right_copy i i' := [&& (i' < m)%N, cl i' == cl i & i' \notin wrong].
pose good i := if [pick i' : 'I_m | right_copy i i'] is Some i' then val i' else i.
pose lost x := all (fun i => (cl i == x) ==> (i \in wrong)) (iota 0 m).
pose H := [seq x <- undup classes | lost x].
have good_ok i j : (i < m)%N -> cl i \notin H ->
    entry_at S i j = entry_at (erase_rows S wrong) (good i) j.
  move=> lt notH; rewrite entry_erase_rows /good; case: pickP => [i' /and3P [lt' /eqP cl' ok]|none].
    by rewrite (negbTE ok) /entry_at !nthE (row_rep i lt) (row_rep i' lt') cl'.
  case/negP: notH; rewrite mem_filter mem_undup /cl mem_nth; last by rewrite -[size _]/(length _) szc.
  rewrite andbT; apply/allP => i'; rewrite mem_iota /= add0n => lt'; apply/implyP => cl'.
  by have := none (Ordinal lt'); rewrite /right_copy /= lt' cl' /= => /negbFE.
apply: (@check_treeP (size_of_class classes) (List.map classes_of cores) (Z.of_nat w) _ H _ _ _ t [::] [::]) => //.
- by move=> x; rewrite size_of_classE; lia.
- by rewrite filter_uniq ?undup_uniq.
- move=> c; rewrite mapE size_map => lt; rewrite (nth_map (FitCore [::] [::] (SplitsInAllWays 0 true [::] [::]))) //.
  set co := nth _ _ _; have /cores_ok /andP [/List.forallb_forall cls no] : List.In co cores.
    by rewrite {}/co; elim: (cores) c lt => //= x l IH [|c] lt; [left | right; apply: IH].
  case: (boolP (has (mem H) (classes_of co))) => // /hasPn away; exfalso.
  apply: (check_no_sound no); apply: (representable_rows (f := good)) rep => i j nA.
  have [ki Ei] := entry_only_rows nA; rewrite Ei in nA *.
  have lti: (i < m)%N by case/andP: (specified nA).
  apply: good_ok => //; apply: away; rewrite -memberE.
  have := cls (cl i, true); rewrite /=; apply.
  have ltk: (i < size (kept co))%N by rewrite ltnNge; apply/negP => ge; move: ki; rewrite nth_default.
  move: ki lti ltk; rewrite /cl /m -[size S]/(length S) -szc.
  elim: (classes) (kept co) i {nA Ei} => [|x l IH] [|b ks] [|i] //=; first by move=> -> _ _; left.
  by move=> ki l1 l2; right; apply: IH.
- have count_le: (size [seq i <- iota 0 m | cl i \in H] <= size wrong)%N.
    apply: uniq_leq_size; first by rewrite filter_uniq ?iota_uniq.
    move=> i; rewrite mem_filter mem_iota /= add0n => /andP [iH lt].
    move: iH; rewrite mem_filter => /andP [/allP /(_ i)]; rewrite mem_iota /= add0n lt => /(_ isT).
    by rewrite eqxx.
  have ->: total (size_of_class classes) H = Z.of_nat (size [seq i <- iota 0 m | cl i \in H]).
    have uH: uniq H by rewrite filter_uniq ?undup_uniq.
    have ->: size [seq i <- iota 0 m | cl i \in H] = count (mem H) classes.
      have ->: classes = [seq cl i | i <- iota 0 m].
        by rewrite /m -[size S]/(length S) -szc; symmetry; apply: (mkseq_nth 0%N classes).
      by rewrite count_map size_filter; apply: eq_count.
    elim: (H) uH => [|x l IH] /=; first by rewrite count_pred0.
    case/andP => xl /IH ->; rewrite size_of_classE -Nat2Z.inj_add; congr Z.of_nat.
    rewrite plusE -count_predUI.
    rewrite (@eq_count _ (predI _ _) pred0) ?count_pred0 ?addn0; last first.
      by move=> y /=; apply/negP => /andP [/eqP ->]; rewrite (negbTE xl).
    by apply: eq_count => y; rewrite /= inE.
  apply/Nat2Z.inj_le/ssrnat.leP; exact: leq_trans count_le szw.
Qed.

End Rows.
