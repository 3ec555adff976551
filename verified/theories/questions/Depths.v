(** Rows that are right at K: their ones are among the first K columns. Mean recalls at K. *)

From Coq Require Import List Bool Arith ZArith.
From Samapprox Require Import Patterns Certificates.
Import ListNotations.

(** The number of columns at which two rows have such entries. *)
Fixpoint number_of (f : entry -> entry -> bool) (row row' : list entry) : nat :=
  match row with
  | [] => 0
  | e :: row =>
      let rest := number_of f row (tl row') in
      if f e (hd Any row') then Datatypes.S rest else rest
  end.

(** A one that is a one of the second row as well, or is not. *)
Definition kept (e e' : entry) : bool := match e, e' with One, One => true | _, _ => false end.

Definition lost (e e' : entry) : bool := match e, e' with One, One => false | One, _ => true | _, _ => false end.

(** A zero that is none of the second row, so that it may come before ones. *)
Definition ahead (e e' : entry) : bool := match e, e' with Zero, Zero => false | Zero, _ => true | _, _ => false end.

(** The row is right at [K], if the other one is represented. *)
Definition right_at (K : nat) (row row' : list entry) : bool :=
  (number_of lost row row' =? 0) && (number_of kept row row' + number_of ahead row row' <=? K).

Fixpoint wrong_rows_at (K : nat) (rows T : pattern) : nat :=
  match rows with
  | [] => 0
  | row :: rows =>
      let rest := wrong_rows_at K rows (tl T) in
      if right_at K row (hd [] T) then rest else Datatypes.S rest
  end.

(** All rows but at most [most] are right at [K], because the pattern [T] has an embedding. *)
Definition check_few_wrong_rows_at (s : similarity) (S : pattern) (d most K : nat) (T : pattern)
  (why : witness) : bool :=
  (wrong_rows_at K S T <=? most) && check_yes s T d why.

(** *** Mean recalls *)

Fixpoint integer (n : nat) : Z := match n with O => 0%Z | Datatypes.S n => Z.succ (integer n) end.

(** The ones of the row that are shown to be among the first [K]. *)
Definition recalled (K : nat) (row row' : list entry) : nat :=
  let found := number_of kept row row' in
  if found + number_of ahead row row' <=? K then found else 0.

(** The sum of the recalls of all rows, times [scale], a multiple of the number of ones of each row;
    the quotients are given. *)
Fixpoint sum_of_recalls (K : nat) (scale : Z) (rows T : pattern) (quotients : list Z) : option Z :=
  match rows, quotients with
  | [], _ => Some 0%Z
  | row :: rows, quotient :: quotients =>
      if Z.eqb (Z.mul (integer (number_of kept row row)) quotient) scale then
        match sum_of_recalls K scale rows (tl T) quotients with
        | Some sum => Some (Z.add (Z.mul (integer (recalled K row (hd [] T))) quotient) sum)
        | None => None
        end
      else None
  | _, [] => None
  end.

(** The mean recall at [K] is at least p / q, because the pattern [T] has an embedding. *)
Definition check_recall (s : similarity) (S : pattern) (d K : nat) (p q scale : Z)
  (quotients : list Z) (T : pattern) (why : witness) : bool :=
  Z.ltb 0 scale &&
  match sum_of_recalls K scale S T quotients with
  | Some sum => Z.leb (Z.mul (Z.mul p (integer (length S))) scale) (Z.mul q sum)
  | None => false
  end &&
  check_yes s T d why.
