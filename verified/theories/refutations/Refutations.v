(** The kind [chirotope]: refutations of clauses about orientations, and symmetry. *)

From Coq Require Import List Bool Arith PArith.
From Samapprox Require Import Patterns Tables Clauses Sorting Orientations.
Import ListNotations.

(** A permutation of the elements with signs (true for -) that maps the covectors to each other.
    [preimages] names for each covector the one that is mapped to it, up to sign, and [images] are
    the images of the literals by which orientations are compared. *)
Record automorphism := Automorphism { permutation : list nat; flips : list bool;
                                      preimages : list nat; images : list literal }.

Fixpoint distinct (T : list nat) : bool :=
  match T with
  | [] => true
  | x :: T => negb (existsb (Nat.eqb x) T) && distinct T
  end.

(** The sign of covector and element, if it is specified, is [other] or its opposite. *)
Definition matches (flip : bool) (e other : entry) : bool :=
  match e, other with
  | Any, _ => true
  | One, One | Zero, Zero => negb flip
  | One, Zero | Zero, One => flip
  | _, Any => false
  end.

Definition maps_covector (g : automorphism) (flip : bool) (source target : list entry) : bool :=
  forallb
    (fun i => matches (xorb flip (nth i (flips g) false)) (nth i target Any)
                (nth (nth i (permutation g) 0) source Any)) (seq 0 (length target)).

Definition maps_covectors (A : pattern) (g : automorphism) : bool :=
  forallb
    (fun c => let source := nth (nth c (preimages g) 0) A [] in
              let target := nth c A [] in
              maps_covector g false source target || maps_covector g true source target)
    (seq 0 (length A)).

Definition flip_of (g : automorphism) (T : list nat) : bool :=
  fold_right (fun i odd => xorb (nth i (flips g) false) odd) false T.

Definition is_image (sets : table (list nat)) (g : automorphism) (l m : literal) : bool :=
  match get sets (snd l), get sets (snd m) with
  | Some T, Some U =>
      let (odd, moved) := sort (List.map (fun i => nth i (permutation g) 0) T) in
      same_list moved U && eqb (fst m) (xorb (fst l) (xorb odd (flip_of g T)))
  | _, _ => false
  end.

Fixpoint all_images (sets : table (list nat)) (g : automorphism) (order ms : list literal) : bool :=
  match order, ms with
  | [], [] => true
  | l :: order, m :: ms => is_image sets g l m && all_images sets g order ms
  | _, _ => false
  end.

Definition check_automorphism (A : pattern) (N : nat) (sets : table (list nat))
  (order : list literal) (g : automorphism) : bool :=
  (length (permutation g) =? N) && distinct (permutation g) &&
  forallb (fun x => x <? N) (permutation g) &&
  maps_covectors A g && all_images sets g order (images g).

(** Does the clause say that the order's literals are not less true than their images? *)
Fixpoint compares (order ms : list literal) (C : clause) : bool :=
  match order, ms with
  | l :: order, m :: ms =>
      let same := same_literal l m in
      let has_l := contains C l in
      let has_m := contains C (opposite m) in
      (negb same && has_l && has_m) || ((same || has_l || has_m) && compares order ms C)
  | _, _ => false
  end.

(** Why a clause may be added. *)
Inductive reason :=
| Circuit (covector : nat) (elements : list nat)
| ThreeTerms (R : relation)
| Polynomial (qs : list inequality)
| First
| Least (g : nat) (mirrored : bool)
| Follows (hints : list positive).

Section Refutation.

Variable A : pattern.
Variable r : nat.
Variable sets : table (list nat).
Variable order : list literal.
Variable automorphisms : list automorphism.

Definition justified (clauses : table clause) (C : clause) (why : reason) : bool :=
  match why with
  | Circuit c elements => check_circuit A r sets c elements C
  | ThreeTerms R => check_relation r sets R C
  | Polynomial qs => check_polynomial r sets qs C
  | First => match order with
             | l :: _ => match get sets (snd l) with Some _ => contains C l | None => false end
             | [] => false
             end
  | Least i mirrored =>
      match nth_error automorphisms i with
      | Some g => compares order (if mirrored then List.map opposite (images g) else images g) C
      | None => false
      end
  | Follows hints => follows clauses C hints
  end.

(** The steps, numbered from [next], lead to the empty clause. *)
Fixpoint refutes (clauses : table clause) (next : positive) (steps : list (clause * reason)) : bool :=
  match steps with
  | [] => false
  | (C, why) :: steps =>
      if justified clauses C why then
        match C with
        | [] => true
        | _ => refutes (set clauses next C) (Pos.succ next) steps
        end
      else false
  end.

End Refutation.

Fixpoint ascending (T : list nat) : bool :=
  match T with
  | x :: (y :: _) as T => (x <? y) && ascending T
  | _ => true
  end.

(** Number the sets from [next]. *)
Fixpoint number_sets (N r : nat) (next : positive) (listed : list (list nat))
  (sets : table (list nat)) : option (table (list nat)) :=
  match listed with
  | [] => Some sets
  | T :: listed =>
      if (length T =? r) && ascending T && forallb (fun e => e <? N) T
      then number_sets N r (Pos.succ next) listed (set sets next T)
      else None
  end.

Definition check_chirotope (S : pattern) (d : nat) (elements_are_columns : bool)
  (rows columns : list nat) (listed : list (list nat)) (order : list literal)
  (automorphisms : list automorphism) (steps : list (clause * reason)) : bool :=
  let A := core elements_are_columns S rows columns in
  let N := match A with row :: _ => length row | [] => 0 end in
  let r := 1 + d in
  forallb (fun row => length row <=? N) A &&
  match number_sets N r xH listed Leaf with
  | None => false
  | Some sets =>
      forallb (check_automorphism A N sets order) automorphisms &&
      refutes A r sets order automorphisms Leaf xH steps
  end.
