(** Equal keys can be moved apart such that each of them is the only one of a row. *)

From Coq Require Import Ring.
From mathcomp Require Import all_ssreflect all_algebra.
From Samapprox Require Import Patterns Statement Configurations BasesProof PlaneProof.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.

Section Identity.

Variables (R : Type) (zero one : R) (add mul sub : R -> R -> R) (opp : R -> R).
Hypothesis R_ring : ring_theory zero one add mul sub opp eq.
Add Ring R_ring : R_ring.

(** Products of the points [j] of a parabola with its normal at [a]. *)
Lemma abstract_parabola p s m c a j x :
  let two := add one one in
  add (sub (add p (mul (mul j zero) x)) (mul (mul (mul (mul j j) c) m) (mul x x)))
    (mul (mul (mul two a) m)
      (mul x (sub (add s (mul (mul j c) x)) (mul (mul (mul (mul j j) c) zero) (mul x x))))) =
  add (add (add p (mul (mul (mul (mul two a) m) s) x))
      (mul (mul (mul m c) (sub (mul a a) one)) (mul x x)))
    (mul (mul (mul m c) (mul x x)) (sub one (mul (sub a j) (sub a j)))).
Proof. by move=> two; rewrite /two; ring. Qed.

End Identity.

Section Distinct.

Variable F : realFieldType.

Lemma dot_ge0 d (u : 'rV[F]_d) : 0 <= dot u u.
Proof. by apply: sumr_ge0 => l _; rewrite -expr2 sqr_ge0. Qed.

Lemma dot_gt0 d (u : 'rV[F]_d) : u != 0 -> 0 < dot u u.
Proof.
move=> u0; rewrite lt_def dot_ge0 andbT; apply: contra u0 => /eqP zero.
apply/eqP/rowP => l; rewrite mxE.
have ge0 (l' : 'I_d) : true -> 0 <= u 0 l' * u 0 l' by rewrite -expr2 sqr_ge0.
have /eqP : u 0 l * u 0 l = 0 by apply: (psumr_eq0P ge0 zero).
by rewrite mulf_eq0 orbb => /eqP.
Qed.

(** Polynomials that are positive at 0 are positive near 0. *)
Lemma near (ps : seq {poly F}) : (forall p, p \in ps -> 0 < p.[0]) ->
  exists x, 0 < x /\ forall p, p \in ps -> 0 < p.[x].
Proof.
move=> pos; suff [delta [delta0 ok]] : exists delta, 0 < delta /\
    forall x, 0 < x -> x < delta -> forall p, p \in ps -> 0 < p.[x].
  exists (delta / 2%:R); have half : 0 < delta / 2%:R by rewrite divr_gt0 ?ltr0n.
  split=> //; apply: ok => //.
  by rewrite ltr_pdivr_mulr ?ltr0n // mulr_natr mulr2n ltr_addl.
elim: ps pos => [|p ps IH] pos; first by exists 1; rewrite ltr01.
have [|delta [delta0 ok]] := IH; first by move=> p' in_ps; apply: pos; rewrite inE in_ps orbT.
have p0 : 0 < p.[0] by apply: pos; rewrite mem_head.
have /factor_theorem [q E] : root (p - p.[0]%:P) 0 by rewrite /root !hornerE subrr.
have [bound le] := poly_disk_bound q 1.
pose M := `|bound| + 1; have M0 : 0 < M by rewrite ltr_paddl ?normr_ge0 ?ltr01.
exists (small [:: delta; 1; p.[0] / M]); split; first exact: small_gt0.
move=> x x0 lt p'; rewrite inE => /orP [/eqP ->|]; last first.
  apply: ok => //; apply: lt_trans lt _; apply: small_lt => //; exact: mem_head.
have x1 : x < 1 by apply: lt_trans lt _; apply: small_lt; rewrite ?ltr01 // !inE eqxx orbT.
have xM : x < p.[0] / M.
  by apply: lt_trans lt _; apply: small_lt; rewrite ?divr_gt0 // !inE eqxx !orbT.
have -> : p.[x] = p.[0] + q.[x] * x.
  have := congr1 (fun r : {poly F} => r.[x]) E; rewrite !hornerE subr0 => <-.
  by rewrite addrC subrK.
have : `|q.[x] * x| < p.[0].
  rewrite normrM (gtr0_norm x0); apply: le_lt_trans (_ : M * x < _).
    rewrite ler_pmul2r //; apply: le_trans (le x _) _; first by rewrite (gtr0_norm x0) ltW.
    by rewrite /M (le_trans (ler_norm _)) // ler_addl.
  by rewrite mulrC -ltr_pdivl_mulr.
by rewrite ltr_norml => /andP [lo _]; rewrite addrC -ltr_subl_addr sub0r.
Qed.

(** A vector at right angles to another one. *)
Definition aside d (v : 'rV[F]_d.+2) : 'rV[F]_d.+2 :=
  if v 0 0 == 0 then delta_mx 0 0
  else \row_l (if l == 0 then v 0 1 else if l == 1 then - v 0 0 else 0).

Lemma dot_aside d (v : 'rV[F]_d.+2) : dot v (aside v) = 0.
Proof.
rewrite dotC /aside; case: eqP => [v0|_]; first by rewrite dot_delta.
rewrite /dot !big_ord_recl !mxE /= big1 ?addr0 => [|l _]; last by rewrite !mxE /= mul0r.
have -> : lift ord0 ord0 = 1 :> 'I_d.+2 by apply: val_inj.
by rewrite mulNr [v 0 1 * _]mulrC subrr.
Qed.

Lemma aside_gt0 d (v : 'rV[F]_d.+2) : 0 < dot (aside v) (aside v).
Proof.
apply: dot_gt0; rewrite /aside; case: (v 0 0 =P 0) => v0; apply/eqP => /rowP.
  by move/(_ 0)/eqP; rewrite !mxE !eqxx oner_eq0.
by move/(_ 1)/eqP; rewrite !mxE /= oppr_eq0 => /eqP.
Qed.

(** Vectors [n] that are greatest at one key each: equal keys are moved along the same parabola, on
    which each is greatest for another vector near [n]. *)
Lemma singled_out d N (S : pattern) (q k n : nat -> 'rV[F]_d.+2) t :
  represents S q k t ->
  (forall a, 0 < dot (n a) (n a)) ->
  (forall a b, (a < N)%N -> (b < N)%N ->
    k a = k b /\ n a = n b \/ dot (n a) (k b) < dot (n a) (k a)) ->
  exists (q' k' : nat -> 'rV[F]_d.+2) t',
    (forall i j, (i < size S)%N -> (j < N)%N -> agrees (entry_at S i j) (dot (q i) (k' j)) (t' i)) /\
    (forall a j, (a < N)%N -> (j < N)%N ->
      agrees (if a == j then One else Zero) (dot (q' a) (k' j)) (t' (size S + a)%N)).
Proof.
move=> rep n0 greatest; have [t' sgn] := strict (iota 0 N) rep.
pose u a := aside (n a); pose m a := dot (n a) (n a); pose c a := dot (u a) (u a).
pose along w j : {poly F} := (dot w (k j))%:P + (j%:R * dot w (u j)) *: 'X
  - (j%:R ^+ 2 * c j * dot w (n j)) *: 'X^2.
pose moved x j := k j + (j%:R * x) *: u j - (j%:R ^+ 2 * c j * x ^+ 2) *: n j.
have movedE x w j : dot w (moved x j) = (along w j).[x].
  rewrite /moved /along !dotDr -scaleNr !dotZr mulNr.
  by rewrite hornerD hornerN hornerD hornerC !hornerZ hornerX hornerXn [_ * x * _]mulrAC [_ * _ * dot w (n j)]mulrAC.
pose bound a : {poly F} := (dot (n a) (k a))%:P + (2%:R * a%:R * m a * dot (u a) (k a)) *: 'X
  + (m a * c a * (a%:R ^+ 2 - 1)) *: 'X^2.
pose turned x a := n a + (2%:R * a%:R * m a * x) *: u a.
pose product a j : {poly F} := along (n a) j + (2%:R * a%:R * m a) *: ('X * along (u a) j).
have turnedE x a j : dot (turned x a) (moved x j) = (product a j).[x].
  by rewrite dotDl dotZl !movedE /product hornerD hornerZ hornerM hornerX mulrA.
pose sided i j : {poly F} := match entry_at S i j with
  | One => along (q i) j - (t' i)%:P | Zero => (t' i)%:P - along (q i) j | Any => 1 end.
pose conditions := [seq sided i j | i <- iota 0 (size S), j <- iota 0 N] ++
  [seq if dot (n a) (k b) < dot (n a) (k a) then bound a - product a b else 1
    | a <- iota 0 N, b <- iota 0 N].
have at0 w j : (along w j).[0] = dot w (k j).
  by rewrite /along hornerD hornerN hornerD hornerC !hornerZ hornerX hornerXn expr0n !mulr0 subr0 addr0.
have [|x [x0 pos]] := @near conditions.
  move=> p; rewrite mem_cat => /orP [] /allpairsP [[i j] [lti ltj ->]] /=.
    have := sgn i j ltj; rewrite /sided; case: (entry_at S i j) => //=; rewrite ?hornerC ?ltr01 //.
      by rewrite hornerD hornerN hornerC at0.
    by rewrite hornerD hornerN hornerC at0 subr_gt0 subr_lt0.
  case: ifP => [lt|_]; last by rewrite hornerC ltr01.
  have -> : (bound i - product i j).[0] = dot (n i) (k i) - dot (n i) (k j).
    rewrite hornerD hornerN; congr (_ - _).
      by rewrite /bound !hornerD !hornerZ hornerXn hornerX hornerC expr0n !mulr0 !addr0.
    by rewrite /product hornerD at0 hornerZ hornerM hornerX mul0r mulr0 addr0.
  by rewrite subr_gt0.
exists (turned x), (moved x), (fun i => if (i < size S)%N then t' i else (bound (i - size S)%N).[x]).
split=> [i j lti ltj|a j lta ltj].
  have : 0 < (sided i j).[x].
    apply: pos; rewrite mem_cat; apply/orP; left; apply/allpairsP; exists (i, j).
    by rewrite !mem_iota.
  rewrite lti /sided movedE; case: (entry_at S i j) => //=; rewrite hornerD hornerN hornerC subr_gt0 //.
  exact: ltW.
rewrite ltnNge leq_addr addKn /= turnedE.
have [[kE nE]|lt] := greatest a j lta ltj; last first.
  have ne : (a == j) = false by apply/eqP => E; rewrite E ltxx in lt.
  have : 0 < (bound a - product a j).[x].
    apply: pos; rewrite mem_cat; apply/orP; right; apply/allpairsP; exists (a, j).
    by rewrite !mem_iota lt.
  by rewrite ne /= hornerD hornerN subr_gt0 => /ltW.
have uE : u j = u a by rewrite /u nE.
have -> : (product a j).[x] = (bound a).[x] + m a * c a * x ^+ 2 * (1 - (a%:R - j%:R) ^+ 2).
  have flat : dot (n a) (u a) = 0 by exact: dot_aside.
  rewrite /product /bound /along /c uE -kE -nE -/(m a) [dot (u a) (n a)]dotC flat.
  rewrite !(hornerD, hornerN, hornerZ, hornerXn, hornerM, hornerX, hornerC) !expr2.
  exact: (abstract_parabola (field_ring F)).
have mc : 0 < m a * c a * x ^+ 2 by rewrite mulr_gt0 ?mulr_gt0 ?exprn_gt0 ?n0 ?aside_gt0.
case: eqP => [<-|/eqP ne] /=; first by rewrite subrr expr0n subr0 mulr1 ltr_addl.
rewrite ger_addl pmulr_rle0 // subr_le0.
case: (ltngtP a j) ne => // lt _.
  by rewrite -opprB sqrrN -natrB ?(ltnW lt) // -natrX ler1n expn_gt0 subn_gt0 lt.
by rewrite -natrB ?(ltnW lt) // -natrX ler1n expn_gt0 subn_gt0 lt.
Qed.

End Distinct.
