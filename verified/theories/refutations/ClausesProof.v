(** What follows by unit propagation holds wherever the clauses do (Lemma 7). *)

From Coq Require Import PArith.
From mathcomp Require Import all_ssreflect.
From Samapprox Require Import Tables Clauses.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Section Clauses.

(** An assignment of truth values to the variables. *)
Variable x : positive -> bool.

Definition true_in (l : literal) : bool := x l.2 == l.1.

Fixpoint holds (C : clause) : bool :=
  if C is l :: C then true_in l || holds C else false.

Lemma same_literalP l m : reflect (l = m) (same_literal l m).
Proof.
apply: (iffP andP) => [[/Bool.eqb_prop e /Pos.eqb_eq e']|->].
  by case: l m e e' => p v [q w] /= -> ->.
by rewrite Pos.eqb_refl Bool.eqb_reflx.
Qed.

Lemma true_in_opposite l : true_in (opposite l) = ~~ true_in l.
Proof. by rewrite /true_in /=; case: (x _); case: l.1. Qed.

Lemma containsP C l : contains C l -> true_in l -> holds C.
Proof.
elim: C => //= m C IH /orP [/same_literalP <- ->//|/IH step /step ->].
by rewrite orbT.
Qed.

Definition agree (values : table bool) : Prop :=
  forall v b, get values v = Some b -> x v = b.

Lemma agree_set values v b : agree values -> x v = b -> agree (set values v b).
Proof.
move=> ok xv w c; rewrite get_set; case: Pos.eq_dec => [<- [<-]//|_]; exact: ok.
Qed.

Lemma examineP values C open : agree values ->
  (if open is Some l then true_in l else false) || holds C ->
  match examine values C open with
  | Conflict => False
  | Unit l => true_in l
  | Nothing => True
  end.
Proof.
move=> ok; elim: C open => [|[p v] C IH] open /=; first by rewrite orbF; case: open.
case E: (get values v) => [b|].
  case: Bool.eqb_spec => // ne hyp; apply: IH; move: hyp.
  by rewrite /true_in /= (ok _ _ E); move/eqP/negbTE: ne => ->.
case: open => [l|] //=.
  by case: same_literalP => // ->; rewrite orbA orbb; apply: (IH (Some (p, v))).
exact: (IH (Some (p, v))).
Qed.

Definition all_hold (clauses : table clause) : Prop :=
  forall i C, get clauses i = Some C -> holds C.

Lemma propagateP clauses values hints :
  all_hold clauses -> agree values -> propagate clauses values hints -> False.
Proof.
move=> hold; elim: hints values => //= h hints IH values ok.
case E: (get clauses h) => [C|//].
have := @examineP values C None ok (hold _ _ E).
case: examine => [//|[p v] t|_]; last exact: IH.
by apply: IH; apply: agree_set => //; apply/eqP.
Qed.

Lemma followsP clauses C hints : all_hold clauses -> follows clauses C hints -> holds C.
Proof.
case: (boolP (holds C)) => // no hold fol; exfalso.
apply: (propagateP hold _ fol).
suff gen: forall values, agree values ->
    agree (List.fold_left (fun values (l : literal) => set values l.2 (~~ l.1)) C values).
  by apply: gen => v b; rewrite get_leaf.
elim: C no {fol} => //= l C IH; rewrite negb_or => /andP [nl nC] values ok.
by apply: IH => //; apply: agree_set => //; move: nl; rewrite /true_in; case: (x _); case: l.1.
Qed.

Lemma all_hold_set clauses i C : all_hold clauses -> holds C -> all_hold (set clauses i C).
Proof.
move=> hold hC j D; rewrite get_set; case: Pos.eq_dec => [_ [<-]//|_]; exact: hold.
Qed.

End Clauses.
