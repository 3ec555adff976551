(* The kind unit-embedding, as the verified checker reads it. *)

open Outcomes

type t = { a : int; b : int; integers : Expansions.embedding }

let read value =
  let names = [ "kind"; "query_scale"; "key_scale"; "queries"; "keys"; "thresholds" ] in
  let found = Forms.members "proof" names [] value in
  let scale name = Forms.whole name (Forms.get found name) in
  let a = scale "query_scale" in
  { a; b = scale "key_scale"; integers = Kinds.integers_of "proof" found "queries" "keys" }

let holds (pattern : Patterns.t) d (p, q) { a; b; integers } =
  let d = Option.value ~default:(Forms.width integers.queries) d in
  Kinds.ensure_sizes pattern d integers;
  Checker.check_margin (Patterns.verified pattern) d (Z.of_int p) (Z.of_int q) (Z.of_int a) (Z.of_int b)
    integers.queries integers.keys integers.thresholds
