(** Products of integer matrices are those over the field. *)

From Coq Require Import ZArith.
From mathcomp Require Import all_ssreflect all_algebra.
From Samapprox Require Import Patterns Statement Configurations Embeddings EmbeddingsProof.
From Samapprox Require Import Gluing GluingProof CapsProof Coupled.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import GRing.Theory Num.Theory.
Local Open Scope ring_scope.
Local Delimit Scope Z_scope with Z.

Section Coupled.

Variable F : realFieldType.

Definition matrix_with hidden d (columns : seq (seq Z)) : 'M[F]_(hidden, d) :=
  \matrix_(l < hidden, c < d) vector F hidden (nth [::] columns c) 0 l.

Lemma vector_products hidden d columns token : (size token <= hidden)%N ->
  vector F d (products columns token) = vector F hidden token *m matrix_with hidden d columns.
Proof.
move=> le; apply/rowP => c; rewrite !mxE /products mapE.
have -> : nth 0%Z [seq dot_integers token column 0 | column <- columns] c =
    dot_integers token (nth [::] columns c) 0.
  case: (ltnP c (size columns)) => lt; first by rewrite (nth_map [::]).
  by rewrite !nth_default ?size_map //; case: (token).
by rewrite (dot_integersE F _ le) /dot; apply: eq_bigr => l _; rewrite !mxE.
Qed.

Theorem check_coupled_sound S d hidden tokens of_queries of_keys thresholds :
  check_coupled S d hidden tokens of_queries of_keys thresholds = true ->
  representable_coupled F d hidden S.
Proof.
case/andP => /List.forallb_forall short; rewrite /check_evidence /=.
case E: pattern_of_integers => [P|//] imp.
exists (fun i => vector F hidden (nth [::] tokens i)).
exists (matrix_with hidden d of_queries), (matrix_with hidden d of_keys).
exists (fun i => inF F (nth 0%Z thresholds i)) => i j.
case: (entry_at S i j =P Any) => [-> //|nA]; have same := impliesP imp nA; rewrite same in nA *.
have [] := pattern_of_integers_specified E nA; rewrite !mapE !size_map => lt_i lt_j.
have le k : (k < size tokens)%N -> (size (nth [::] tokens k) <= hidden)%N.
  by move=> lt; apply/ssrnat.leP/PeanoNat.Nat.leb_spec0/short/nth_In.
rewrite -!vector_products ?le //; have := pattern_of_integers_represents F E i j.
by rewrite !mapE !(nth_map [::]).
Qed.

End Coupled.
