(** Integer queries and keys are some over every ordered field. *)

From Coq Require Import ZArith Lia.
From mathcomp Require Import all_ssreflect all_algebra.
From Samapprox Require Import Patterns Statement Configurations Embeddings.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.
Local Delimit Scope Z_scope with Z.

Section Integers.

Variable F : realFieldType.

Local Notation inF := (inF F).

Lemma inF_nat n : inF (Z.of_nat n) = n%:R.
Proof. by case: n => //= n; rewrite SuccNat2Pos.id_succ. Qed.

Lemma inF_opp z : inF (- z)%Z = - inF z.
Proof. by case: z => [|p|p] /=; rewrite ?oppr0 ?opprK. Qed.

Lemma inF_sub m n : inF (Z.of_nat m - Z.of_nat n)%Z = m%:R - n%:R.
Proof.
case: (leqP n m) => [le|/ltnW le].
  have ->: (Z.of_nat m - Z.of_nat n)%Z = Z.of_nat (m - n)%coq_nat by move/ssrnat.leP: le; lia.
  by rewrite inF_nat minusE natrB.
have ->: (Z.of_nat m - Z.of_nat n)%Z = (- Z.of_nat (n - m)%coq_nat)%Z by move/ssrnat.leP: le; lia.
by rewrite inF_opp inF_nat minusE natrB // opprB.
Qed.

Lemma as_difference z : exists m n, z = (Z.of_nat m - Z.of_nat n)%Z.
Proof. by exists (Z.to_nat z), (Z.to_nat (- z)); lia. Qed.

Lemma inF_add x y : inF (x + y)%Z = inF x + inF y.
Proof.
have [m [n ->]] := as_difference x; have [k [l ->]] := as_difference y.
have ->: (Z.of_nat m - Z.of_nat n + (Z.of_nat k - Z.of_nat l) =
  Z.of_nat (m + k)%coq_nat - Z.of_nat (n + l)%coq_nat)%Z by lia.
by rewrite !inF_sub !natrD opprD addrACA.
Qed.

Lemma inF_mul x y : inF (x * y)%Z = inF x * inF y.
Proof.
by case: x => [|p|p]; case: y => [|s|s];
  rewrite /= ?mul0r ?mulr0 ?Pos2Nat.inj_mul ?natrM ?mulrN ?mulNr ?opprK.
Qed.

Lemma inF_gt0 z : (0 < inF z) = (0 <? z)%Z.
Proof.
case: z => [|p|p] /=; rewrite ?ltxx //.
  by rewrite ltr0n; apply/ssrnat.ltP/Pos2Nat.is_pos.
by rewrite oppr_gt0 ltrn0.
Qed.

Lemma inF_lt x y : (inF x < inF y) = (x <? y)%Z.
Proof.
rewrite -subr_gt0 -inF_opp -inF_add inF_gt0.
by apply/Z.ltb_spec0/Z.ltb_spec0; lia.
Qed.

Lemma inF_le x y : (x <=? y)%Z -> inF x <= inF y.
Proof. by move/Z.leb_spec0 => le; rewrite leNgt inF_lt; apply/negP => /Z.ltb_spec0; lia. Qed.

Definition vector d (u : seq Z) : 'rV[F]_d := \row_(l < d) inF (nth 0%Z u l).

Lemma dot_integersE d u v : (size u <= d)%N ->
  inF (dot_integers u v 0) = dot (vector d u) (vector d v).
Proof.
move=> le; rewrite -[RHS]add0r -[0]/(inF 0).
elim: u v d le (0%Z) => [|x u IH] v d le s.
  by rewrite /dot big1 ?addr0 // => l _; rewrite !mxE nth_nil mul0r.
case: v => [|y v].
  by rewrite /dot big1 ?addr0 // => l _; rewrite !mxE nth_nil mulr0.
case: d le => //= d le; rewrite (IH v d) // inF_add inF_mul -addrA; congr (_ + _).
rewrite /dot big_ord_recl !mxE /=; congr (_ + _).
by apply: eq_bigr => l _; rewrite !mxE.
Qed.

Lemma pattern_of_integers_represents d keys queries thresholds S :
  pattern_of_integers d keys queries thresholds = Some S ->
  represents S (fun i => vector d (nth [::] queries i)) (fun j => vector d (nth [::] keys j))
    (fun i => inF (nth 0%Z thresholds i)).
Proof.
move=> made i j; rewrite /entry_at !nthE.
elim: queries thresholds S i made => [|q queries IH] [|t thresholds] S i //=;
  try by case=> <-; rewrite !nth_nil.
case: PeanoNat.Nat.leb_spec0 => // /ssrnat.leP le.
case E: pattern_of_integers => [rows|//] [<-]; case: i => [|i] /=; last exact: (IH _ _ _ E).
rewrite -dot_integersE // /row_of_integers mapE.
case: (ltnP j (size keys)) => lt; last by rewrite nth_default ?size_map.
rewrite (nth_map [::]) //; case lt_t: Z.ltb => /=; first by rewrite inF_lt lt_t.
by rewrite leNgt inF_lt lt_t.
Qed.

Theorem pattern_of_integers_sound d keys queries thresholds S :
  pattern_of_integers d keys queries thresholds = Some S -> representable F d S.
Proof. by move/pattern_of_integers_represents => rep; do 3!eexists; apply: rep. Qed.

End Integers.

Lemma pattern_of_integers_specified d keys queries thresholds S i j :
  pattern_of_integers d keys queries thresholds = Some S -> entry_at S i j <> Any ->
  (i < size queries)%N /\ (j < size keys)%N.
Proof.
rewrite /entry_at !nthE.
elim: queries thresholds S i => [|q queries IH] [|t thresholds] S i //=;
  try by case=> <-; rewrite !nth_nil.
case: ifP => // _; case E: pattern_of_integers => [rows|//] [<-]; case: i => [|i] /=; last exact: IH E.
rewrite /row_of_integers mapE; case: (ltnP j (size keys)) => // le.
by rewrite nth_default ?size_map.
Qed.
