(** The kind [chirotope]: clauses about orientations. *)

From Coq Require Import List Bool Arith ZArith.
From Samapprox Require Import Patterns Tables Clauses Sorting.
Import ListNotations.

(** ** Orientations as variables *)

Section Checks.

(** The signs of the covectors on the [N] elements, vectors of length [r]. *)
Variable A : pattern.
Variables N r : nat.

(** The set of elements whose orientation a variable is. *)
Variable sets : table (list nat).

(** The sign (true for +) of the bracket of the list [T], if the literal [l] is false. *)
Definition sign_if_false (l : literal) (T : list nat) : option bool :=
  let (odd, sorted) := sort T in
  match get sets (snd l) with
  | Some U => if same_list sorted U then Some (negb (xorb (fst l) odd)) else None
  | None => None
  end.

Definition same_sign (a b : option bool) : bool :=
  match a, b with Some a, Some b => eqb a b | _, _ => false end.

(** Terms whose sum is 0 cannot all have one sign. *)
Definition all_same (signs : list (option bool)) : bool :=
  match signs with [] => false | a :: signs => same_sign a a && forallb (same_sign a) signs end.

(** *** Circuits *)

Definition no_literal : literal := (true, xH).

(** The sign of the [t]-th term if the clause [C] is false. *)
Definition term_of_circuit (covector : list entry) (I : list nat) (C : clause) (t : nat)
  : option bool :=
  match sign_if_false (nth t C no_literal) (firstn t I ++ skipn (S t) I),
        nth (nth t I 0) covector Any with
  | Some s, One => Some (xorb (Nat.odd t) s)
  | Some s, Zero => Some (negb (xorb (Nat.odd t) s))
  | _, _ => None
  end.

Definition check_circuit (c : nat) (I : list nat) (C : clause) : bool :=
  (length I =? S r) && (length C =? S r) &&
  all_same (List.map (term_of_circuit (nth c A []) I C) (seq 0 (S r))).

(** *** Three-term relations *)

(** A product of two brackets, with its literals. *)
Record product := Product { first : literal; first_set : list nat;
                            second : literal; second_set : list nat }.

(** The three terms of the relation of [fixed] and four more elements, with the literals of their
    brackets; the second term is subtracted. *)
Record relation := Relation { fixed : list nat; e1 : nat; e2 : nat; e3 : nat; e4 : nat;
                              l1 : literal; l2 : literal; l3 : literal;
                              l4 : literal; l5 : literal; l6 : literal }.

Definition literals_of (R : relation) : list literal := [l1 R; l2 R; l3 R; l4 R; l5 R; l6 R].

Definition product_0 (R : relation) : product :=
  Product (l1 R) (fixed R ++ [e1 R; e2 R]) (l2 R) (fixed R ++ [e3 R; e4 R]).
Definition product_1 (R : relation) : product :=
  Product (l3 R) (fixed R ++ [e1 R; e3 R]) (l4 R) (fixed R ++ [e2 R; e4 R]).
Definition product_2 (R : relation) : product :=
  Product (l5 R) (fixed R ++ [e1 R; e4 R]) (l6 R) (fixed R ++ [e2 R; e3 R]).

Definition product_sign (P : product) : option bool :=
  match sign_if_false (first P) (first_set P), sign_if_false (second P) (second_set P) with
  | Some s, Some s' => Some (eqb s s')
  | _, _ => None
  end.

Definition term (R : relation) (i : nat) : product :=
  match i with 0 => product_0 R | 1 => product_1 R | _ => product_2 R end.

(** The sign of a term with its sign in the sum. *)
Definition term_sign (R : relation) (i : nat) : option bool :=
  match i with 1 => option_map negb (product_sign (product_1 R)) | _ => product_sign (term R i) end.

Definition check_relation (R : relation) (C : clause) : bool :=
  forallb (contains C) (literals_of R) &&
  (length (fixed R) + 2 =? r) &&
  all_same [term_sign R 0; term_sign R 1; term_sign R 2].

(** *** Final polynomials *)

(** The inequality between the absolute values of two terms of a relation, raised to a power. *)
Record inequality := Inequality { power : Z; larger : nat; smaller : nat; relation_of : relation }.

Definition check_inequality (q : inequality) : bool :=
  let R := relation_of q in
  let other := 3 - larger q - smaller q in
  Z.ltb 0 (power q) && negb (larger q =? smaller q) &&
  (larger q <? 3) && (smaller q <? 3) && (length (fixed R) + 2 =? r) &&
  same_sign (term_sign R (smaller q)) (term_sign R other) &&
  same_sign (term_sign R (smaller q)) (option_map negb (term_sign R (larger q))).

(** How often the orientation [v] occurs in the chosen terms, with their powers. *)
Fixpoint exponent (chosen : inequality -> nat) (v : positive) (qs : list inequality) : Z :=
  match qs with
  | [] => 0%Z
  | q :: qs =>
      let P := term (relation_of q) (chosen q) in
      let rest := exponent chosen v qs in
      let rest := if Pos.eqb (snd (first P)) v then Z.add (power q) rest else rest in
      if Pos.eqb (snd (second P)) v then Z.add (power q) rest else rest
  end.

Definition check_polynomial (qs : list inequality) (C : clause) : bool :=
  match qs with [] => false | _ => true end &&
  forallb (fun q => check_inequality q && forallb (contains C) (literals_of (relation_of q))) qs &&
  forallb (fun l => Z.eqb (exponent larger (snd l) qs) (exponent smaller (snd l) qs)) C.

End Checks.
