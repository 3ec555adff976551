(** Refuted clauses refute embeddings (Lemmas 5, 7 and 11). *)

From Coq Require Import ZArith.
From mathcomp Require Import all_ssreflect all_algebra.
From Samapprox Require Import Tables Patterns Statement Configurations Clauses ClausesProof.
From Samapprox Require Import Sorting Orientations BracketsProof OrientationsProof Refutations.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.

Lemma xorbE a b : xorb a b = a (+) b.
Proof. by case: a; case: b. Qed.

(** ** Lists of truth values, compared lexicographically *)

Fixpoint better (x y : seq bool) : bool :=
  match x, y with
  | a :: x, b :: y => (a && ~~ b) || ((a == b) && better x y)
  | _, _ => false
  end.

(** Among finitely many lists some is best. (Which one need not be decidable.) *)
Lemma best_exists n (P : seq bool -> Prop) :
  (exists x, size x = n /\ P x) ->
  ((exists x, P x /\ forall y, size y = n -> P y -> ~~ better y x) -> False) -> False.
Proof.
elim: n P => [|n IH] P [x [sx px]] no.
  by apply: no; exists x; split=> // y /size0nil ->; rewrite (size0nil sx).
have no_true y : size y = n -> ~ P (true :: y).
  move=> sy py; apply: (IH (fun y => P (true :: y))); first by exists y.
  case=> z [pz best]; apply: no; exists (true :: z); split=> // [[//|a u]] [su] pu /=.
  by rewrite andbF /=; case: a pu => //= pu; apply: best.
case: x sx px => // [[|] x] [sx] px; first exact: no_true px.
apply: (IH (fun y => P (false :: y))); first by exists x.
case=> z [pz best]; apply: no; exists (false :: z); split=> // [[//|a u]] [su] pu /=.
by case: a pu => pu /=; [case: (no_true u su pu) | apply: best].
Qed.

Lemma ascending_uniq T : ascending T -> uniq T.
Proof.
move=> asc; apply: (@sorted_uniq _ ltn) => //; [exact: ltn_trans | exact: ltnn |].
elim: T asc => // x [|y T] IH //= /andP [/PeanoNat.Nat.ltb_spec0/ssrnat.ltP ->] /IH.
exact.
Qed.

Lemma number_setsP N r next listed sets sets' :
  (forall i U, get sets i = Some U -> is_subset r N U) ->
  number_sets N r next listed sets = Some sets' ->
  forall i U, get sets' i = Some U -> is_subset r N U.
Proof.
elim: listed next sets => [|T listed IH] next sets ok /=; first by case=> <-.
case: ifP => // /andP [/andP []]; rewrite eqbP_nat => sT /ascending_uniq uT ltT.
apply: IH => i U; rewrite get_set; case: Pos.eq_dec => [_ [<-]|_]; last exact: ok.
rewrite /is_subset sT uT /=; move: ltT; rewrite forallbE.
by apply: sub_all => e /PeanoNat.Nat.ltb_spec0/ssrnat.ltP.
Qed.

Lemma distinctP T : distinct T -> uniq T.
Proof.
elim: T => //= x T IH /andP [nx /IH ->]; rewrite andbT; apply: contra nx.
by elim: T {IH} => //= y T IH; rewrite inE eqbP_nat => /orP [->//|/IH ->]; rewrite orbT.
Qed.

Section Refutations.

Variable F : realFieldType.
Variable d : nat.
Let r := d.+1.

Variables (A : pattern) (N : nat) (sets : table (seq nat)).
Hypothesis rows_short : forall c, (size (nth [::] A c) <= N)%N.
Hypothesis sets_ok : forall v U, get sets v = Some U -> is_subset r N U.

Variable order : seq literal.

Definition realizes (w v : nat -> 'rV[F]_r) : Prop := config A w v /\ general N v.

(** How true the literals of the order are. *)
Definition truths (v : nat -> 'rV[F]_r) : seq bool :=
  [seq true_in (orientation sets v) l | l <- order].

Lemma unspecified c e : (N <= e)%N -> entry_at A c e = Any.
Proof. by move=> le; rewrite /entry_at !nthE nth_default // (leq_trans (rows_short c)). Qed.

(** ** Lemma 5 *)

Definition mirror (u : 'rV[F]_r) : 'rV[F]_r := \row_j ((if j == ord0 then -1 else 1) * u 0 j).

Lemma dot_mirror u u' : dot (mirror u) (mirror u') = dot u u'.
Proof.
apply: eq_bigr => j _; rewrite !mxE; case: ifP => _; last by rewrite !mul1r.
by rewrite mulrACA mulrNN !mul1r.
Qed.

Lemma bracket_mirror v T : bracket (fun e => mirror (v e)) T = - bracket v T.
Proof.
pose D : 'rV[F]_r := \row_j (if j == ord0 then -1 else 1).
rewrite /bracket.
have ->: matrix_of (fun e => mirror (v e)) T = matrix_of v T *m diag_mx D.
  by apply/matrixP => i j; rewrite mul_mx_diag !mxE mulrC.
rewrite det_mulmx det_diag big_ord_recl !mxE eqxx big1 ?mulr1 ?mulrN1 // => j _.
by rewrite mxE.
Qed.

Lemma realizes_mirror w v : realizes w v ->
  realizes (fun c => mirror (w c)) (fun e => mirror (v e)).
Proof.
case=> cfg gen; split=> [c e|T sub]; first by rewrite dot_mirror; apply: cfg.
by rewrite bracket_mirror oppr_eq0 gen.
Qed.

Lemma orientation_mirror v i U : general N v -> get sets i = Some U ->
  orientation sets (fun e => mirror (v e)) i = ~~ orientation sets v i.
Proof.
move=> gen E; rewrite /orientation E bracket_mirror oppr_gt0.
by have := gen _ (sets_ok E); case: ltgtP.
Qed.

(** ** Lemma 11 *)

Section Automorphism.

Variable g : automorphism.
Hypothesis ok : check_automorphism A N sets order g.

Let p i := nth 0%N (permutation g) i.
Let f i := nth false (flips g) i.

Definition moved (v : nat -> 'rV[F]_r) (i : nat) : 'rV[F]_r :=
  if (i < N)%N then (-1) ^+ f i *: v (p i) else 0.

Lemma permutation_ok : [/\ size (permutation g) = N, uniq (permutation g)
  & forall i, (i < N)%N -> (p i < N)%N].
Proof.
case/andP: ok => /andP [/andP [/andP []]]; rewrite eqbP_nat -[length _]/(size _) => /eqP sz /distinctP u lt _ _.
split=> // i lti; move: lt; rewrite forallbE => /allP /(_ (p i)) h.
by apply/ssrnat.ltP/PeanoNat.Nat.ltb_spec0/h; rewrite /p mem_nth ?sz.
Qed.

Lemma bracket_moved v T : is_subset r N T ->
  bracket (moved v) T = (-1) ^+ flip_of g T * bracket v (map p T).
Proof.
case/and3P => /eqP sT uT ltT.
pose D : 'rV[F]_r := \row_i (-1) ^+ f (nth 0%N T i).
rewrite /bracket.
have ->: matrix_of (moved v) T = diag_mx D *m matrix_of v (map p T).
  apply/matrixP => i j; rewrite mul_diag_mx !mxE /moved (nth_map 0%N) ?sT //.
  by rewrite (allP ltT) ?mem_nth ?sT // mxE.
rewrite det_mulmx det_diag; congr (_ * _).
transitivity (\prod_(i <- T) (-1) ^+ f i : F).
  rewrite (big_nth 0%N) sT big_mkord; apply: eq_bigr => i _; by rewrite mxE.
elim: (T) => [|x U IH]; first by rewrite big_nil.
rewrite big_cons IH -signr_addb; congr (_ ^+ nat_of_bool _).
rewrite /f -nthE -[flip_of g (x :: U)]/(xorb (List.nth x (flips g) false) (flip_of g U)).
by case: (List.nth _ _ _); case: (flip_of g U).
Qed.

Lemma subset_moved T : is_subset r N T -> is_subset r N (map p T).
Proof.
have [sz u lt] := permutation_ok.
case/and3P => sT uT ltT; rewrite /is_subset size_map sT /=.
rewrite map_inj_in_uniq ?uT => [|x y xin yin].
  by apply/allP => y /mapP [x xin ->]; apply/lt/(allP ltT).
by move/eqP; rewrite nth_uniq ?sz ?(allP ltT) // => /eqP.
Qed.

Lemma realizes_moved w v : realizes w v -> exists w', realizes w' (moved v).
Proof.
case=> cfg gen; have [sz u lt] := permutation_ok.
have maps: maps_covectors A g by case/andP: ok => /andP [].
pose q c := nth 0%N (preimages g) c.
pose flip c := ~~ maps_covector g false (nth [::] A (q c)) (nth [::] A c).
exists (fun c => (-1) ^+ flip c *: w (q c)); split; last first.
  move=> T sub; rewrite bracket_moved // mulf_neq0 ?signr_eq0 //.
  exact/gen/subset_moved.
move=> c e; case: (ltnP e N) => lte; last by rewrite unspecified.
case: (entry_at A c e =P Any) => [-> //|/specified /andP [ltc ltsz]].
rewrite /moved lte dotZl dotZr.
have: maps_covector g (flip c) (nth [::] A (q c)) (nth [::] A c).
  move: maps; rewrite /maps_covectors forallbE seqE => /allP /(_ c).
  rewrite mem_iota /= add0n => /(_ ltc); rewrite !nthE /flip -/(q c).
  by case E: (maps_covector g false _ _) => //= _; rewrite E.
rewrite /maps_covector forallbE seqE => /allP /(_ e); rewrite mem_iota /= add0n => /(_ ltsz).
have := cfg (q c) (p e); rewrite /entry_at !nthE -/(f e) -/(p e) mulrA -signr_addb.
case: (nth _ (nth _ A c) e); case: (nth _ (nth _ A (q c)) (p e)) => //= sgn; rewrite /matches xorbE.
- by move/negbTE ->; rewrite expr0 mul1r.
- by move=> ->; rewrite expr1 mulN1r oppr_gt0.
- by move=> ->; rewrite expr1 mulN1r oppr_lt0.
- by move/negbTE ->; rewrite expr0 mul1r.
Qed.

Lemma images_moved v l m : general N v -> is_image sets g l m ->
  true_in (orientation sets (moved v)) l = true_in (orientation sets v) m.
Proof.
move=> gen; rewrite /is_image /true_in /orientation.
case El: (get sets l.2) => [T|//]; case Em: (get sets m.2) => [U|//].
have subT := sets_ok El; rewrite bracket_moved // mapE.
have ->: [seq List.nth i (permutation g) 0%N | i <- T] = map p T.
  by apply: eq_map => i; rewrite nthE.
have := @bracket_sort F r v (map p T).
case: sort => o T' brT /andP [/same_listP /= TU /Bool.eqb_prop ->]; subst U.
rewrite brT /= ?size_map; last by case/and3P: subT => /eqP.
rewrite mulrA -signr_addb; have := gen _ (sets_ok Em).
rewrite !xorbE; case: l.1; case: (o); case: (flip_of g T); rewrite /= ?expr0 ?expr1 ?mul1r ?mulN1r ?oppr_gt0;
  by case: ltgtP.
Qed.

End Automorphism.

(** A clause that compares the order with its images holds in the best realization. *)
Lemma comparesP (x y : positive -> bool) ms C : compares order ms C ->
  (forall k, (k < size ms)%N -> (k < size order)%N ->
     true_in y (nth no_literal order k) = true_in x (nth no_literal ms k)) ->
  ~~ holds x C ->
  better [seq true_in y l | l <- order] [seq true_in x l | l <- order].
Proof.
move=> cmp same nC; elim: order ms cmp same => [|l o IH] [|m ms] //= cmp same.
have step: compares o ms C ->
    better [seq true_in y l | l <- o] [seq true_in x l | l <- o].
  by move=> h; apply: (IH ms) => // k lt lt'; apply: (same k.+1).
have := same 0%N isT isT; rewrite /= => ->.
have notin t : contains C t -> ~~ true_in x t by move=> h; apply: contra nC; apply: containsP.
case: same_literalP cmp => [<-|ne] /= cmp; first by rewrite eqxx step ?orbT.
case/orP: cmp => [/andP [/notin nl /notin]|/andP [has /step ->]].
  by rewrite true_in_opposite negbK nl => ->.
rewrite andbT; case/orP: has => /notin; last rewrite true_in_opposite negbK.
  by move/negbTE ->; case: true_in.
by move=> ->; case: true_in.
Qed.

Variable automorphisms : seq automorphism.
Hypothesis automorphisms_ok : forall g, List.In g automorphisms ->
  check_automorphism A N sets order g.

Lemma all_imagesP g ms : all_images sets g order ms ->
  (size ms = size order) /\ forall k, (k < size order)%N ->
  is_image sets g (nth no_literal order k) (nth no_literal ms k).
Proof.
elim: order ms => [|l o IH] [|m ms] //= /andP [im /IH [-> h]].
by split=> // [[|k]] //= lt; apply: h.
Qed.

Section Best.

Variables w v : nat -> 'rV[F]_r.
Hypothesis real : realizes w v.
Hypothesis best : forall w' v', realizes w' v' -> ~~ better (truths v') (truths v).

Let x := orientation sets v.

Lemma justifiedP clauses C why : all_hold x clauses ->
  justified A r sets order automorphisms clauses C why -> holds x C.
Proof.
have [cfg gen] := real; move=> hold; case: why => [c I|R|qs||i mirrored|hints] /=.
- exact: (check_circuitP sets_ok cfg gen).
- exact: (check_relationP sets_ok gen).
- exact: (check_polynomialP sets_ok gen).
- case E: order => [|l o] //; case El: (get sets l.2) => [U|//] inC.
  apply: (containsP inC); have := best (realizes_mirror real).
  rewrite /truths E /= /true_in (orientation_mirror gen El).
  by rewrite -/(x _); case: (x l.2); case: l.1.
- case E: List.nth_error => [g|//] cmp; have ok := automorphisms_ok (List.nth_error_In _ _ E).
  have ims: all_images sets g order (images g) by case/andP: ok.
  have [sz im] := all_imagesP ims.
  have [w' real'] := realizes_moved ok real; have [_ gen'] := real'.
  case: (boolP (holds x C)) => // nC; exfalso.
  case: mirrored cmp => cmp.
    case/negP: (best (realizes_mirror real')).
    apply: (comparesP cmp _ nC) => k; rewrite mapE size_map sz => lt _.
    rewrite (nth_map no_literal) ?sz // true_in_opposite -(images_moved gen (im k lt)).
    have := im k lt; rewrite /is_image.
    case El: (get sets (nth no_literal order k).2) => [T|//] _.
    by rewrite /true_in (orientation_mirror gen' El); case: orientation; case: (nth _ _ _).1.
  case/negP: (best real').
  apply: (comparesP cmp _ nC) => k; rewrite sz => lt _.
  exact: images_moved gen (im k lt).
- exact: followsP.
Qed.

Lemma refutesP clauses next steps : all_hold x clauses ->
  refutes A r sets order automorphisms clauses next steps -> False.
Proof.
elim: steps clauses next => // [[C why] steps] IH clauses next hold /=.
case: ifP => // /(justifiedP hold) hC; case: C hC => // l C hC.
by apply: IH; apply: all_hold_set.
Qed.

End Best.

Lemma refuted steps : refutes A r sets order automorphisms Leaf xH steps ->
  forall w v, ~ realizes w v.
Proof.
move=> ref w v real.
apply: (@best_exists (size order) (fun t => exists w v, realizes w v /\ truths v = t)).
  by exists (truths v); split; [rewrite size_map | exists w, v].
case=> t [[w' [v' [real' <-]]] best].
apply: (refutesP real' _ _ ref) => [w'' v'' real''|i C].
  by apply: best; [rewrite size_map | exists w'', v''].
by rewrite get_leaf.
Qed.

End Refutations.

Theorem check_chirotope_sound (F : realFieldType) S d side rows columns listed order autos steps :
  check_chirotope S d side rows columns listed order autos steps = true ->
  ~ representable F d S.
Proof.
rewrite /check_chirotope; set A := core _ _ _ _; set N := match A with _ :: _ => _ | _ => _ end.
case/andP => short; case E: number_sets => [sets|//] /andP [/List.forallb_forall autos_ok ref] rep.
have [w [v cfg]] := config_of_representable side rows columns rep.
have [v' [cfg' gen]] := general_position N cfg.
have ok := number_setsP (_ : forall i U, get Leaf i = Some U -> is_subset d.+1 N U) E.
apply: (@refuted F d A N sets _ _ order autos _ steps ref w v') => //.
- move=> c; case: (ltnP c (size A)) => lt; last by rewrite nth_default.
  move: short; rewrite forallbE => /allP /(_ _ (mem_nth [::] lt)).
  by move/PeanoNat.Nat.leb_spec0/ssrnat.leP.
- by apply: ok => i U; rewrite get_leaf.
Qed.
