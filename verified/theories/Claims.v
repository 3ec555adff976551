(** What is proven. To know what is claimed, read [Patterns.v], [Statement.v] and this page. *)

From Coq Require Import ZArith.
From mathcomp Require Import all_ssreflect all_algebra.
From Samapprox Require Import Patterns Statement Certificates Coupled Values Margins Fits Depths Ranks.
From Samapprox Require Import CertificatesProof CoupledProof ValuesProof MarginsProof FitsProof DepthsProof RanksProof.

(** An accepted YES: the pattern is representable in dimension [d], over every real closed field,
    such as the real numbers. *)
Theorem yes : forall s S d why,
  check_yes s S d why = true ->
  forall F : rcfType, representable_by F s d S.
Proof. by move=> s S d why ok F; apply: check_yes_cosine_sound ok. Qed.

(** Only cosine similarity needs the square roots of such a field. *)
Theorem yes_without_roots : forall s S d why,
  s <> Cosine -> check_yes s S d why = true ->
  forall F : realFieldType, representable_by F s d S.
Proof. by move=> s S d why no ok F; apply: check_yes_sound ok. Qed.

(** An accepted NO: no queries, keys and thresholds in dimension [d], over any ordered field,
    represent the pattern. *)
Theorem no : forall s S d proof,
  check_no s S d proof = true ->
  forall F : realFieldType, ~ representable_by F s d S.
Proof. by move=> s S d proof ok F; apply: check_no_sound ok. Qed.

(** An accepted NO to at most [w] wrong rows: every embedding in dimension [d] has more. *)
Theorem no_few_wrong_rows : forall s S d (w : nat) classes representatives cores tree,
  check_wrong_rows s S d (Z.of_nat w) classes representatives cores tree = true ->
  forall F : realFieldType, ~ fits_rows F s d S w.
Proof. by move=> s S d w classes reps cores t ok F; apply: check_wrong_rows_sound ok. Qed.

(** An accepted YES to at most [w] wrong rows, or entries. *)
Theorem few_wrong_rows : forall s S d w wrong why,
  check_few_wrong_rows s S d w wrong why = true ->
  forall F : rcfType, fits_rows F s d S w.
Proof.
move=> s S d w wrong why /andP [/PeanoNat.Nat.leb_spec0/ssrnat.leP few ok] F; exists wrong.
by split=> //; apply: check_yes_cosine_sound ok.
Qed.

Theorem few_wrong_entries : forall s S d w wrong why,
  check_few_wrong_entries s S d w wrong why = true ->
  forall F : rcfType, fits_entries F s d S w.
Proof.
move=> s S d w wrong why /andP [/PeanoNat.Nat.leb_spec0/ssrnat.leP few ok] F; exists wrong.
by split=> //; apply: check_yes_cosine_sound ok.
Qed.

(** An accepted YES to at most [w] rows whose ones are not all among the first [K] columns. *)
Theorem few_wrong_rows_at : forall s S d w K T why,
  check_few_wrong_rows_at s S d w K T why = true ->
  forall F : rcfType, fits_rows_at F s d S w K.
Proof. by move=> s S d w K T why ok F; apply: check_few_wrong_rows_at_sound ok. Qed.

(** An accepted YES to a mean recall at [K] of [p] / [q]. *)
Theorem recall : forall s S d K (p q : nat) scale quotients T why,
  check_recall s S d K (Z.of_nat p) (Z.of_nat q) scale quotients T why = true ->
  forall F : rcfType, recall_at_least F s d S K p q.
Proof. by move=> s S d K p q scale quotients T why ok F; apply: check_recall_sound ok. Qed.

(** An accepted YES to a coupled question: queries and keys are products of one matrix X. *)
Theorem yes_coupled : forall S d hidden tokens of_queries of_keys thresholds,
  check_coupled S d hidden tokens of_queries of_keys thresholds = true ->
  forall F : realFieldType, representable_coupled F d hidden S.
Proof. by move=> S d h x wq wk t ok F; apply: check_coupled_sound ok. Qed.

(** An accepted YES for sets of values. *)
Theorem yes_with_values : forall of_queries of_keys S d own queries keys thresholds,
  check_values of_queries of_keys S d own queries keys thresholds = true ->
  forall F : realFieldType, representable_with F of_queries of_keys d S.
Proof. by move=> vq vk S d own q k t ok F; apply: check_values_sound ok. Qed.

(** An accepted YES to a margin of [p] / [q]. *)
Theorem margin : forall S d (p q : nat) a b queries keys thresholds,
  check_margin S d (Z.of_nat p) (Z.of_nat q) a b queries keys thresholds = true ->
  forall F : realFieldType, has_margin F d S p q.
Proof. by move=> S d p q a b queries keys t ok F; apply: check_margin_sound ok. Qed.

(** Ranks. *)
Theorem rank_yes : forall kind S r left right thresholds,
  check_factors kind S r left right thresholds = true ->
  forall F : realFieldType, rank_at_most F kind r S.
Proof. by move=> kind S r left right thresholds ok F; apply: check_factors_sound ok. Qed.

Theorem rank_no : forall kind S r proof,
  check_rank_no kind S r proof = true ->
  forall F : realFieldType, ~ rank_at_most F kind r S.
Proof. by move=> kind S r proof ok F; apply: check_rank_no_sound ok. Qed.

Print Assumptions yes.
Print Assumptions yes_without_roots.
Print Assumptions no.
Print Assumptions no_few_wrong_rows.
Print Assumptions few_wrong_rows.
Print Assumptions few_wrong_entries.
Print Assumptions yes_coupled.
Print Assumptions few_wrong_rows_at.
Print Assumptions recall.
Print Assumptions yes_with_values.
Print Assumptions margin.
Print Assumptions rank_yes.
Print Assumptions rank_no.
