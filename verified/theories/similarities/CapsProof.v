(** Integers for cosine similarity and Euclidean distance. *)

From Coq Require Import ZArith.
From mathcomp Require Import all_ssreflect all_algebra.
From Samapprox Require Import Patterns Statement Configurations Embeddings EmbeddingsProof.
From Samapprox Require Import Gluing GluingProof SimilaritiesProof Caps.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.
Local Delimit Scope Z_scope with Z.

Lemma exceeds_rootP (F : realFieldType) p t n (s : F) : 0 < s -> s ^+ 2 = inF F n ->
  exceeds_root p t n = (inF F t * s < inF F p).
Proof.
move=> s0 sn; rewrite /exceeds_root.
have p2 : inF F (p * p)%Z = inF F p ^+ 2 by rewrite inF_mul.
have t2 : inF F (t * t * n)%Z = (inF F t * s) ^+ 2 by rewrite !inF_mul exprMn sn.
rewrite -!(inF_lt F) p2 t2 -[inF F 0]/0.
have sign : (inF F t * s < 0) = (inF F t < 0) by rewrite pmulr_llt0.
rewrite -sign; set x := inF F t * s; set y := inF F p.
case: (ltP 0 y) => y0; case: (ltP x 0) => x0 /=.
- by rewrite (lt_trans x0 y0).
- by rewrite ltr_pexpn2r // nnegrE ltW.
- by rewrite -(sqrrN x) -(sqrrN y) ltr_pexpn2r ?nnegrE ?oppr_ge0 ?(ltW x0) // ltr_opp2.
- by rewrite ltNge (le_trans y0 x0).
Qed.

Lemma agrees_entry_of (F : realFieldType) b (x t : F) : b = (t < x) -> agrees (entry_of b) x t.
Proof. by move=> ->; case: ltP. Qed.

Lemma nth_In A (x : A) xs i : (i < size xs)%N -> List.In (nth x xs i) xs.
Proof. by elim: xs i => // y xs IH [|i] lt /=; [left | right; apply: IH]. Qed.

Section Entries.

Variables (A B : Type) (f : A -> B -> entry).

Lemma entry_at_map (xs : seq A) (ys : seq B) i j x0 y0 :
  entry_at (List.map (fun x => List.map (f x) ys) xs) i j <> Any ->
  (j < size ys)%N /\
  entry_at (List.map (fun x => List.map (f x) ys) xs) i j = f (nth x0 xs i) (nth y0 ys j).
Proof.
rewrite /entry_at !nthE mapE; case: (ltnP i (size xs)) => lti; last first.
  by rewrite (nth_default [::]) ?size_map // nth_nil.
rewrite (nth_map x0) // mapE; case: (ltnP j (size ys)) => ltj; last first.
  by rewrite nth_default ?size_map.
by rewrite (nth_map y0).
Qed.

End Entries.

Theorem check_caps_sound (F : rcfType) S d queries keys thresholds :
  check_caps S d queries keys thresholds = true -> representable_by F Cosine d S.
Proof.
case/andP => /andP [/PeanoNat.Nat.ltb_spec0/ssrnat.ltP some /List.forallb_forall fine] imp.
pose key j := if (j < size keys)%N then nth [::] keys j else nth [::] keys 0.
have fine_key j : (size (key j) <= d)%N /\ 0 < inF F (dot_integers (key j) (key j) 0).
  have : List.In (key j) keys by rewrite /key; case: ifP => lt; apply: nth_In.
  by move/fine => /= /andP [/PeanoNat.Nat.leb_spec0/ssrnat.leP le]; rewrite -(inF_lt F).
pose root j := Num.sqrt (inF F (dot_integers (key j) (key j) 0)).
have root0 j : 0 < root j by rewrite sqrtr_gt0; have [] := fine_key j.
have root2 j : root j ^+ 2 = inF F (dot_integers (key j) (key j) 0).
  by rewrite sqr_sqrtr // ltW //; have [] := fine_key j.
pose row i := nth ([::], 0%Z) (List.combine queries thresholds) i.
exists (fun i => vector F d (row i).1), (fun j => (root j)^-1 *: vector F d (key j)).
exists (fun i => inF F (row i).2); split=> [j|i j].
  have [le _] := fine_key j; rewrite dotZl dotZr -dot_integersE // mulrA -root2 -expr2 -exprMn.
  by rewrite mulVf ?expr1n // lt0r_neq0.
case: (entry_at S i j =P Any) => [-> //|nA]; have E := impliesP imp nA.
rewrite E in nA *; have [lt ->] := entry_at_map ([::], 0%Z) [::] nA.
have [le _] := fine_key j; apply: agrees_entry_of.
rewrite dotZr dotC -dot_integersE // mulrC ltr_pdivl_mulr //.
have -> : nth [::] keys j = key j by rewrite /key lt.
exact: exceeds_rootP.
Qed.

Theorem check_balls_sound (F : realFieldType) S d centers weights keys thresholds :
  check_balls S d centers weights keys thresholds = true -> representable_by F Distance d S.
Proof.
case/andP => /andP [/List.forallb_forall short /List.forallb_forall positive] imp.
set rows := List.combine (List.combine centers weights) thresholds in imp.
pose row i := nth ([::], 1%Z, 0%Z) rows i; pose weight i := inF F (row i).1.2.
have weight0 i : 0 < weight i.
  rewrite /weight /row; case: (ltnP i (size rows)) => lt; last by rewrite nth_default ?ltr01.
  rewrite -[0]/(inF F 0) inF_lt; apply: positive.
  case: (nth _ rows i) (nth_In ([::], 1%Z, 0%Z) lt) => [[c w] t] h.
  exact: List.in_combine_r (List.in_combine_l _ _ _ _ h).
pose center i := (weight i)^-1 *: vector F d (row i).1.1.
pose key j := vector F d (nth [::] keys j).
exists center, key, (fun i => dot (center i) (center i) - (weight i)^-1 * inF F (row i).2) => i j.
case: (entry_at S i j =P Any) => [-> //|nA]; have E := impliesP imp nA.
rewrite E in nA *; have [lt ->] := entry_at_map ([::], 1%Z, 0%Z) [::] nA.
rewrite -/(row i); have le : (size (nth [::] keys j) <= d)%N.
  by apply/ssrnat.leP/PeanoNat.Nat.leb_spec0/short/nth_In.
have := weight0 i; rewrite /center /weight /key; case: (row i) => -[c w] t /= w0.
apply: agrees_entry_of; rewrite distance ltr_add2l ltr_opp2 dotZl.
rewrite -(inF_lt F) !inF_add !inF_mul !(fun v => @dot_integersE F d _ v le) -mulr2n -[dot _ _ *+ 2]mulr_natl [dot (vector F d c) _]dotC.
set k := vector F d _; set x := dot k _; set n := dot k k; rewrite -(ltr_pmul2l w0 (_ * _)).
by rewrite mulrBr !mulrA mulfV ?lt0r_neq0 // mul1r [inF F w * 2%:R]mulrC mulfK ?lt0r_neq0 // ltr_subr_addr.
Qed.
