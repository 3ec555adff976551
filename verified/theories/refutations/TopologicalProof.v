(** The parity of the sign patterns that are circuits does not depend on the vectors. *)

From mathcomp Require Import all_ssreflect all_algebra.
From Samapprox Require Import Patterns Statement Configurations BracketsProof OrientationsProof.
From Samapprox Require Import Refutations RefutationsProof MatchesProof Topological.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.

Lemma same_signsP P Q : same_signs P Q -> P = Q.
Proof.
elim: P Q => [|[e s] P IH] [|[f t] Q] //= /andP [/andP [ef st] /IH ->].
by rewrite eqbP_nat in ef; rewrite (eqP ef) (Bool.eqb_prop _ _ st).
Qed.

(** What occurs in pairs does not count. *)
Lemma in_pairs_even (f : signs -> bool) L : in_pairs L -> \big[addb/false]_(P <- L) f P = false.
Proof.
have [n] := ubnP (size L); elim: n L => // n IH [|P [|Q L]] //= lt; first by rewrite big_nil.
case/andP => /same_signsP -> pairs; rewrite !big_cons addbA addbb addFb IH //.
by rewrite ltnS in lt; apply: ltn_trans lt.
Qed.

(** ** Signs of polynomials *)

Section Moments.

Variable F : realFieldType.

Fixpoint changes (c : bool) (cs : seq bool) : nat :=
  if cs is c' :: cs then ((c != c') + changes c' cs)%N else 0%N.

Fixpoint alternating (c : bool) (cs : seq bool) : bool :=
  if cs is c' :: cs then (c != c') && alternating c' cs else true.

Lemma few_changes c cs : (changes c cs <= size cs)%N /\
  (~~ alternating c cs -> (changes c cs < size cs)%N).
Proof.
elim: cs c => //= c' cs IH c; have [le lt] := IH c'; split.
  by case: (c != c'); rewrite ?add0n ?add1n ?ltnS // ltnW.
by case: (c != c') => //= na; rewrite ?add0n ?add1n ltnS // lt.
Qed.

(** A polynomial that changes its sign where the signs change. *)
Lemma separating n c (P : signs) : path ltn n (unzip1 P) ->
  exists (p : {poly F}) s, (size p <= (changes c (unzip2 P)).+1)%N /\
    (forall y, y <= n%:R -> has_sign (c (+) s) p.[y]) /\
    all (fun q : nat * bool => has_sign (q.2 (+) s) p.[q.1%:R]) P.
Proof.
elim: P n c => [|[n1 c1] P IH] n c /=.
  move=> _; exists 1, (~~ c); rewrite size_poly1; split=> //; split=> // y _.
  by rewrite hornerC addbN addbb /= ltr01.
case/andP => lt asc; have [p [s [sp [below ok]]]] := IH n1 c1 asc.
have lt' : n%:R < n1%:R :> F by rewrite ltr_nat.
case: (c =P c1) => [->|/eqP ne] /=.
  exists p, s; rewrite add0n; split=> //; split=> [y le|]; first by apply/below/(le_trans le)/ltW.
  by rewrite ok andbT below.
pose h : F := n%:R + 2%:R^-1; exists (p * ('X - h%:P)), s.
have half: (0 : F) < 2%:R^-1 by rewrite invr_gt0 ltr0n.
have half1: 2%:R^-1 < (1 : F) by rewrite invf_lt1 ?ltr0n // ltr1n.
have above m : (n < m)%N -> 0 < m%:R - h.
  move=> lm; rewrite subr_gt0 /h; apply: lt_le_trans (_ : n.+1%:R <= _); last by rewrite ler_nat.
  by rewrite -[n.+1]addn1 natrD ltr_add2l.
have keep m b : (n < m)%N -> has_sign b p.[m%:R] -> has_sign b (p * ('X - h%:P)).[m%:R].
  by move=> lm; rewrite hornerM hornerXsubC has_sign_scale ?above.
split; last split.
- apply: leq_trans (size_mul_leq _ _) _; rewrite size_XsubC addn2 /= ltnS.
  by move: ne; case: (c); case: (c1) sp.
- move=> y le; have neg: y - h < 0.
    by rewrite subr_lt0 (le_lt_trans le) // /h ltr_addl.
  rewrite hornerM hornerXsubC has_sign_scale_opp // -addNb.
  have ->: ~~ c = c1 by move: ne; case: (c); case: (c1).
  by apply/below/(le_trans le)/ltW.
- rewrite keep //=; last by apply: below.
  apply/allP => q qin; apply: keep; last exact: (allP ok q qin).
  have := order_path_min ltn_trans asc; move/allP/(_ q.1 (map_f fst qin)).
  exact: ltn_trans.
Qed.

Lemma has_sign_big s (f : nat * bool -> F) (P : signs) : P != [::] ->
  all (fun q => has_sign s (f q)) P -> \sum_(q <- P) f q != 0.
Proof.
move=> ne h; suff: has_sign s (\sum_(q <- P) f q) by apply: has_signN0.
elim: P ne h => // q [|q' P] IH _ /= /andP [hq h]; first by rewrite big_seq1.
rewrite big_cons; have := IH isT h.
by case: (s) hq => /= h1 h2; [rewrite addr_gt0 | rewrite -oppr_gt0 opprD addr_gt0 ?oppr_gt0].
Qed.

(** A dependence of vectors of moments alternates. *)
Lemma moments_alternate r (P : signs) (l : nat -> F) n c : size P = r ->
  path ltn n (unzip1 P) ->
  \sum_(q <- (n, c) :: P) l q.1 *: moment F r q.1 = 0 ->
  has_signs ((n, c) :: P) l -> alternating c (unzip2 P).
Proof.
move=> sP asc dep signs; case: (boolP (alternating _ _)) => // na; exfalso.
have [_ /(_ na)] := few_changes c (unzip2 P); rewrite size_map sP => lt.
have [p [s [sp [below ok]]]] := separating c asc.
have le: (size p <= r)%N := leq_trans sp lt.
have eval m : p.[m%:R] = dot (\row_(j < r) p`_j) (moment F r m).
  by rewrite (horner_coef_wide _ le); apply: eq_bigr => j _; rewrite !mxE.
have: \sum_(q <- (n, c) :: P) l q.1 * p.[q.1%:R] = 0.
  transitivity (dot (\row_(j < r) p`_j) (\sum_(q <- (n, c) :: P) l q.1 *: moment F r q.1)).
    by rewrite dot_sumr; apply: eq_bigr => q _; rewrite dotZr eval.
  by rewrite dep dot0r.
apply/eqP; apply: (@has_sign_big (~~ s)) => //.
apply/allP => q qin; have h1 := allP signs q qin.
have h2: has_sign (q.2 (+) s) p.[q.1%:R].
  by move: qin; rewrite inE => /orP [/eqP -> /=|/(allP ok)//]; apply: below.
have := has_sign_mul h1 h2; by case: q.2; case: (s).
Qed.

Lemma alternating_unique c cs c' cs' : size cs = size cs' -> alternating c cs -> alternating c' cs' ->
  c :: cs = c' :: cs' \/ c :: cs = map negb (c' :: cs').
Proof.
elim: cs c c' cs' => [|b cs IH] c c' [|b' cs'] //=.
  by move=> _ _ _; case: (c); case: (c'); [left | right | right | left].
case=> sz /andP [ne alt] /andP [ne' alt']; have [[E1 E2]|[E1 E2]] := IH b b' cs' sz alt alt'.
  by left; rewrite -E1 in ne' *; rewrite -E2; congr (_ :: _); move: ne ne'; case: (c); case: (c'); case: (b).
right; congr (_ :: _); last by rewrite E1 -E2.
by move: ne ne'; rewrite E1; case: (c); case: (c'); case: (b').
Qed.

Lemma alternatesE n c P : alternates ((n, c) :: P) = alternating c (unzip2 P).
Proof. by elim: P n c => //= [[m b] P] IH n c; rewrite IH; case: (c); case: (b). Qed.

End Moments.

(** ** One element after the other moves to the moment curve *)

Lemma facesE P : faces P = [seq without P t | t <- iota 0 (size P)].
Proof.
elim: P => //= p P IH; rewrite {1}/without /= drop0; congr (_ :: _).
rewrite mapE IH -map_comp (iotaDl 1 0) -map_comp; exact: eq_map.
Qed.

Lemma map_without T U (f : T -> U) P t : map f (without P t) = without (map f P) t.
Proof. by rewrite /without map_cat map_take map_drop. Qed.

Lemma big_addb_split I (s : seq I) (f g : I -> bool) :
  \big[addb/false]_(i <- s) (f i (+) g i) =
  \big[addb/false]_(i <- s) f i (+) \big[addb/false]_(i <- s) g i.
Proof. exact: big_split. Qed.

Section Motion.

Variable F : realFieldType.
Variables r N : nat.
Variable V : nat -> 'rV[F]_r.
Hypothesis gen : general (N + N) V.

(** Elements below [k] have moved: they are [N] places further. *)
Definition place k e : nat := if (e < k)%N then (N + e)%N else e.
Definition moved_signs k (P : signs) : signs := [seq (place k p.1, p.2) | p <- P].
Definition counts k (P : signs) : bool := matches V (moved_signs k P).

(** The face with [k] before and after it moves, both with the sign of [k]. *)
Definition sign_in k (P : signs) : bool := (nth (0%N, false) P (index k (unzip1 P))).2.
Definition doubled k (P : signs) : signs := rcons (moved_signs k P) ((N + k)%N, sign_in k P).
Definition face_counts k (P : signs) : bool := (k \in unzip1 P) && matches V (doubled k P).

Definition fine (P : signs) : bool :=
  [&& size P == r.+1, uniq (unzip1 P) & all (fun e => e < N)%N (unzip1 P)].

Lemma place_inj k : {in [pred e | e < N]%N &, injective (place k)}.
Proof.
move=> e f; rewrite !inE /place => le lf; case: ltnP => e1; case: ltnP => f1 //.
- exact: addnI.
- by move=> E; move: lf; rewrite -E ltnNge leq_addr.
- by move=> E; move: le; rewrite E ltnNge leq_addr.
Qed.

Lemma unzip1_moved k P : unzip1 (moved_signs k P) = map (place k) (unzip1 P).
Proof. by rewrite /unzip1 -!map_comp. Qed.

Lemma place_lt k e : (e < N)%N -> (place k e < N + N)%N.
Proof. by rewrite /place; case: ifP => _ lt; rewrite ?ltn_add2l // (leq_trans lt) // leq_addr. Qed.

Lemma proper_moved k P : fine P -> proper (N + N) (unzip1 (moved_signs k P)).
Proof.
case/and3P => _ u lt; rewrite unzip1_moved /proper map_inj_in_uniq ?u //=.
  by apply/allP => x /mapP [e ein ->]; apply/place_lt/(allP lt).
by move=> e f ein fin; apply: place_inj; [apply: (allP lt) | apply: (allP lt)].
Qed.

Lemma face_counts_normal k P : face_counts k (normal P) = face_counts k P.
Proof.
have flip Q : face_counts k (complement Q) = face_counts k Q.
  rewrite /face_counts unzip1_complement; case: (boolP (k \in unzip1 Q)) => //= kin.
  have lt: (index k (unzip1 Q) < size Q)%N by rewrite -(size_map fst) index_mem.
  rewrite -(matches_complement V (doubled k Q)); congr (matches _ _).
  rewrite /doubled /complement map_rcons; congr rcons.
    by rewrite /moved_signs -!map_comp.
  rewrite /sign_in -/(complement Q) unzip1_complement.
  by rewrite (nth_map (0%N, false)).
case: P => [|[e s] P] //; case: s => //.
by rewrite -[RHS]flip; congr (face_counts _ _); rewrite /= mapE.
Qed.

Lemma counts_step k P : (k < N)%N -> fine P ->
  (counts k P (+) counts k.+1 P) (+) \big[addb/false]_(f <- faces P) face_counts k f = false.
Proof.
move=> ltk fP; have /and3P [/eqP sP uP ltP] := fP.
have -> : \big[addb/false]_(f <- faces P) face_counts k f =
    \big[addb/false]_(t < r.+1) face_counts k (without P t).
  by rewrite facesE big_map sP -(big_mkord xpredT (fun t => face_counts k (without P t))) /index_iota subn0.
case: (boolP (k \in unzip1 P)) => kin; last first.
  have -> : counts k.+1 P = counts k P.
    rewrite /counts; congr (matches _ _); apply/eq_in_map => p pin; rewrite /place ltnS leq_eqVlt.
    by case: eqP => // E; case/negP: kin; rewrite -E map_f.
  rewrite addbb addFb big1 // => t _; rewrite /face_counts; apply/negbTE; rewrite negb_and.
  apply/orP; left; apply: contra kin; rewrite /unzip1 map_without mem_cat.
  by case/orP => [/mem_take|/mem_drop].
pose Q := doubled k P.
have sQ: size Q = r.+2 by rewrite size_rcons size_map sP.
have pQ: proper (N + N) (unzip1 Q).
  have /andP [u lt] := proper_moved k fP.
  rewrite /proper /Q /doubled /unzip1 map_rcons rcons_uniq -/(unzip1 _) u andbT all_rcons lt andbT.
  rewrite ltn_add2l ltk andbT unzip1_moved; apply/negP => /mapP [e ein]; rewrite /place.
  have lte := allP ltP e ein.
  by case: ifP => [lek /addnI E|_ E]; [rewrite E ltnn in lek | rewrite -E ltnNge leq_addr in lte].
have := evenly_many_match gen sQ pQ; rewrite big_ord_recr /=.
have -> : matches V (without Q r.+1) = counts k P.
  rewrite /counts; congr (matches _ _); rewrite /without /Q /doubled -cats1.
  by rewrite take_size_cat ?size_map // drop_oversize ?cats0 // size_cat size_map sP addn1.
pose p := index k (unzip1 P).
have ltp: (p < r.+1)%N by rewrite -sP -(size_map fst) index_mem.
pose o := Ordinal ltp.
have atp: nth (0%N, false) P p = (k, sign_in k P).
  rewrite /sign_in -/p [LHS]surjective_pairing; congr pair.
  by rewrite -(nth_map _ 0%N) ?sP // nth_index.
have wQ (t : 'I_r.+1) : without Q t = rcons (moved_signs k (without P t)) ((N + k)%N, sign_in k P).
  rewrite /moved_signs map_without -/(moved_signs k P) /Q /doubled /without -!cats1.
  have lt: (t < size (moved_signs k P))%N by rewrite size_map sP.
  rewrite take_cat lt drop_cat size_map sP.
  case: ltnP => le; first by rewrite catA.
  have E: t.+1 = r.+1 by apply/eqP; rewrite eqn_leq le ltn_ord.
  by rewrite E subnn drop0 (drop_oversize (n := r.+1)) ?size_map ?sP // cats0.
have at_p : matches V (without Q o) = counts k.+1 P.
  have [sW pW] := without_ok sQ pQ (inord p).
  have oE: nat_of_ord (inord p : 'I_r.+2) = p by rewrite inordK // ltnS ltnW.
  rewrite oE in sW pW.
  apply: (matches_perm gen sW pW); rewrite (wQ o) /= /without.
  rewrite -cats1 /moved_signs map_cat.
  have -> : [seq (place k.+1 i.1, i.2) | i <- P] =
      [seq (place k q.1, q.2) | q <- take p P] ++ ((N + k)%N, sign_in k P)
      :: [seq (place k q.1, q.2) | q <- drop p.+1 P].
    rewrite -{1}(cat_take_drop p P) (drop_nth (0%N, false)) ?sP // map_cat /= atp /=.
    have same q : q.1 != k -> (place k.+1 q.1, q.2) = (place k q.1, q.2 : bool).
      by move=> ne; rewrite /place ltnS leq_eqVlt (negbTE ne).
    have uniq_at: uniq (unzip1 (take p P) ++ k :: unzip1 (drop p.+1 P)).
      move: uP; rewrite -{1}(cat_take_drop p P) (drop_nth (0%N, false)) ?sP // /unzip1 map_cat /=.
      by rewrite atp.
    move: uniq_at; rewrite uniq_catC /= mem_cat negb_or => /andP [/andP [k2 k1] _].
    congr (_ ++ _ :: _); last 1 first.
    - apply/eq_in_map => q qin; apply: same; apply: contraNneq k2 => <-; exact: map_f.
    - apply/eq_in_map => q qin; apply: same; apply: contraNneq k1 => <-; exact: map_f.
    by rewrite /place ltnSn.
  by rewrite -catA perm_cat2l cats1 perm_rcons.
have each (t : 'I_r.+1) : matches V (without Q t) =
    face_counts k (without P t) (+) ((t == o) && counts k.+1 P).
  have kW: (k \in unzip1 (without P t)) = (t != o).
    have pm: perm_eq (unzip1 P) ((nth (0%N, false) P t).1 :: unzip1 (without P t)).
      apply: (perm_map fst (_ : perm_eq P (nth (0%N, false) P t :: without P t))).
      rewrite -{1}(cat_take_drop t P) (drop_nth (0%N, false)) ?sP //.
      by rewrite -(cat1s (nth _ _ _)) perm_catCA /= perm_refl.
    have := perm_mem pm k; rewrite kin inE => /esym.
    have tk: (k == (nth (0%N, false) P t).1) = (t == o).
      rewrite -(nth_map _ 0%N) ?sP // -val_eqE /= /p eq_sym.
      apply/eqP/eqP => [<-|->]; last by rewrite nth_index.
      by rewrite index_uniq // size_map sP.
    rewrite tk; case: (boolP (t == o)) => //= to _.
    have := perm_uniq pm; rewrite uP /= => /esym/andP [nin _]; apply/negbTE.
    by move: tk; rewrite to => /eqP ->.
  case: (boolP (t == o)) kW => [/eqP -> kW|ne kW]; rewrite /face_counts kW /=; first exact: at_p.
  rewrite addbF wQ; congr (matches _ (rcons _ (_, _))).
  have lt: (index k (unzip1 (without P t)) < size (without P t))%N by rewrite -(size_map fst) index_mem kW.
  have inP: nth (0%N, false) (without P t) (index k (unzip1 (without P t))) \in P.
    have := mem_nth (0%N, false) lt; rewrite {2}/without mem_cat => /orP [/mem_take|/mem_drop] //.
  have fstk: (nth (0%N, false) (without P t) (index k (unzip1 (without P t)))).1 = k.
    by rewrite -(nth_map _ 0%N) // nth_index // kW.
  rewrite /sign_in; set x := nth _ (without P t) _ in inP fstk *.
  have [i lti xE] := nthP (0%N, false) inP.
  rewrite -xE in fstk *; congr (nth _ _ _).2; rewrite -fstk.
  by rewrite -(nth_map _ 0%N) // index_uniq ?size_map.
rewrite (eq_bigr _ (fun t _ => each t)) big_split /=.
have -> : \big[addb/false]_(t < r.+1) ((t == o) && counts k.+1 P) = counts k.+1 P.
  by rewrite (bigD1 o) //= eqxx big1 ?addbF // => t ne; rewrite (negbTE ne).
by case: (\big[addb/false]_(t < r.+1) _); case: (counts k P); case: (counts k.+1 P).
Qed.

Variable Ps : seq signs.
Hypothesis all_fine : all fine Ps.
Hypothesis pairs : forall f : signs -> bool, (forall P, f (normal P) = f P) ->
  \big[addb/false]_(P <- flatten (map faces Ps)) f P = false.

Lemma counts_constant k : (k <= N)%N ->
  \big[addb/false]_(P <- Ps) counts k P = \big[addb/false]_(P <- Ps) counts 0 P.
Proof.
elim: k => // k IH lt; rewrite -IH ?(ltnW lt) //.
have := pairs (face_counts_normal k); rewrite big_flatten big_map /= => zero.
have: \big[addb/false]_(P <- Ps) ((counts k P (+) counts k.+1 P) (+)
    \big[addb/false]_(f <- faces P) face_counts k f) = false.
  by rewrite big1_seq // => P /andP [_ Pin]; apply: counts_step => //; apply: (allP all_fine).
rewrite !big_addb_split zero addbF.
by case: (\big[addb/false]_(P <- Ps) counts k P); case: (\big[addb/false]_(P <- Ps) _).
Qed.

End Motion.

(** ** The theorem *)

Lemma signs_atP row elements P : signs_at row elements = Some P ->
  all (fun p : nat * bool => nth Any row p.1 == if p.2 then One else Zero) P.
Proof.
elim: elements P => [|e es IH] P /=; first by case=> <-.
rewrite nthE; case E: (nth Any row e) => //; case: signs_at IH => // Q IH [<-] /=;
  by rewrite E eqxx IH.
Qed.

Lemma signs_of_membersP A members Ps P : signs_of_members A members = Some Ps -> P \in Ps ->
  exists c, all (fun p : nat * bool => entry_at A c p.1 == if p.2 then One else Zero) P.
Proof.
elim: members Ps => [|[c es] members IH] Ps /=; first by case=> <-.
case E: signs_at => [Q|//]; case: signs_of_members IH => // Qs IH [<-].
rewrite inE => /orP [/eqP ->|]; last exact: IH.
exists c; have := signs_atP E; rewrite /entry_at nthE; apply: sub_all => p; by rewrite nthE.
Qed.

Lemma ascending_path n L : ascending (n :: L) -> path ltn n L.
Proof.
elim: L n => // m L IH n /= /andP [/PeanoNat.Nat.ltb_spec0/ssrnat.ltP -> h]; exact: IH.
Qed.

Section Members.

Variable F : realFieldType.
Variables r M : nat.
Variable V : nat -> 'rV[F]_r.
Hypothesis gen : general M V.

(** The signs of a covector are not those of a dependence. *)
Lemma no_match A (w : nat -> 'rV[F]_r) c P : config A w V -> size P = r.+1 ->
  proper M (unzip1 P) ->
  all (fun p : nat * bool => entry_at A c p.1 == if p.2 then One else Zero) P ->
  matches V P = false.
Proof.
move=> cfg sP pP signs; have sL: size (unzip1 P) = r.+1 by rewrite size_map.
have [dep _] := dependence_ok gen sL pP.
have dots p : p \in P -> has_sign p.2 (dot (w c) (V p.1)).
  move=> pin; have := cfg c p.1; rewrite (eqP (allP signs p pin)).
  by case: p.2.
have sum0: \sum_(p <- P) dependence V (unzip1 P) p.1 * dot (w c) (V p.1) = 0.
  transitivity (dot (w c) (\sum_(e <- unzip1 P) dependence V (unzip1 P) e *: V e)).
    by rewrite dot_sumr big_map; apply: eq_bigr => p _; rewrite dotZr.
  by rewrite (dep : \sum_(e <- _) _ = 0) dot0r.
have neP: P != [::] by case: (P) sP.
apply/negbTE/negP; rewrite /matches => /orP [] h.
  have: \sum_(p <- P) dependence V (unzip1 P) p.1 * dot (w c) (V p.1) != 0.
    apply: (@has_sign_big F true) => //; apply/allP => p pin.
    by have := has_sign_mul (allP h p pin) (dots p pin); case: p.2.
  by rewrite sum0 eqxx.
have: \sum_(p <- P) dependence V (unzip1 P) p.1 * dot (w c) (V p.1) != 0.
  apply: (@has_sign_big F false) => //; apply/allP => p pin.
  by have := has_sign_mul (allP h p pin) (dots p pin); case: p.2.
by rewrite sum0 eqxx.
Qed.

Lemma alternating_negb c cs : alternating (~~ c) (map negb cs) = alternating c cs.
Proof. by elim: cs c => //= b cs IH c; rewrite IH; case: (c); case: (b). Qed.

Lemma signs_are (f : nat -> bool) (P : signs) : unzip2 P = map f (unzip1 P) ->
  forall p, p \in P -> p.2 = f p.1.
Proof.
elim: P => //= q P IH [E1 E2] p; rewrite inE => /orP [/eqP -> //|]; exact: IH.
Qed.

(** On the moment curve, matching patterns alternate. *)
Lemma moments_match x n c (P : signs) : x != 0 -> size P = r ->
  path ltn n (unzip1 P) -> proper M (n :: unzip1 P) ->
  (forall e, e \in n :: unzip1 P -> V e = x *: moment F r e) ->
  matches V ((n, c) :: P) = alternating c (unzip2 P).
Proof.
move=> x0 sP asc pP VE; set Q := (n, c) :: P.
have sL: size (unzip1 Q) = r.+1 by rewrite /= size_map sP.
have [dep nz] := dependence_ok gen sL (pP : proper M (unzip1 Q)).
set l := dependence V (unzip1 Q) in dep nz.
have dep_moments (R : signs) : unzip1 R = unzip1 Q -> \sum_(q <- R) l q.1 *: moment F r q.1 = 0.
  move=> RQ; apply: (scalerI x0); rewrite scaler0 -[RHS](dep : \sum_(e <- _) _ = 0) scaler_sumr -RQ big_map.
  apply: eq_big_seq => q qin; rewrite (VE q.1) ?scalerA ?[x * _]mulrC //.
  by rewrite -[_ :: _]/(unzip1 Q) -RQ map_f.
have alt c' cs : size cs = r -> has_signs ((n, c') :: zip (unzip1 P) cs) l -> alternating c' cs.
  move=> scs hs; have szz: size (zip (unzip1 P) cs) = r by rewrite size_zip size_map sP scs minnn.
  have u1: unzip1 (zip (unzip1 P) cs) = unzip1 P by rewrite unzip1_zip // size_map sP scs.
  have u2: unzip2 (zip (unzip1 P) cs) = cs by rewrite unzip2_zip // size_map sP scs.
  have := @moments_alternate F r (zip (unzip1 P) cs) l n c' szz; rewrite u1 u2; apply=> //.
  by apply: dep_moments; rewrite /= u1.
have zipP : zip (unzip1 P) (unzip2 P) = P by rewrite zip_unzip.
apply/idP/idP; rewrite /matches -/l.
  case/orP => h; first by apply: alt; rewrite ?size_map // zipP.
  rewrite -alternating_negb; apply: alt; first by rewrite !size_map.
  move: h; rewrite /has_signs /has_opposite_signs /= => /andP [-> h] /=.
  move: h; rewrite -{1}zipP; elim: (P) => //= q P' IH /andP [-> /IH ->] //.
move=> altc; pose f e := 0 < l e.
have real: has_signs ((n, f n) :: zip (unzip1 P) (map f (unzip1 P))) l.
  have hs e : e \in unzip1 Q -> has_sign (f e) (l e).
    by move/nz; rewrite /f; case: ltgtP.
  rewrite /has_signs /= hs ?mem_head //=; apply/allP => q qin.
  have [e ein ->] : exists2 e, e \in unzip1 P & q = (e, f e).
    move: qin; elim: (unzip1 P) => //= e s IH; rewrite inE => /orP [/eqP ->|/IH [e' e'in ->]].
      by exists e => //; rewrite mem_head.
    by exists e' => //; rewrite inE e'in orbT.
  by apply: hs; rewrite inE ein orbT.
have altf := alt _ _ (_ : size (map f (unzip1 P)) = r) real.
have sz : size (unzip2 P) = size (map f (unzip1 P)) by rewrite !size_map.
have := alternating_unique sz altc (altf _); rewrite !size_map => /(_ sP) [E|E].
  have same := signs_are (E : unzip2 Q = map f (unzip1 Q)).
  apply/orP; left; apply/allP => p pin; rewrite (same p pin).
  by have := nz _ (map_f fst pin); rewrite /f; case: ltgtP.
have same := @signs_are (fun e => ~~ f e) Q.
apply/orP; right; apply/allP => p pin; rewrite same //; last first.
  by transitivity (map negb (map f (unzip1 Q))); [exact: E | rewrite -map_comp].
by have := nz _ (map_f fst pin); rewrite negbK /f; case: ltgtP.
Qed.

End Members.

Theorem check_topological_sound (F : realFieldType) S d side rows columns members :
  check_topological S d side rows columns members = true -> ~ representable F d S.
Proof.
rewrite /check_topological; set A := core _ _ _ _; set N := match A with _ :: _ => _ | _ => _ end.
case/andP => short; case E: signs_of_members => [Ps|//] /andP [/andP []].
rewrite forallbE => each paired parity rep; pose r := d.+1.
have [w [v cfg]] := config_of_representable side rows columns rep.
have outside c e : (N <= e)%N -> entry_at A c e = Any.
  move=> le; rewrite /entry_at !nthE; case: (ltnP c (size A)) => lt; last first.
    by rewrite (nth_default [::]) // nth_nil.
  move: short; rewrite forallbE => /allP /(_ _ (mem_nth [::] lt)) /PeanoNat.Nat.leb_spec0/ssrnat.leP le'.
  by rewrite nth_default // (leq_trans le').
pose v2 e := if (e < N)%N then v e else 0.
have cfg2: config A w v2.
  move=> c e; rewrite /v2; case: ltnP => le; first exact: cfg.
  by rewrite outside.
have [x [x0 [cfgV gen]]] := moved_to_general_position (N + N) cfg2.
set V := (fun e : nat => _) in cfgV gen.
have all_fine: all (fine r N) Ps.
  apply: sub_all each => P /andP [/andP []]; rewrite eqbP_nat => sz /ascending_uniq.
  rewrite mapE => u lt; rewrite /fine sz u /=; move: lt; rewrite forallbE all_map.
  by apply: sub_all => p /PeanoNat.Nat.ltb_spec0/ssrnat.ltP.
have pairs f : (forall P, f (normal P) = f P) -> \big[addb/false]_(P <- flatten (map faces Ps)) f P = false.
  move=> fn; have -> : flatten (map faces Ps) = List.flat_map faces Ps.
    by elim: (Ps) => //= P Ps' ->.
  rewrite -[RHS](in_pairs_even f paired) (perm_big _ (permEl (perm_sort _ _))) /= mapE big_map.
  by apply: eq_bigr => P _; rewrite fn.
have := counts_constant gen all_fine pairs (leqnn N).
have -> : \big[addb/false]_(P <- Ps) counts N V 0 P = false.
  rewrite big1_seq // => P /andP [_ Pin].
  have /and3P [/eqP sP uP ltP] := allP all_fine P Pin.
  have [c signs] := signs_of_membersP E Pin.
  have -> : counts N V 0 P = matches V P.
    by rewrite /counts /moved_signs; congr (matches _ _); elim: (P) => //= [[e b] Q] ->.
  apply: (no_match gen cfgV sP _ signs); rewrite /proper uP /=.
  by apply: sub_all ltP => e lt; rewrite (leq_trans lt) // leq_addr.
have -> : \big[addb/false]_(P <- Ps) counts N V N P = \big[addb/false]_(P <- Ps) alternates P.
  apply: eq_big_seq => P Pin; have /and3P [/eqP sP uP ltP] := allP all_fine P Pin.
  have /andP [/andP [_ asc] _] := allP each P Pin.
  have := proper_moved N (allP all_fine P Pin).
  case: P sP ltP asc {Pin uP} => // [[n c] P] [sP] ltP asc.
  rewrite alternatesE /counts /= => pP.
  have placeE e : e \in n :: unzip1 P -> place N N e = (N + e)%N.
    by move/(allP ltP) => lt; rewrite /place lt.
  rewrite (@moments_match F r (N + N) V gen x) ?lt0r_neq0 ?size_map //.
  - by congr alternating; rewrite /unzip2 -map_comp.
  - rewrite unzip1_moved; have {asc} asc: path ltn n (unzip1 P).
      by apply: ascending_path; move: asc; rewrite mapE.
    have -> : [seq place N N i | i <- unzip1 P] = map (addn N) (unzip1 P).
      by apply/eq_in_map => e ein; rewrite placeE // inE ein orbT.
    rewrite placeE ?mem_head // path_map; apply: sub_path asc => a b /=.
    by rewrite ltn_add2l.
  - move=> e ein; have /mapP [a ain ->]: e \in map (place N N) (n :: unzip1 P).
      by move: ein; rewrite unzip1_moved.
    by rewrite /V /v2 placeE // ltnNge leq_addr /= add0r.
have -> : \big[addb/false]_(P <- Ps) alternates P =
    List.fold_right (fun P odd => xorb (alternates P) odd) false Ps.
  by elim: (Ps) => [|P Qs IH] /=; rewrite ?big_nil // big_cons IH xorbE.
by rewrite parity.
Qed.
