(** A refutation of a dimension refutes smaller ones. *)

From mathcomp Require Import all_ssreflect all_algebra.
From Samapprox Require Import Patterns Statement Configurations Certificates.
From Samapprox Require Import SplitsProof RefutationsProof TopologicalProof.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import GRing.Theory.
Local Open Scope ring_scope.

Section Dimensions.

Variable F : realFieldType.

Definition padded d d' (u : 'rV[F]_d) : 'rV[F]_d' :=
  \row_l if insub (val l) is Some l' then u 0 l' else 0.

Lemma dot_padded d d' (u v : 'rV[F]_d) : (d <= d')%N ->
  dot (padded d' u) (padded d' v) = dot u v.
Proof.
move=> le; rewrite /dot.
pose f (w : 'rV[F]_d) (l : nat) : F := if insub l is Some l' then w 0 l' else 0.
transitivity (\sum_(l < d') f u l * f v l).
  by apply: eq_bigr => l _; rewrite !mxE.
rewrite -(big_mkord xpredT (fun l => f u l * f v l)) (big_cat_nat _ _ _ (leq0n d) le) /=.
rewrite [X in _ + X]big1_seq ?addr0 => [|l]; last first.
  by rewrite mem_index_iota /f => /andP [_ /andP [ge _]]; rewrite insubF ?mul0r // ltnNge ge.
by rewrite big_mkord; apply: eq_bigr => l _; rewrite /f !valK.
Qed.

Lemma representable_monotone d d' S : (d <= d')%N -> representable F d S -> representable F d' S.
Proof.
move=> le [q [k [t rep]]].
exists (fun i => padded d' (q i)), (fun j => padded d' (k j)), t => i j.
by rewrite dot_padded.
Qed.

Theorem check_no_sound S d proof : check_no S d proof = true -> ~ representable F d S.
Proof.
by case: proof => [d' side rows columns|d' side rows columns sets order autos steps
    |d' side rows columns members] /=;
  case/andP => /PeanoNat.Nat.leb_spec0/ssrnat.leP le check /(representable_monotone le);
  [apply: check_splits_sound check | apply: check_chirotope_sound check
  | apply: check_topological_sound check].
Qed.

End Dimensions.
