(** Lists of elements: sorted, compared. *)

From Coq Require Import List Bool Arith.
Import ListNotations.

(** Sort a list; the first component is true if this takes an odd number of exchanges. *)
Fixpoint insert (x : nat) (T : list nat) : bool * list nat :=
  match T with
  | [] => (false, [x])
  | y :: T' => if x <? y then (false, x :: T)
               else let (odd, T') := insert x T' in (negb odd, y :: T')
  end.

Fixpoint sort (T : list nat) : bool * list nat :=
  match T with
  | [] => (false, [])
  | x :: T => let (odd, T) := sort T in
              let (odd', T) := insert x T in (xorb odd odd', T)
  end.

Fixpoint same_list (T U : list nat) : bool :=
  match T, U with
  | [], [] => true
  | x :: T, y :: U => (x =? y) && same_list T U
  | _, _ => false
  end.
