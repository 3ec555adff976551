(** The clauses of orientations hold for all vectors in general position (Lemmas 3, 4 and 6). *)

From Coq Require Import ZArith Lia.
From mathcomp Require Import all_ssreflect all_algebra.
From Samapprox Require Import Tables Patterns Statement Configurations Clauses ClausesProof.
From Samapprox Require Import Sorting Orientations BracketsProof.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.
Local Delimit Scope Z_scope with Z.

Lemma same_listP T U : reflect (T = U) (same_list T U).
Proof.
elim: T U => [|x T IH] [|y U] /=; try by constructor.
by apply: (iffP andP) => [[/PeanoNat.Nat.eqb_eq -> /IH ->]|[-> /IH ->]] //;
  rewrite PeanoNat.Nat.eqb_refl.
Qed.

Canonical positive_eqType := EqType positive (EqMixin Pos.eqb_spec).

Section Signs.

Variable F : realFieldType.

Definition has_sign (s : bool) (a : F) : bool := if s then 0 < a else a < 0.

Lemma has_sign_mul s s' a a' : has_sign s a -> has_sign s' a' -> has_sign (Bool.eqb s s') (a * a').
Proof.
case: s; case: s' => /= h h'.
- exact: mulr_gt0.
- by rewrite pmulr_rlt0.
- by rewrite pmulr_llt0.
- by rewrite nmulr_rgt0.
Qed.

Lemma has_sign_opp s a : has_sign s a -> has_sign (~~ s) (- a).
Proof. by case: s => /= h; rewrite ?oppr_lt0 ?oppr_gt0. Qed.

Lemma has_sign_exp s (b : bool) a : has_sign s a -> has_sign (s (+) b) ((-1) ^+ b * a).
Proof.
case: b => h; last by rewrite addbF expr0 mul1r.
by rewrite addbT expr1 mulN1r has_sign_opp.
Qed.

Lemma has_signN0 s a : has_sign s a -> a != 0.
Proof. by case: s => /= h; [rewrite lt0r_neq0 | rewrite ltr0_neq0]. Qed.

Lemma has_sign_sum s f n : (0 < n)%N -> (forall i, (i < n)%N -> has_sign s (f i)) ->
  has_sign s (\sum_(i < n) f i).
Proof.
elim: n => // n IH _ h; rewrite big_ord_recr /=.
case: n IH h => [|n] IH h; first by rewrite big_ord0 add0r h.
have := IH isT (fun i lt => h i (ltnW lt)); have := h n.+1 (ltnSn _).
by case: (s) => /= h1 h2; [rewrite addr_gt0 | rewrite -oppr_gt0 opprD addr_gt0 ?oppr_gt0].
Qed.

(** Terms of the stated signs do not add up to 0 if these are all the same. *)
Lemma all_sameP signs f : all_same signs ->
  (forall i s, (i < size signs)%N -> nth None signs i = Some s -> has_sign s (f i)) ->
  \sum_(i < size signs) f i != 0.
Proof.
case: signs => //= a signs /andP [aa]; rewrite forallbE => same h.
case: a aa same h => // s _ same h; apply: (@has_signN0 s).
apply: (@has_sign_sum s f (size signs).+1) => // [[|i] lt]; first exact: h.
apply: h => //=; have := allP same _ (mem_nth None (lt : (i < size signs)%N)).
by case: nth => // s' /Bool.eqb_prop ->.
Qed.

Section Realization.

Variables (A : pattern) (N r : nat) (sets : table (seq nat)).
Hypothesis r1 : (0 < r)%N.
Hypothesis sets_ok : forall v U, get sets v = Some U -> is_subset r N U.

Variables w v : nat -> 'rV[F]_r.
Hypothesis cfg : config A w v.
Hypothesis gen : general N v.

(** The truth of a variable: the orientation of its set is positive. *)
Definition orientation (i : positive) : bool :=
  if get sets i is Some U then 0 < bracket v U else false.

Lemma orientation_sign i U : get sets i = Some U -> has_sign (orientation i) (bracket v U).
Proof.
move=> E; rewrite /orientation E; have := gen (sets_ok E).
by case: ltgtP.
Qed.

Lemma sign_if_falseP l T s : ~~ true_in orientation l -> sign_if_false sets l T = Some s ->
  has_sign s (bracket v T).
Proof.
case: l => p i; rewrite /true_in /sign_if_false /= => nl.
have szT := sort_size T; have brT := @bracket_sort F r v T.
case: (sort T) szT brT => o T' /= szT brT; case E: (get sets i) => [U|//].
case: same_listP => // TU [<-]; subst U.
have szT': size T = r by rewrite -szT; case/and3P: (sets_ok E) => /eqP.
have -> : ~~ xorb p o = orientation i (+) o by move: nl; case: (orientation i); case: p; case: (o).
by rewrite brT //; apply: has_sign_exp; apply: orientation_sign.
Qed.

Lemma not_holds C : ~~ holds orientation C ->
  forall t, (t < size C)%N -> ~~ true_in orientation (nth no_literal C t).
Proof.
elim: C => //= l C IH; rewrite negb_or => /andP [nl nC] [|t] lt //=; exact: IH.
Qed.

Lemma check_circuitP c I C : check_circuit A r sets c I C -> holds orientation C.
Proof.
case/andP => /andP []; rewrite !eqbP_nat => /eqP szI /eqP szC same.
case: (boolP (holds _ C)) => // nC; exfalso.
pose f t := (-1) ^+ t * bracket v (removed I t) * dot (w c) (v (nth 0%N I t)).
have := @all_sameP _ f same; rewrite mapE seqE size_map size_iota => ne0.
have sum0: \sum_(t < r.+1) f t = 0 by exact: circuit.
rewrite sum0 eqxx in ne0; suff: false by []; apply: ne0 => t s lt.
rewrite (nth_map 0%N) ?size_iota // nth_iota // add0n.
rewrite /term_of_circuit !nthE firstnE skipnE nat_oddE.
have nl: ~~ true_in orientation (nth no_literal C t) by apply: not_holds => //; rewrite (szC : size C = _).
case E: sign_if_false => [s1|//].
have h: has_sign s1 (bracket v (removed I t)) := sign_if_falseP nl E.
have := cfg c (nth 0%N I t); rewrite /entry_at !nthE.
rewrite /f -signr_odd; case: nth => //= sgn [<-].
  have := has_sign_mul (has_sign_exp (odd t) h) (sgn : has_sign true _).
  by case: (s1); case: (odd t).
have := has_sign_mul (has_sign_exp (odd t) h) (sgn : has_sign false _).
by case: (s1); case: (odd t).
Qed.

Definition value (P : product) : F := bracket v (first_set P) * bracket v (second_set P).

Definition denied (R : relation) : Prop :=
  forall l, List.In l (literals_of R) -> ~~ true_in orientation l.

Lemma product_signP P s : ~~ true_in orientation (first P) -> ~~ true_in orientation (second P) ->
  product_sign sets P = Some s -> has_sign s (value P).
Proof.
move=> n1 n2; rewrite /product_sign.
case E1: sign_if_false => [s1|//]; case E2: sign_if_false => [s2|//] [<-].
by apply: has_sign_mul; [apply: sign_if_falseP n1 E1 | apply: sign_if_falseP n2 E2].
Qed.

(** The [i]-th term of the sum. *)
Definition summand R i : F := (if i == 1%N then -1 else 1) * value (term R i).

Lemma term_literals R i : denied R ->
  ~~ true_in orientation (first (term R i)) /\ ~~ true_in orientation (second (term R i)).
Proof. by move=> den; case: i => [|[|i]]; split; apply: den; rewrite /=; tauto. Qed.

Lemma term_signP R i s : denied R -> term_sign sets R i = Some s -> has_sign s (summand R i).
Proof.
move=> den; have [n1 n2] := term_literals i den; rewrite /summand.
case: i n1 n2 => [|[|i]] /= n1 n2; try by rewrite mul1r; apply: product_signP.
case E: product_sign => [s'|//] [<-]; rewrite mulN1r; apply: has_sign_opp.
exact: product_signP E.
Qed.

Lemma summands R : size (fixed R) = r.-2 -> (1 < r)%N ->
  \sum_(i < 3) summand R i = 0.
Proof.
move=> sz r2; rewrite !big_ord_recl big_ord0 addr0 /= /summand /= !mul1r mulN1r addrA.
exact: three_terms.
Qed.

Lemma length_fixed n : PeanoNat.Nat.eqb (n + 2)%coq_nat r -> n = r.-2 /\ (1 < r)%N.
Proof. by rewrite eqbP_nat plusE addn2 => /eqP <-. Qed.

Lemma contains_all C R : ~~ holds orientation C ->
  List.forallb (contains C) (literals_of R) -> denied R.
Proof.
move=> nC /List.forallb_forall all_in l /all_in lin; apply: contra nC.
exact: containsP.
Qed.

Lemma check_relationP R C : check_relation r sets R C -> holds orientation C.
Proof.
case/andP => /andP [lits /length_fixed [sz r2]] same.
case: (boolP (holds _ C)) => // nC; exfalso.
have den := contains_all nC lits.
have := @all_sameP _ (summand R) same; rewrite [size _]/= summands // eqxx.
move=> ne0; suff: false by []; apply: ne0 => i s lt.
case: i lt => [|[|[|]]] // _ E.
- exact: (@term_signP R 0%N s den E).
- exact: (@term_signP R 1%N s den E).
- exact: (@term_signP R 2%N s den E).
Qed.

(** ** Final polynomials *)

Definition size_of (i : positive) : F :=
  if get sets i is Some U then `|bracket v U| else 1.

Lemma size_of_gt0 i : 0 < size_of i.
Proof.
rewrite /size_of; case E: get => [U|]; last exact: ltr01.
by rewrite normr_gt0; apply: gen; apply: sets_ok E.
Qed.

Definition term_size (P : product) : F := size_of (first P).2 * size_of (second P).2.

Lemma term_size_gt0 P : 0 < term_size P.
Proof. by rewrite mulr_gt0 ?size_of_gt0. Qed.

Lemma size_of_literal l T s : sign_if_false sets l T = Some s -> size_of l.2 = `|bracket v T|.
Proof.
rewrite /sign_if_false /size_of.
have szT := sort_size T; have brT := @bracket_sort F r v T.
case: (sort T) szT brT => o T' /= szT brT; case E: (get sets l.2) => [U|//].
case: same_listP => // TU _; subst U.
rewrite brT ?normrM ?normrX ?normrN1 ?expr1n ?mul1r //.
by rewrite -szT; case/and3P: (sets_ok E) => /eqP.
Qed.

Lemma summand_size R i s : term_sign sets R i = Some s -> `|summand R i| = term_size (term R i).
Proof.
have pick (P : product) s' : product_sign sets P = Some s' -> `|value P| = term_size P.
  rewrite /product_sign; case E1: sign_if_false => [s1|//]; case E2: sign_if_false => [s2|//] _.
  by rewrite /value normrM /term_size (size_of_literal E1) (size_of_literal E2).
rewrite /summand normrM; case: i => [|[|i]] /=; rewrite ?normrN1 ?normr1 mul1r; try exact: pick.
by case E: product_sign => [s'|//] _; apply: pick E.
Qed.

Lemma third_of_three (f : nat -> F) l s : l != s -> (l < 3)%N -> (s < 3)%N ->
  f 0%N + (f 1%N + f 2%N) = 0 -> f l = - (f s + f ((3 - l)%coq_nat - s)%coq_nat).
Proof.
move=> ne ltl lts sum0; apply/eqP; rewrite -addr_eq0 -[X in _ == X]sum0; apply/eqP.
case: l s ltl lts ne => [|[|[|]]] [|[|[|]]] //= _ _ _.
- by rewrite (addrC (f 2%N)).
- by rewrite addrCA.
- by rewrite addrA addrC.
- by rewrite addrC -addrA.
- by rewrite addrC (addrC (f 1%N)) -addrA.
Qed.

Lemma check_inequalityP q : denied (relation_of q) -> check_inequality r sets q ->
  (0 < Z.to_nat (power q))%N /\ term_size (term (relation_of q) (smaller q)) < term_size (term (relation_of q) (larger q)).
Proof.
move=> den; rewrite /check_inequality; set R := relation_of q.
case/andP => /andP [/andP [/andP [/andP [/andP [pos]]]]].
rewrite eqbP_nat => ne /PeanoNat.Nat.ltb_spec0/ssrnat.ltP ltl /PeanoNat.Nat.ltb_spec0/ssrnat.ltP lts.
move=> /length_fixed [sz r2] same opp; split.
  by apply/ssrnat.ltP; move/Z.ltb_spec0: pos; lia.
have := summands sz r2; rewrite !big_ord_recl big_ord0 addr0 /= => sum0.
set l := larger q in ne ltl opp same *; set s := smaller q in ne lts opp same *.
set o := ((3 - l)%coq_nat - s)%coq_nat in same.
have sum: summand R l = - (summand R s + summand R o) by apply: third_of_three.
move: same opp; case Es: (term_sign sets R s) => [a|//]; case Eo: (term_sign sets R o) => [a'|//].
case El: (term_sign sets R l) => [a''|//] /Bool.eqb_prop aa' /Bool.eqb_prop aa''.
rewrite -(summand_size Es) -(summand_size El) sum normrN.
have hs := term_signP den Es; have ho := term_signP den Eo; rewrite -aa' in ho.
case: (a) hs ho => /= hs ho.
  by rewrite !gtr0_norm ?addr_gt0 // ltr_addl.
have neg: summand R s + summand R o < 0 by rewrite -oppr_gt0 opprD addr_gt0 ?oppr_gt0.
by rewrite !ltr0_norm // opprD ltr_addl oppr_gt0.
Qed.

(** The product of the chosen terms, with their powers. *)
Fixpoint total (chosen : inequality -> nat) (qs : seq inequality) : F :=
  if qs is q :: qs then
    term_size (term (relation_of q) (chosen q)) ^+ Z.to_nat (power q) * total chosen qs
  else 1.

Lemma total_gt0 chosen qs : 0 < total chosen qs.
Proof. by elim: qs => [|q qs IH] /=; rewrite ?ltr01 // mulr_gt0 ?exprn_gt0 ?term_size_gt0. Qed.

Definition unit_power (i j : positive) n := if Pos.eqb i j then n else 0%N.

Lemma prod_unit_power (V : seq positive) i n : uniq V -> i \in V ->
  \prod_(j <- V) size_of j ^+ unit_power i j n = size_of i ^+ n.
Proof.
move=> uV iV; rewrite (bigD1_seq i) //= /unit_power Pos.eqb_refl big1 ?mulr1 // => j ne.
by rewrite -[Pos.eqb i j]/(i == j) eq_sym (negbTE ne) expr0.
Qed.

Lemma total_exponents (chosen : inequality -> nat) (V : seq positive) qs : uniq V ->
  (forall q, List.In q qs -> (0 < power q)%Z /\
     (first (term (relation_of q) (chosen q))).2 \in V /\ (second (term (relation_of q) (chosen q))).2 \in V) ->
  total chosen qs = \prod_(j <- V) size_of j ^+ Z.to_nat (exponent chosen j qs)
  /\ forall j, (0 <= exponent chosen j qs)%Z.
Proof.
move=> uV; elim: qs => [|q qs IH] hyp.
  by split=> //=; rewrite big1.
have [|IH1 IH2] := IH; first by move=> q' inq; apply: hyp; right.
have [pos [in1 in2]] := hyp q (or_introl erefl).
have step j : exponent chosen j (q :: qs) = (Z.of_nat
   (unit_power (first (term (relation_of q) (chosen q))).2 j (Z.to_nat (power q)) +
    unit_power (second (term (relation_of q) (chosen q))).2 j (Z.to_nat (power q)))
   + exponent chosen j qs)%Z.
  rewrite /= /unit_power.
  by case: Pos.eqb; case: Pos.eqb; rewrite ?addn0 ?add0n -?plusE ?Nat2Z.inj_add ?Z2Nat.id /=; lia.
split=> [|j]; last by rewrite step; have := IH2 j; lia.
rewrite /= IH1 /term_size exprMn -(prod_unit_power _ uV in1) -(prod_unit_power _ uV in2).
rewrite -!big_split /=; apply: eq_bigr => j _; rewrite -!exprD; congr (_ ^+ _).
have := step j; rewrite [in X in X -> _]/= => ->.
by rewrite Z2Nat.inj_add ?Nat2Z.id //; lia.
Qed.

Lemma check_polynomialP qs C : check_polynomial r sets qs C -> holds orientation C.
Proof.
case/andP => /andP [ne /List.forallb_forall each /List.forallb_forall balance].
case: (boolP (holds _ C)) => // nC; exfalso.
pose V := undup [seq l.2 | l <- C].
have inV R i : List.forallb (contains C) (literals_of R) ->
    ((first (term R i)).2 \in V) && ((second (term R i)).2 \in V).
  move/List.forallb_forall => all_in.
  have isin l : List.In l (literals_of R) -> l.2 \in V.
    move/all_in => lin; rewrite mem_undup; elim: (C) lin => //= m D IH.
    by case/orP => [/same_literalP ->|/IH]; rewrite inE ?eqxx // => ->; rewrite orbT.
  by case: i => [|[|i]]; rewrite !isin //=; tauto.
have fine q : List.In q qs -> (0 < power q)%Z /\
    List.forallb (contains C) (literals_of (relation_of q)) /\
    (0 < Z.to_nat (power q))%N /\
    term_size (term (relation_of q) (smaller q)) < term_size (term (relation_of q) (larger q)).
  move/each/andP => [ine lits]; split.
    by move: ine; rewrite /check_inequality; do 6! case/andP; move/Z.ltb_spec0.
  split=> //; apply: check_inequalityP ine; exact: contains_all nC lits.
have totals chosen : total chosen qs = \prod_(j <- V) size_of j ^+ Z.to_nat (exponent chosen j qs).
  apply: (proj1 (@total_exponents chosen V qs (undup_uniq _) _)) => q /fine [pos [lits _]].
  by split=> //; apply/andP; apply: inV.
have: total smaller qs < total larger qs.
  have fine' q : List.In q qs -> (0 < Z.to_nat (power q))%N /\
    term_size (term (relation_of q) (smaller q)) < term_size (term (relation_of q) (larger q)).
    by move/fine => [_ [_]].
  elim: qs ne fine' {each balance totals fine} => // q qs IH _ fine.
  have [pos lt] := fine q (or_introl erefl).
  have lt': term_size (term (relation_of q) (smaller q)) ^+ Z.to_nat (power q)
      < term_size (term (relation_of q) (larger q)) ^+ Z.to_nat (power q).
    by rewrite ltr_pexpn2r // ?nnegrE ?ltW ?term_size_gt0.
  case: qs IH fine => [|q' qs] IH fine; first by rewrite /= !mulr1.
  rewrite /= ltr_pmul ?exprn_ge0 ?ltW ?term_size_gt0 ?(total_gt0 smaller (q' :: qs)) //.
  by apply: IH => // q'' inq; apply: fine; right.
rewrite !totals; have ->: \prod_(j <- V) size_of j ^+ Z.to_nat (exponent smaller j qs)
    = \prod_(j <- V) size_of j ^+ Z.to_nat (exponent larger j qs).
  apply: eq_big_seq => j; rewrite mem_undup => /mapP [l lin ->].
  have /balance /Z.eqb_spec -> // : List.In l C.
  by elim: (C) lin => //= m D IH; rewrite inE => /orP [/eqP|/IH]; [left | right].
by rewrite ltxx.
Qed.

End Realization.

End Signs.
