(** What is proven. To know what is claimed, read [Patterns.v], [Statement.v] and this page. *)

From mathcomp Require Import all_ssreflect all_algebra.
From Samapprox Require Import Patterns Statement Certificates.
From Samapprox Require Import EmbeddingsProof CertificatesProof.

(** An accepted YES: the pattern is representable in dimension [d], over every ordered field. *)
Theorem yes : forall S d queries keys thresholds,
  check_yes S d queries keys thresholds = true ->
  forall F : realFieldType, representable F d S.
Proof. by move=> S d q k t ok F; apply: check_embedding_sound ok. Qed.

(** An accepted NO: no queries, keys and thresholds in dimension [d], over any ordered field,
    represent the pattern. *)
Theorem no : forall S d proof,
  check_no S d proof = true ->
  forall F : realFieldType, ~ representable F d S.
Proof. by move=> S d proof ok F; apply: check_no_sound ok. Qed.

Print Assumptions yes.
Print Assumptions no.
