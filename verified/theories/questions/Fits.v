(** The kind [hitting-set], for rows: cores, each of which contains a wrong row, are too many to be
    hit by few. *)

From Coq Require Import List Bool Arith ZArith.
From Samapprox Require Import Patterns Certificates.
Import ListNotations.

(** *** Trees and packings *)

Inductive tree :=
| Packing (chosen : list (nat * Z)) (denominator : Z)
| Branch (x : nat) (wrong right : tree).

Definition member (x : nat) (T : list nat) : bool := existsb (Nat.eqb x) T.

Section Trees.

Variable weight : nat -> Z.

(** The classes of each core. *)
Variable cores : list (list nat).

(** At most so much weight may be wrong. *)
Variable most : Z.

Definition total (T : list nat) : Z := fold_right (fun x sum => Z.add (weight x) sum) 0%Z T.

(** How much of the packing the class carries. *)
Definition load (chosen : list (nat * Z)) (x : nat) : Z :=
  fold_right (fun cy sum => if member x (nth (fst cy) cores []) then Z.add (snd cy) sum else sum)
    0%Z chosen.

Definition sum_of (chosen : list (nat * Z)) : Z :=
  fold_right (fun cy sum => Z.add (snd cy) sum) 0%Z chosen.

Definition check_packing (chosen : list (nat * Z)) (denominator : Z) (wrong right : list nat) : bool :=
  Z.leb 0 denominator &&
  forallb
    (fun cy =>
       (fst cy <? length cores) && Z.leb 0 (snd cy) &&
       forallb
         (fun x => negb (member x wrong) &&
                   (member x right || Z.leb (load chosen x) (Z.mul denominator (weight x))))
         (nth (fst cy) cores []))
    chosen &&
  Z.ltb (Z.mul denominator most) (Z.add (sum_of chosen) (Z.mul denominator (total wrong))).

(** Every hitting set contains [wrong] and avoids [right], or belongs to another leaf. *)
Fixpoint check_tree (t : tree) (wrong right : list nat) : bool :=
  match t with
  | Packing chosen denominator => check_packing chosen denominator wrong right
  | Branch x a b =>
      negb (member x wrong) && check_tree a (x :: wrong) right && check_tree b wrong (x :: right)
  end.

End Trees.

(** *** Rows *)

Definition same_entry (a b : entry) : bool :=
  match a, b with One, One | Zero, Zero | Any, Any => true | _, _ => false end.

Fixpoint same_row (a b : list entry) : bool :=
  match a, b with
  | [], [] => true
  | x :: a, y :: b => same_entry x y && same_row a b
  | _, _ => false
  end.

(** The rows of the core, with don't-cares in all others. *)
Definition only_rows (S : pattern) (kept : list bool) : pattern :=
  map (fun rk => if snd rk : bool then fst rk else []) (combine S kept).

(** A set of rows that contains a wrong one: their classes, which of the rows they are, and why. *)
Record fit_core := FitCore { classes_of : list nat; kept : list bool; why : refutation }.

Definition check_core (s : similarity) (S : pattern) (d : nat) (classes : list nat) (c : fit_core) : bool :=
  forallb (fun xk => negb (snd xk) || member (fst xk) (classes_of c)) (combine classes (kept c)) &&
  check_no s (only_rows S (kept c)) d (why c).

(** The number of rows in a class. *)
Definition size_of_class (classes : list nat) (x : nat) : Z :=
  fold_right (fun y sum => if y =? x then Z.succ sum else sum) 0%Z classes.

(** At least [most + 1] rows are wrong. The class of each row is in [classes]; all rows of a class
    are equal to the row that represents it. *)
Definition check_wrong_rows (s : similarity) (S : pattern) (d : nat) (most : Z)
  (classes representatives : list nat) (cores : list fit_core) (t : tree) : bool :=
  (length classes =? length S) &&
  forallb (fun rx => same_row (fst rx) (nth (nth (snd rx) representatives 0) S [])) (combine S classes) &&
  forallb (check_core s S d classes) cores &&
  check_tree (size_of_class classes) (List.map classes_of cores) most t [] [].
