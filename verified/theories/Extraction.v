(** The checker in OCaml. *)

From Coq Require Import Extraction ZArith.
From Samapprox Require Import Certificates Refutations Coupled Values Margins Fits Depths Ranks.

Extract Inductive bool => "bool" [ "true" "false" ].
Extract Inductive option => "option" [ "Some" "None" ].
Extract Inductive list => "list" [ "[]" "( :: )" ].
Extract Inductive prod => "( * )" [ "" ].
Extract Inlined Constant andb => "(&&)".
Extract Inlined Constant orb => "(||)".
Extract Inlined Constant negb => "not".

(** Natural numbers are indices, dimensions and lengths of lists, so machine integers suffice. *)
Extract Inductive nat => "int" [ "0" "succ" ]
  "(fun zero succ n -> if n = 0 then zero () else succ (n - 1))".
Extract Inlined Constant Init.Nat.add => "(+)".
Extract Inlined Constant Init.Nat.sub => "Integers.subtract_naturals".
Extract Inlined Constant Init.Nat.max => "Integers.larger".
Extract Inlined Constant Nat.eqb => "Integers.equal_naturals".
Extract Inlined Constant Nat.leb => "Integers.at_most".
Extract Inlined Constant Nat.ltb => "Integers.less".

(** Integers of any size are those of zarith. The checker adds, multiplies and compares them, and
    takes none apart, so the functions that would build or match them are never called. *)
Extract Inductive Z => "Integers.t"
  [ "Integers.zero" "(fun _ -> assert false)" "(fun _ -> assert false)" ]
  "(fun _ _ _ _ -> assert false)".
Extract Inlined Constant Z.add => "Integers.add".
Extract Inlined Constant Z.mul => "Integers.mul".
Extract Inlined Constant Z.ltb => "Integers.lt".
Extract Inlined Constant Z.eqb => "Integers.equal".
Extract Inlined Constant Z.leb => "Integers.leq".
Extract Inlined Constant Z.succ => "Integers.succ".

Extraction "checker.ml"
  check_yes check_no check_wrong_rows check_few_wrong_rows check_few_wrong_entries
  check_few_wrong_rows_at check_recall check_coupled check_values check_margin
  check_factors check_rank_no.
