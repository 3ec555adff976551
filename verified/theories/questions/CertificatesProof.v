(** All proofs together; a refutation of a dimension refutes smaller ones. *)

From mathcomp Require Import all_ssreflect all_algebra.
From Samapprox Require Import Patterns Statement Configurations Certificates.
From Samapprox Require Import Similarities SplitsProof RefutationsProof TopologicalProof.
From Samapprox Require Import Padded PaddedProof SimilaritiesProof CirclesProof OddCycleProof
  GluingProof CapsProof.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import GRing.Theory.
Local Open Scope ring_scope.

Section Dimensions.

Variable F : realFieldType.

Lemma representable_monotone d d' S : (d <= d')%N -> representable F d S -> representable F d' S.
Proof.
move=> le [q [k [t rep]]].
exists (fun i => padded d' (q i)), (fun j => padded d' (k j)), t => i j.
by rewrite dot_padded.
Qed.

Lemma representable_submatrix d S rows columns :
  representable F d S -> representable F d (submatrix S rows columns).
Proof.
case=> q [k [t rep]].
exists (fun i => q (nth 0%N rows i)), (fun j => k (nth 0%N columns j)), (fun i => t (nth 0%N rows i)).
by move=> i j; rewrite entry_at_submatrix; case: ifP => // _; apply: rep.
Qed.

Theorem check_no_sound s S d proof : check_no s S d proof = true -> ~ representable_by F s d S.
Proof.
elim: proof s S d => [d' side rows columns|d' side rows columns sets order autos steps
    |d' side rows columns members|rows columns why IH|plain rows columns why IH|steps|other walk] [] S d //=.
- case/andP => /PeanoNat.Nat.leb_spec0/ssrnat.leP le check /(representable_monotone le).
  exact: check_splits_sound check.
- case/andP => /PeanoNat.Nat.leb_spec0/ssrnat.leP le check /(representable_monotone le).
  exact: check_chirotope_sound check.
- case/andP => /PeanoNat.Nat.leb_spec0/ssrnat.leP le check /(representable_monotone le).
  exact: check_topological_sound check.
- case E: without_padding => [T|//] /(IH DotProduct) no rep; apply: no.
  apply: without_padding_sound E _; apply: representable_submatrix.
  by apply: representable_monotone rep; case: (d) => // d'; rewrite -[(_ - 1)%coq_nat]/(d'.+1 - 1)%N subn1.
- case: plain => /(IH DotProduct) no rep; apply: no.
    by apply: representable_submatrix; case: rep => q [k [t [_ rep]]]; exists q, k, t.
  have := representable_extend_cosine rows columns rep.
  by rewrite (_ : (1 < d)%N = PeanoNat.Nat.leb 2 d) //; case: (d) => [|[|d']].
- case: plain => /andP [d1 /(IH DotProduct) no] rep; apply: no; first exact: representable_distance.
  by case: d d1 rep => // d _; apply: representable_extend_distance.
- case/andP => /PeanoNat.Nat.leb_spec0/ssrnat.leP le check; exact: check_opposite_sound check.
- case: other => // z /andP [/PeanoNat.Nat.leb_spec0/ssrnat.leP le check].
  exact: check_walk_circle_sound check.
- case: other => // /andP [/PeanoNat.Nat.leb_spec0/ssrnat.leP le check].
  exact: check_walk_line_sound check.
Qed.

(** If rows are copies of others, they are representable with them. *)
Lemma representable_rows s d S S' (f : nat -> nat) :
  (forall i j, entry_at S' i j <> Any -> entry_at S' i j = entry_at S (f i) j) ->
  representable_by F s d S -> representable_by F s d S'.
Proof.
move=> same; have agree (x y : nat -> nat -> F) :
    (forall i j, agrees (entry_at S i j) (x i j) (y i j)) ->
    forall i j, agrees (entry_at S' i j) (x (f i) j) (y (f i) j).
  move=> ok i j; case: (entry_at S' i j =P Any) => [-> //|/same ->]; exact: ok.
case: s => [] [q [k [t rep]]].
- exists (fun i => q (f i)), k, (fun i => t (f i)).
  exact: (agree (fun i j => dot (q i) (k j)) (fun i _ => t i)).
- case: rep => unit rep; exists (fun i => q (f i)), k, (fun i => t (f i)); split=> //.
  exact: (agree (fun i j => dot (q i) (k j)) (fun i _ => t i)).
- exists (fun i => q (f i)), k, (fun i => t (f i)).
  exact: (agree (fun i _ => t i) (fun i j => dot (q i - k j) (q i - k j))).
Qed.

Theorem check_yes_sound s S d why :
  s <> Cosine -> check_yes s S d why = true -> representable_by F s d S.
Proof.
by case: s why => [] [why|q k t|c w k t] //= _; [apply: check_evidence_sound | apply: check_balls_sound].
Qed.

End Dimensions.

Theorem check_yes_cosine_sound (F : rcfType) s S d why :
  check_yes s S d why = true -> representable_by F s d S.
Proof.
case: s; try exact: check_yes_sound.
by case: why => //= q k t; apply: check_caps_sound.
Qed.
