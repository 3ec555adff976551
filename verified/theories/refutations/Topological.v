(** The kind [topological]: sign patterns whose faces cancel in pairs, oddly many of which alternate. *)

From Coq Require Import List Bool Arith.
From mathcomp Require path.
From Samapprox Require Import Patterns Refutations.
Import ListNotations.

(** Elements with signs, true for +. *)
Definition signs := list (nat * bool).

Fixpoint signs_at (covector : list entry) (elements : list nat) : option signs :=
  match elements with
  | [] => Some []
  | e :: elements =>
      match nth e covector Any, signs_at covector elements with
      | One, Some P => Some ((e, true) :: P)
      | Zero, Some P => Some ((e, false) :: P)
      | _, _ => None
      end
  end.

Fixpoint signs_of_members (A : pattern) (members : list (nat * list nat)) : option (list signs) :=
  match members with
  | [] => Some []
  | (c, elements) :: members =>
      match signs_at (nth c A []) elements, signs_of_members A members with
      | Some P, Some Ps => Some (P :: Ps)
      | _, _ => None
      end
  end.

(** Signs are the same if all are opposite: the first one is + here. *)
Definition normal (P : signs) : signs :=
  match P with
  | (_, false) :: _ => map (fun p => (fst p, negb (snd p))) P
  | _ => P
  end.

Fixpoint faces (P : signs) : list signs :=
  match P with
  | [] => []
  | p :: P => P :: map (cons p) (faces P)
  end.

(** An order of faces, by which equal ones become neighbours. *)
Fixpoint before (P Q : signs) : bool :=
  match P, Q with
  | [], _ => true
  | _, [] => false
  | (e, s) :: P, (f, t) :: Q =>
      if e <? f then true else if f <? e then false
      else if eqb s t then before P Q else t
  end.

Fixpoint same_signs (P Q : signs) : bool :=
  match P, Q with
  | [], [] => true
  | (e, s) :: P, (f, t) :: Q => (e =? f) && eqb s t && same_signs P Q
  | _, _ => false
  end.

Fixpoint in_pairs (faces : list signs) : bool :=
  match faces with
  | [] => true
  | P :: Q :: faces => same_signs P Q && in_pairs faces
  | _ => false
  end.

Fixpoint alternates (P : signs) : bool :=
  match P with
  | (_, s) :: ((_, t) :: _) as P => xorb s t && alternates P
  | _ => true
  end.

Definition check_topological (S : pattern) (d : nat) (elements_are_columns : bool)
  (rows columns : list nat) (members : list (nat * list nat)) : bool :=
  let A := core elements_are_columns S rows columns in
  let N := match A with row :: _ => length row | [] => 0 end in
  forallb (fun row => length row <=? N) A &&
  match signs_of_members A members with
  | None => false
  | Some Ps =>
      forallb (fun P => (length P =? 2 + d) && ascending (map fst P) &&
                        forallb (fun p => fst p <? N) P) Ps &&
      in_pairs (path.sort before (map normal (flat_map faces Ps))) &&
      fold_right (fun P odd => xorb (alternates P) odd) false Ps
  end.
