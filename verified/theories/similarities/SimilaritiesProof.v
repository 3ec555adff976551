(** Cosines and distances as dot products; keys on two points. *)

From mathcomp Require Import all_ssreflect all_algebra.
From Samapprox Require Import Patterns Statement Configurations Similarities DistinctProof.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.

Section Similarities.

Variable F : realFieldType.

Lemma dot_subl d (u u' v : 'rV[F]_d) : dot (u - u') v = dot u v - dot u' v.
Proof. by rewrite dotDl -scaleN1r dotZl mulN1r. Qed.

(** Squared distances. *)
Lemma distance d (u v : 'rV[F]_d) : dot (u - v) (u - v) = dot u u - (2%:R * dot u v - dot v v).
Proof.
rewrite dot_subl !(dotC _ (u - v)) !dot_subl (dotC v u) mulr_natl mulr2n.
by rewrite -[in RHS](addrA (dot u v)) [in RHS](opprD (dot u v)) [RHS]addrA.
Qed.

Lemma above (xs : seq F) : exists y, forall x, x \in xs -> x < y.
Proof.
elim: xs => [|x xs [y bound]]; first by exists 0.
exists (Num.max x y + 1) => x'; rewrite inE => /orP [/eqP ->|/bound lt].
  by rewrite ltr_spaddr ?ltr01 // le_maxr lexx.
by rewrite ltr_spaddr ?ltr01 // le_maxr (ltW lt) orbT.
Qed.

(** ** Entries *)

Lemma entry_at_submatrix S rows columns i j : entry_at (submatrix S rows columns) i j =
  if ((i < size rows) && (j < size columns))%N
  then entry_at S (nth 0%N rows i) (nth 0%N columns j) else Any.
Proof.
rewrite /entry_at /submatrix !nthE mapE; case: (ltnP i (size rows)) => lti /=; last first.
  by rewrite (nth_default [::]) ?size_map // nth_nil.
rewrite (nth_map 0%N) // nthE mapE; case: ltnP => ltj; last by rewrite nth_default ?size_map.
by rewrite (nth_map 0%N) // nthE.
Qed.

Lemma differP B a b : differ B a b ->
  exists i, separates B i a b.
Proof.
rewrite /differ /separates /entry_at; elim: B => //= row B IH /orP [sep|/IH [i sep]].
  by exists 0%N.
by exists i.+1.
Qed.

(** Equal keys have equal logits. *)
Lemma separated d S (q k : nat -> 'rV[F]_d) t i j j' :
  represents S q k t -> separates S i j j' -> k j != k j'.
Proof.
move=> rep sep; apply/eqP => E; move: sep; rewrite /separates.
have := rep i j; have := rep i j'; rewrite -E.
case: (entry_at S i j) => //; case: (entry_at S i j') => //= h h' _.
  by have := lt_le_trans h' h; rewrite ltxx.
by have := lt_le_trans h h'; rewrite ltxx.
Qed.

Lemma entry_at_extend e x n (B : pattern) i j : (forall row, row \in B -> size row = n) ->
  entry_at (extend e x n B) i j =
  if (i < size B)%N then
    if (j < n)%N then entry_at B i j else if x && (j == n) then Zero else Any
  else if (i - size B < n)%N then
    if (j < n)%N then
      if (i - size B == j)%N then One else if e || differ B (i - size B)%N j then Zero else Any
    else if x && (j == n) then Zero else Any
  else if x && (i - size B == n)%N then
    if (j < n)%N then Zero else if j == n then One else Any
  else Any.
Proof.
move=> wide; rewrite /entry_at /extend !nthE.
have tail (row : seq entry) : size row = n ->
    nth Any (if x then List.app row [:: Zero] else row) j =
    if (j < n)%N then nth Any row j else if x && (j == n) then Zero else Any.
  move=> sz; case: (x); last by case: ltnP => // le; rewrite nth_default ?sz.
  rewrite appE nth_cat sz; case: ltnP => //= le.
  rewrite eqn_leq le andbT -subn_eq0; case: (j - n)%N => // k; exact: nth_nil.
rewrite !mapE !appE nth_cat size_map; case: ltnP => lti.
  by rewrite (nth_map [::]) // tail // wide ?mem_nth.
rewrite nth_cat size_map seqE size_iota; case: ltnP => lti'.
  rewrite (nth_map 0%N) ?size_iota // nth_iota // add0n tail ?mapE ?size_map ?size_iota //.
  by case: ltnP => // ltj; rewrite (nth_map 0%N) ?size_iota // nth_iota // add0n.
case: (x); last by rewrite !nth_nil.
case E: (i - size B - n)%N => [|k] /=; last first.
  rewrite !nth_nil (_ : (i - size B == n)%N = false) //.
  by apply/eqP => E'; rewrite E' subnn in E.
have -> : (i - size B == n)%N by rewrite eqn_leq -subn_eq0 E lti'.
rewrite nth_cat repeatE size_nseq nth_nseq; case: ltnP => //= le.
rewrite eqn_leq le andbT -subn_eq0; case: (j - n)%N => // k; exact: nth_nil.
Qed.

Lemma wide_submatrix S rows columns row :
  row \in submatrix S rows columns -> size row = size columns.
Proof. by rewrite /submatrix mapE => /mapP [i _ ->]; rewrite mapE size_map. Qed.

(** ** Distinct columns *)

(** Where the columns are distinct, each of them is the only one of a row. *)
Lemma representable_extend_distinct d x n (B : pattern) (q k normal : nat -> 'rV[F]_d.+2) t :
  let N := (if x then n.+1 else n)%N in
  (forall row, row \in B -> size row = n) ->
  (forall i j, (i < size B)%N -> (j < N)%N ->
    agrees (if (j < n)%N then entry_at B i j else Zero) (dot (q i) (k j)) (t i)) ->
  (forall a, 0 < dot (normal a) (normal a)) ->
  (forall a b, (a < N)%N -> (b < N)%N ->
    k a = k b /\ normal a = normal b \/ dot (normal a) (k b) < dot (normal a) (k a)) ->
  representable F d.+2 (extend true x n B).
Proof.
move=> N wide rep n0 greatest.
have inN j : (j < N)%N = (j < n)%N || x && (j == n).
  by rewrite /N; case: (x); rewrite ?ltnS ?orbF // leq_eqVlt orbC.
pose S := [seq if x then row ++ [:: Zero] else row | row <- B].
have ES i j : (i < size B)%N -> entry_at S i j = entry_at (extend true x n B) i j.
  by move=> lti; rewrite /entry_at /extend !mapE !appE !nthE nth_cat size_map lti /S; case: (x).
have repS : represents S q k t.
  move=> i j; case: (ltnP i (size B)) => [lti|le]; last first.
    by rewrite /entry_at !nthE (nth_default [::]) ?size_map // nth_nil.
  have := rep i j lti; rewrite ES // entry_at_extend // lti inN.
  by case: (ltnP j n) => [_ /(_ isT)|_] //=; case: ifP => // /= _ /(_ isT).
have [q' [k' [t' [old new]]]] := singled_out repS n0 greatest.
rewrite size_map in new.
exists (fun i => if (i < size B)%N then q i else q' (i - size B)%N), k', t' => i j.
case: (ltnP i (size B)) => lti.
  case: (ltnP j N) => [ltj|]; first by rewrite -ES //; apply: old; rewrite ?size_map.
  rewrite leqNgt inN negb_or => /andP [/negbTE jn /negbTE jx].
  by rewrite entry_at_extend // lti jn jx.
have := new (i - size B)%N j; rewrite subnKC // !inN entry_at_extend // [(i < size B)%N]ltnNge lti /=.
case: (ltnP (i - size B) n) => [ltn|_] /=.
  case: (ltnP j n) => [_ /(_ isT isT)|le] //=.
  case E: (x && (j == n)) => //= /(_ isT isT); case/andP: E => _ /eqP ->.
  by rewrite (ltn_eqF ltn).
case E: (x && (i - size B == n)%N) => //= /(_ isT); case/andP: E => -> /eqP ->.
case: (ltnP j n) => [ltj /(_ isT)|le] /=; first by rewrite (gtn_eqF ltj).
by case: (j =P n) => [-> /(_ isT)|] //=; rewrite eqxx.
Qed.

(** ** Cosines *)

(** Squared distances of unit vectors. *)
Lemma chord d (u v : 'rV[F]_d) : dot u u = 1 -> dot v v = 1 ->
  dot (u - v) (u - v) = 2%:R * (1 - dot u v).
Proof. by move=> u1 v1; rewrite distance u1 v1 opprB addrA -mulr2n mulrBr mulr1 mulr_natl. Qed.

Lemma representable_extend_equal d S rows columns :
  representable_by F Cosine d S ->
  representable F d (extend false false (size columns) (submatrix S rows columns)).
Proof.
case=> q [k [t [unit rep]]]; set B := submatrix _ _ _; pose n := size columns.
pose key b := k (nth 0%N columns b).
have gap a b : differ B a b -> 0 < 1 - dot (key a) (key b).
  case/differP => i sep; have ne : key a != key b.
    move: sep; rewrite /separates !entry_at_submatrix.
    case: (ltnP i (size rows)) => //= _; case: (ltnP a (size columns)) => //= _.
    case: (ltnP b (size columns)) => [_ sep|_]; last by case: entry_at.
    exact: (separated rep sep).
  rewrite -(pmulr_rgt0 _ (_ : 0 < 2%:R)) ?ltr0n // -(chord (unit _) (unit _)).
  by apply: dot_gt0; rewrite subr_eq0.
pose close a := small [seq 1 - dot (key a) (key b) | b <- iota 0 n].
exists (fun i => if (i < size B)%N then q (nth 0%N rows i) else key (i - size B)%N).
exists key, (fun i => if (i < size B)%N then t (nth 0%N rows i) else 1 - close (i - size B)%N).
move=> i j; rewrite entry_at_extend; last exact: wide_submatrix.
case: ltnP => lti.
  case: ltnP => // ltj; rewrite entry_at_submatrix; case: ifP => // _; exact: rep.
case: ltnP => // lti'; case: ltnP => // ltj; case: eqP => [<-|_] /=.
  by rewrite unit ltr_subl_addr ltr_addl small_gt0.
case: ifP => // /gap lt /=; rewrite ler_subr_addr -ler_subr_addl ltW // small_lt //.
by apply/mapP; exists j => //; rewrite mem_iota.
Qed.

Lemma representable_extend_cosine d S rows columns :
  representable_by F Cosine d S ->
  representable F d (extend (1 < d)%N false (size columns) (submatrix S rows columns)).
Proof.
case: d => [|[|d]]; try exact: representable_extend_equal.
case=> q [k [t [unit rep]]]; pose key b := k (nth 0%N columns b).
apply: (@representable_extend_distinct d false _ _ (fun i => q (nth 0%N rows i)) key key
  (fun i => t (nth 0%N rows i))).
- exact: wide_submatrix.
- move=> i j lti ltj; rewrite ltj entry_at_submatrix; case: ifP => // _; exact: rep.
- by move=> a; rewrite unit ltr01.
move=> a b _ _; case: (key a =P key b) => [E|/eqP ne]; [by left | right].
have : 0 < dot (key a - key b) (key a - key b) by apply: dot_gt0; rewrite subr_eq0.
by rewrite (chord (unit _) (unit _)) pmulr_rgt0 ?ltr0n // subr_gt0 unit.
Qed.

(** ** Distances *)

(** Keys on a paraboloid. *)
Lemma lifted d (c v : 'rV[F]_d) :
  dot (row_mx (-1)%:M (2%:R *: c) : 'rV_(1 + d)) (row_mx (dot v v)%:M v) =
  dot c c - dot (c - v) (c - v).
Proof. by rewrite dot_row_mx !mxE mulN1r dotZl distance opprB addrCA subrr addr0 addrC. Qed.

Lemma representable_distance d S rows columns :
  representable_by F Distance d S -> representable F d.+1 (submatrix S rows columns).
Proof.
case=> q [k [b rep]].
exists (fun i => row_mx (-1)%:M (2%:R *: q (nth 0%N rows i)) : 'rV_(1 + d)).
exists (fun j => let v := k (nth 0%N columns j) in row_mx (dot v v)%:M v : 'rV_(1 + d)).
exists (fun i => let c := q (nth 0%N rows i) in dot c c - b (nth 0%N rows i)) => i j /=.
rewrite entry_at_submatrix lifted; case: ifP => // _.
have := rep (nth 0%N rows i) (nth 0%N columns j).
by case: entry_at => //=; rewrite ?ltr_add2l ?ler_add2l ?ltr_opp2 ?ler_opp2.
Qed.

Lemma representable_extend_distance d S rows columns :
  representable_by F Distance d.+1 S ->
  representable F d.+2 (extend true true (size columns) (submatrix S rows columns)).
Proof.
case=> q [k [b rep]]; set B := submatrix _ _ _; pose n := size columns; pose m := size B.
pose key j := k (nth 0%N columns j); pose center i := q (nth 0%N rows i).
pose bound i := b (nth 0%N rows i).
have [M far] := above (0 :: [seq dot (key j) (key j) | j <- iota 0 n] ++
  [seq bound i - dot (center i) (center i) | i <- iota 0 m]).
have M0 : 0 < M by apply: far; rewrite mem_head.
have high j : (j < n)%N -> dot (key j) (key j) < M.
  by move=> lt; apply: far; rewrite inE mem_cat (map_f (fun j => dot (key j) (key j))) ?orbT ?mem_iota.
have low i : (i < m)%N -> bound i - dot (center i) (center i) < M.
  move=> lt; apply: far; rewrite inE mem_cat.
  by rewrite (map_f (fun i => bound i - dot (center i) (center i))) ?orbT ?mem_iota.
apply: (@representable_extend_distinct d true _ _
  (fun i => row_mx (-1)%:M (2%:R *: center i) : 'rV_(1 + d.+1))
  (fun j => if (j < n)%N then row_mx (dot (key j) (key j))%:M (key j) : 'rV_(1 + d.+1)
    else row_mx M%:M 0 : 'rV_(1 + d.+1))
  (fun a => if (a < n)%N then row_mx (-1)%:M (2%:R *: key a) : 'rV_(1 + d.+1)
    else row_mx 1%:M 0 : 'rV_(1 + d.+1))
  (fun i => dot (center i) (center i) - bound i)).
- exact: wide_submatrix.
- move=> i j lti _; case: (ltnP j n) => ltj /=; last first.
    by rewrite dot_row_mx !mxE mulN1r dot0r addr0 ler_oppl opprB ltW // low.
  rewrite lifted entry_at_submatrix; case: ifP => // _.
  have := rep (nth 0%N rows i) (nth 0%N columns j).
  by case: entry_at => //=; rewrite ?ltr_add2l ?ler_add2l ?ltr_opp2 ?ler_opp2.
- by move=> a; case: ifP => _; rewrite dot_row_mx !mxE ?mulrNN mulr1 ltr_paddr ?ltr01 ?dot_ge0.
move=> a j; rewrite !ltnS => lea lej.
case: (ltnP a n) => lta; case: (ltnP j n) => ltj; last by left.
- case: (key a =P key j) => [E|/eqP ne]; [by left; rewrite E | right].
  rewrite !lifted ltr_add2l ltr_opp2 subrr dot0r.
  by apply: dot_gt0; rewrite subr_eq0.
- right; rewrite lifted subrr dot0r subr0 dot_row_mx !mxE mulN1r dot0r addr0.
  by rewrite (lt_le_trans _ (dot_ge0 _)) // oppr_lt0.
right; rewrite !dot_row_mx !mxE !mul1r dot0r addr0 dotC dot0r addr0; exact: high.
Qed.

(** ** Two points *)

Lemma separates_allP S (sigma : nat -> bool) first steps :
  (forall i j j', separates S i j j' -> sigma j != sigma j') ->
  separates_all S first steps ->
  if steps is (_, j) :: _ then sigma j (+) sigma first = odd (size steps) else True.
Proof.
move=> differ; elim: steps => // -[i j] steps IH.
case: steps IH => [_ /differ|[i' j'] steps /= IH /andP [/differ ne /IH <-]] /=.
  by case: (sigma j); case: (sigma first).
by move: ne; case: (sigma j); case: (sigma j'); case: (sigma first).
Qed.

Lemma check_opposite_sound d S steps : (d <= 1)%N -> check_opposite S steps ->
  ~ representable_by F Cosine d S.
Proof.
move=> d1 ok [q [k [t [unit rep]]]].
pose sigma j := has (fun l => 0 < k j 0 l) (enum 'I_d).
have differ i j j' : separates S i j j' -> sigma j != sigma j'.
  move/(separated rep); apply: contra => /eqP same; apply/eqP/rowP => l.
  have only (u : 'rV[F]_d) : dot u u = u 0 l * u 0 l.
    rewrite /dot (bigD1 l) //= big1 ?addr0 // => l' /eqP []; apply: val_inj.
    by case: l l' d1 => x ltx [y lty] /= d1; case: x y ltx lty d1 => [|x] [|y] //; case: (d) => [|[|]].
  have one a : sigma a = (0 < k a 0 l).
    apply/hasP/idP => [[l' _]|pos]; last by exists l; rewrite ?mem_enum.
    rewrite (_ : l' = l) //; apply: val_inj.
    by case: l l' d1 {only} => x ltx [y lty] /= d1; case: x y ltx lty d1 => [|x] [|y] //; case: (d) => [|[|]].
  have sq a : k a 0 l = 1 \/ k a 0 l = -1.
    by have /eqP := unit a; rewrite only -expr2 sqrf_eq1 => /orP [] /eqP; [left | right].
  by move: same; rewrite !one; case: (sq j) => ->; case: (sq j') => -> //;
    rewrite ltr01 oppr_gt0 ltr10.
move: ok; rewrite /check_opposite; case: steps => // -[i j] steps /andP [odd_steps /(separates_allP differ)].
by rewrite addbb; move: odd_steps; rewrite nat_oddE => ->.
Qed.

End Similarities.
