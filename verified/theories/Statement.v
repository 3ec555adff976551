(** What is claimed: whether a pattern is representable over an ordered field. *)

From Coq Require Import ZArith.
From mathcomp Require Import all_ssreflect all_algebra.
From Samapprox Require Import Patterns.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Statement.

(** Any ordered field: the real numbers, and the rational numbers as well. *)
Variable F : realFieldType.

Definition dot d (u v : 'rV[F]_d) : F := \sum_(l < d) u 0 l * v 0 l.

(** A logit on the right side of its threshold; a don't-care asks for nothing. *)
Definition agrees (e : entry) (logit threshold : F) : Prop :=
  match e with
  | One => threshold < logit
  | Zero => logit <= threshold
  | Any => True
  end.

(** Queries [q], keys [k] and thresholds [t] in dimension [d] represent the pattern [S]. Rows and
    columns outside the pattern have queries and keys as well, of which nothing is asked. *)
Definition represents d (S : pattern) (q k : nat -> 'rV[F]_d) (t : nat -> F) : Prop :=
  forall i j, agrees (entry_at S i j) (dot (q i) (k j)) (t i).

Definition representable d (S : pattern) : Prop :=
  exists q k : nat -> 'rV[F]_d, exists t : nat -> F, represents S q k t.

(** Cosine similarity: the keys are unit vectors. Euclidean distance: a row contains the keys whose
    squared distance from its query is below a bound. (Over the real numbers, the bound is the square
    of a radius, or 0 for a row that contains no key.) *)
Definition representable_by (s : similarity) d (S : pattern) : Prop :=
  match s with
  | DotProduct => representable d S
  | Cosine => exists q k : nat -> 'rV[F]_d, exists t : nat -> F,
      (forall j, dot (k j) (k j) = 1) /\ represents S q k t
  | Distance => exists q k : nat -> 'rV[F]_d, exists b : nat -> F,
      forall i j, agrees (entry_at S i j) (b i) (dot (q i - k j) (q i - k j))
  end.

(** Queries and keys are linear images of the same vectors, one of [hidden] numbers for each token. *)
Definition representable_coupled d hidden (S : pattern) : Prop :=
  exists x : nat -> 'rV[F]_hidden, exists wq wk : 'M[F]_(hidden, d), exists t : nat -> F,
    represents S (fun i => x i *m wq) (fun j => x j *m wk) t.

(** An integer as an element of the field. *)
Definition inF (z : Z) : F :=
  match z with
  | Z0 => 0
  | Zpos p => (Pos.to_nat p)%:R
  | Zneg p => - (Pos.to_nat p)%:R
  end.

Definition among (values : seq Z) (x : F) : Prop := exists z, List.In z values /\ x = inF z.

(** All entries of keys are values of one set, and those of queries of another one, if there is one. *)
Definition representable_with (of_queries : option (seq Z)) (of_keys : seq Z) d (S : pattern) : Prop :=
  exists q k : nat -> 'rV[F]_d, exists t : nat -> F,
    (forall values, of_queries = Some values -> forall i l, among values (q i 0 l)) /\
    (forall j l, among of_keys (k j 0 l)) /\ represents S q k t.

(** At most [w] rows are wrong: without their entries, the pattern is representable. *)
Definition fits_rows (s : similarity) d (S : pattern) (w : nat) : Prop :=
  exists wrong : seq nat, (size wrong <= w)%N /\ representable_by s d (erase_rows S wrong).

(** At most [w] entries are wrong. *)
Definition fits_entries (s : similarity) d (S : pattern) (w : nat) : Prop :=
  exists wrong : seq (nat * nat), (size wrong <= w)%N /\ representable_by s d (erase_entries S wrong).

(** Scores of queries and keys: larger ones come first. *)
Definition scores (s : similarity) d (x : nat -> nat -> F) : Prop :=
  exists q k : nat -> 'rV[F]_d,
    match s with
    | DotProduct => forall i j, x i j = dot (q i) (k j)
    | Cosine => (forall j, dot (k j) (k j) = 1) /\ forall i j, x i j = dot (q i) (k j)
    | Distance => forall i j, x i j = - dot (q i - k j) (q i - k j)
    end.

Definition ones (row : seq entry) : seq nat :=
  [seq j <- iota 0 (size row) | if nth Any row j is One then true else false].

(** The columns [found] are among the first [K], even if zeros come before ones of the same score:
    at most so many zeros as [K] leaves room for score as high as one of them. (If other ones score
    higher, at least as many ones as [found] has are among the first [K].) *)
Definition among_first (K : nat) (row : seq entry) (x : nat -> F) (found : seq nat) : Prop :=
  exists zeros : seq nat, (size found + size zeros <= K)%N /\
    forall j j', j \in found -> nth Any row j' = Zero -> x j <= x j' -> j' \in zeros.

(** At most [w] rows do not have all their ones among the first [K] columns. *)
Definition fits_rows_at (s : similarity) d (S : pattern) (w K : nat) : Prop :=
  exists (wrong : seq nat) (x : nat -> nat -> F), (size wrong <= w)%N /\ scores s d x /\
    forall i, i \notin wrong -> among_first K (nth [::] S i) (x i) (ones (nth [::] S i)).

(** The mean over all rows of the share of ones that are among the first [K] columns is at least
    [p] / [q]. *)
Definition recall_at_least (s : similarity) d (S : pattern) (K p q : nat) : Prop :=
  exists (x : nat -> nat -> F) (found : nat -> seq nat), scores s d x /\
    (forall i, uniq (found i) /\ {subset found i <= ones (nth [::] S i)} /\
      among_first K (nth [::] S i) (x i) (found i)) /\
    p%:R * (size S)%:R <=
      q%:R * \sum_(i < size S) (size (found i))%:R / (size (ones (nth [::] S i)))%:R :> F.

(** Queries and keys have at most length 1, and all logits are at least [p] / [q] from the threshold
    of their row, on its right side. *)
Definition has_margin d (S : pattern) (p q : nat) : Prop :=
  exists u v : nat -> 'rV[F]_d, exists t : nat -> F,
    (forall i, dot (u i) (u i) <= 1) /\ (forall j, dot (v j) (v j) <= 1) /\
    forall i j,
      match entry_at S i j return Prop with
      | One => p%:R <= q%:R * (dot (u i) (v j) - t i)
      | Zero => p%:R <= q%:R * (t i - dot (u i) (v j))
      | Any => True
      end.

(** On the right side of a threshold, and not on it. *)
Definition beyond (e : entry) (x threshold : F) : Prop :=
  match e with
  | One => threshold < x
  | Zero => x < threshold
  | Any => True
  end.

(** Some matrix of rank at most [r] is above the thresholds at the ones and below them at the zeros. A
    matrix has rank at most [r] if its entries are the dot products of vectors of length [r]. *)
Definition rank_at_most (kind : thresholds_kind) r (S : pattern) : Prop :=
  exists u v : nat -> 'rV[F]_r, exists t : nat -> F,
    match kind with
    | AllZero => forall i, t i = 0
    | AllEqual => forall i i', t i = t i'
    | EachRow => True
    end /\
    forall i j, beyond (entry_at S i j) (dot (u i) (v j)) (t i).

End Statement.
