(** The kinds [merged] and [components]: copies of rows and columns, and two patterns that are glued
    at a border, with or without a column that they share. *)

From Coq Require Import List Bool Arith ZArith.
From Samapprox Require Import Patterns Embeddings.
Import ListNotations.

(** *** Copies *)

Definition complement (e : entry) : entry :=
  match e with One => Zero | Zero => One | Any => Any end.

(** Put a row in front of the columns. *)
Fixpoint attach (row : list entry) (columns : list (list entry)) : list (list entry) :=
  match columns with
  | [] => []
  | column :: columns =>
      match row with
      | [] => (Any :: column) :: attach [] columns
      | e :: row => (e :: column) :: attach row columns
      end
  end.

(** The first [width] columns, as rows. *)
Definition transpose (width : nat) (S : pattern) : pattern := fold_right attach (repeat [] width) S.

Definition copy_columns (S : pattern) (columns : list nat) : pattern :=
  let all := transpose (1 + fold_right max 0 columns) S in
  transpose (length S) (map (fun j => nth j all []) columns).

(** A row that is copied, or a row of ones; possibly complemented. *)
Inductive source := Ones (flipped : bool) | Copy (flipped : bool) (i : nat).

Definition copy_rows (S : pattern) (width : nat) (rows : list source) : pattern :=
  map
    (fun s =>
       match s with
       | Ones flipped => repeat (if flipped : bool then Zero else One) width
       | Copy flipped i => if flipped : bool then map complement (nth i S []) else nth i S []
       end) rows.

(** *** Gluing *)

(** What follows [width] zeros. *)
Fixpoint after_zeros (width : nat) (row : list entry) : list entry :=
  match width, row with
  | O, _ => row
  | Datatypes.S width, Zero :: row => after_zeros width row
  | _, _ => []
  end.

(** After [height] rows and [width] columns, the pattern has a border: a column z of which none of
    these rows has a 1, and a row with its 1 at z alone. If a column c is shared, it precedes z, and
    three rows have ones at c and z, at c alone and at z alone. *)
Definition has_border (share : bool) (height width : nat) (S : pattern) : bool :=
  let border k := after_zeros width (nth (height + k) S []) in
  (0 <? width) &&
  forallb
    (fun row => match nth (if share then 1 + width else width) row Any with Zero => true | _ => false end)
    (firstn height S) &&
  if share then
    match border 0, border 1, border 2 with
    | One :: One :: _, One :: Zero :: _, Zero :: One :: _ => true
    | _, _, _ => false
    end
  else match border 0 with One :: _ => true | _ => false end.

(** Both patterns without their borders, with zeros between them. *)
Definition glue (share : bool) (height width : nat) (S : pattern) (height' width' : nat) (S' : pattern)
  : pattern :=
  let shared width row := if share then [nth width row Any] else [] in
  map (fun row => firstn width row ++ repeat Zero width' ++ shared width row) (firstn height S) ++
  map (fun row => repeat Zero width ++ firstn width' row ++ shared width' row) (firstn height' S').

(** *** Evidence *)

(** Why a pattern is representable. *)
Inductive evidence :=
| Integers (queries keys : list (list Z)) (thresholds : list Z)
| Copies (rows : list source) (columns : list nat) (copied : evidence)
| Glued (share : bool) (height width : nat) (one : evidence) (height' width' : nat) (other : evidence).

(** The pattern that is representable in dimension [d]. *)
Fixpoint represented (d : nat) (why : evidence) : option pattern :=
  match why with
  | Integers queries keys thresholds => pattern_of_integers d keys queries thresholds
  | Copies rows columns copied =>
      match represented d copied with
      | Some P => Some (copy_rows (copy_columns P columns) (length columns) rows)
      | None => None
      end
  | Glued share height width one height' width' other =>
      match represented d one, represented d other with
      | Some P, Some P' =>
          if ((if share then 2 else 1) <=? d) &&
             has_border share height width P && has_border share height' width' P'
          then Some (glue share height width P height' width' P') else None
      | _, _ => None
      end
  end.

Fixpoint row_implies (row row' : list entry) : bool :=
  match row, row' with
  | _, [] => true
  | _ :: row, Any :: row' => row_implies row row'
  | One :: row, One :: row' => row_implies row row'
  | Zero :: row, Zero :: row' => row_implies row row'
  | [], Any :: row' => row_implies [] row'
  | _, _ => false
  end.

(** The first pattern has all entries that the second one specifies. *)
Fixpoint implies (S S' : pattern) : bool :=
  match S, S' with
  | _, [] => true
  | row :: rows, row' :: rows' => if row_implies row row' then implies rows rows' else false
  | [], row' :: rows' => row_implies [] row' && implies [] rows'
  end.

Definition check_evidence (S : pattern) (d : nat) (why : evidence) : bool :=
  match represented d why with
  | Some found => implies found S
  | None => false
  end.
