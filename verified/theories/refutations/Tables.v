(** Tables indexed by positive numbers: binary tries. *)

From Coq Require Import PArith.

Inductive table (A : Type) := Leaf | Node (l : table A) (x : option A) (r : table A).
Arguments Leaf {A}.
Arguments Node {A}.

Fixpoint get {A} (m : table A) (i : positive) : option A :=
  match m, i with
  | Leaf, _ => None
  | Node _ x _, xH => x
  | Node l _ _, xO i => get l i
  | Node _ _ r, xI i => get r i
  end.

Fixpoint set {A} (m : table A) (i : positive) (y : A) {struct i} : table A :=
  match m, i with
  | Leaf, xH => Node Leaf (Some y) Leaf
  | Leaf, xO i => Node (set Leaf i y) None Leaf
  | Leaf, xI i => Node Leaf None (set Leaf i y)
  | Node l _ r, xH => Node l (Some y) r
  | Node l x r, xO i => Node (set l i y) x r
  | Node l x r, xI i => Node l x (set r i y)
  end.

Lemma get_leaf A i : get (@Leaf A) i = None.
Proof. destruct i; reflexivity. Qed.

Lemma get_set_same A (m : table A) i y : get (set m i y) i = Some y.
Proof. revert m; induction i; destruct m; simpl; auto. Qed.

Lemma get_set_other A (m : table A) i j y : i <> j -> get (set m i y) j = get m j.
Proof.
  revert m j; induction i; destruct m, j; simpl; intros; try congruence; try apply get_leaf;
    try (rewrite IHi by congruence; try apply get_leaf; reflexivity).
Qed.

Lemma get_set A (m : table A) i j y :
  get (set m i y) j = if Pos.eq_dec i j then Some y else get m j.
Proof.
  destruct (Pos.eq_dec i j) as [<-|]; [apply get_set_same | now apply get_set_other].
Qed.
