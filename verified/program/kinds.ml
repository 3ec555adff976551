(* The kinds of proof that the verified checker covers: their forms, and how they reach it. *)

open Outcomes

(* The covered kinds, and their answers. Every other name is one of a kind that is not covered. *)
let answers = [
  ("embedding", "YES"); ("self-attention", "YES"); ("moment-curve", "YES"); ("merged", "YES");
  ("components", "YES"); ("caps", "YES"); ("balls", "YES"); ("key-order", "YES");
  ("value-embedding", "YES");
  ("radon", "NO"); ("shattering", "NO"); ("counting", "NO"); ("chirotope", "NO"); ("topological", "NO");
  ("hitting-set", "NO"); ("padded", "NO"); ("extended", "NO"); ("opposite-keys", "NO"); ("odd-cycle", "NO");
]

type proof =
  | Embedding of Expansions.embedding
  | Self_attention of Z.t list list * Z.t list list * Z.t list list * Z.t list
  | Moment_curve of { d : int; columns_are_elements : bool; order : int list; flipped : int list }
  | Merged of { rows : int list; columns : int list; row_of : int list; flipped : int list;
                column_of : int list; inner : proof }
  | Components of proof Components.t
  | Caps of Expansions.embedding
  | Balls of Expansions.embedding * Z.t list
  | Key_order of bool * Z.t list
  | Value_embedding of Expansions.embedding
  | Radon of int list * int list
  | Shattering of int list * int list
  | Counting of int * int list * int list
  | Chirotope of Orientations.t
  | Topological of Topological.t
  | Padded of { rows : int list; columns : int list; inner : proof }
  | Extended of { similarity : string; rows : int list; columns : int list; inner : proof }
  | Opposite_keys of { rows : int list; columns : int list; by : int list }
  | Odd_cycle of { circle : bool; rows : int list; columns : int list; walk : Z.t list list }

(* The sets of values of entries: of queries, unless these are free, and of keys. *)
let value_sets =
  let range low high = List.init (high - low + 1) (fun k -> Z.of_int (low + k)) in
  let entries =
    [ ("binary", List.map Z.of_int [ -1; 1 ]); ("ternary", range (-1) 1); ("int2", range (-2) 1);
      ("int3", range (-4) 3); ("int4", range (-8) 7) ] in
  List.map (fun (name, values) -> (name, (Some values, values))) entries
  @ List.map (fun (name, values) -> (name ^ "-keys", (None, values))) entries

(* The similarities about which a proof is. *)
let similarities = function
  | Extended _ | Key_order _ | Odd_cycle _ -> [ "cosine"; "l2" ]
  | Opposite_keys _ | Caps _ -> [ "cosine" ]
  | Balls _ -> [ "l2" ]
  | Value_embedding _ -> List.map fst value_sets
  | _ -> [ "dot" ]

let verified_similarity = function "cosine" -> Checker.Cosine | "l2" -> Checker.Distance | _ -> Checker.DotProduct

(* {2 Reading} *)

let kind_of place value =
  match value with
  | Json.Object found ->
    (match List.assoc_opt "kind" found with
     | Some (Json.Text name) -> name
     | _ -> unreadable (place ^ ".kind must be a text"))
  | _ -> unreadable (place ^ " must be an object")

let require_short place items =
  if List.exists (fun x -> Z.geq x (Z.shift_left Z.one 62)) items then unreadable (place ^ " has a number beyond 2^62")

let member place found read name = read (place ^ "." ^ name) (Forms.get found name)

(* Two matrices of the same width, and a threshold for each row of the first one. *)
let integers_of place found queries keys =
  let queries = member place found Forms.matrix queries in
  let keys = member place found Forms.matrix keys in
  let thresholds = member place found Forms.vector "thresholds" in
  if Forms.width queries <> Forms.width keys then unreadable (place ^ ": queries and keys differ in dimension");
  if List.compare_lengths queries thresholds <> 0 then unreadable (place ^ ": not one threshold for each query");
  { Expansions.queries; keys; thresholds }

let rec read place depth value =
  if depth > 8 then unreadable (place ^ " lies within more than 8 proofs");
  let name = kind_of place value in
  if not (List.mem_assoc name answers) then
    not_covered (Printf.sprintf "proofs of the kind %S are not covered by the verified checker" name);
  let members ?(optional = []) needed =
    Forms.members place ("kind" :: needed) optional value
  in
  let read_embedding queries needed =
    let found = members (queries :: "keys" :: "thresholds" :: needed) in
    (found, integers_of place found queries "keys")
  in
  match name with
  | "embedding" -> (name, Embedding (snd (read_embedding "queries" [])))
  | "value-embedding" -> (name, Value_embedding (snd (read_embedding "queries" [])))
  | "caps" ->
    let _, integers = read_embedding "queries" [] in
    if List.exists (List.for_all (Z.equal Z.zero)) integers.keys then unreadable (place ^ " has a key that is zero");
    (name, Caps integers)
  | "balls" ->
    let found, integers = read_embedding "centers" [ "weights" ] in
    let weights = member place found Forms.vector "weights" in
    if List.exists (fun w -> Z.lt w Z.one) weights then unreadable (place ^ " has a weight less than 1");
    if List.compare_lengths weights integers.queries <> 0 then unreadable (place ^ ": not one weight for each center");
    (name, Balls (integers, weights))
  | "key-order" ->
    let found = members [ "curve"; "places" ] in
    let circle = member place found (fun place -> Forms.choice place [ "circle"; "line" ]) "curve" = "circle" in
    let places = member place found Forms.vector "places" in
    if List.exists (fun p -> Z.sign p < 0) places then unreadable (place ^ " has a place below 0");
    require_short place places;
    (name, Key_order (circle, places))
  | "self-attention" ->
    let found = members [ "X"; "W_Q"; "W_K"; "thresholds" ] in
    let get read name = member place found read name in
    let x = get Forms.matrix "X" in
    let w_q = get Forms.matrix "W_Q" in
    let w_k = get Forms.matrix "W_K" in
    let thresholds = get Forms.vector "thresholds" in
    let hidden = Forms.width x in
    if List.length w_q <> hidden || List.length w_k <> hidden || Forms.width w_q <> Forms.width w_k
       || List.compare_lengths thresholds x <> 0
    then unreadable (place ^ ": the sizes of X, W_Q and W_K do not fit together");
    (name, Self_attention (x, w_q, w_k, thresholds))
  | "moment-curve" ->
    let found = members [ "d"; "elements"; "order"; "flipped" ] in
    let get read name = member place found read name in
    let d = get Forms.whole "d" in
    let columns_are_elements = get (fun place -> Forms.choice place [ "columns"; "rows" ]) "elements" = "columns" in
    let order = get Forms.indices "order" in
    get (fun place value -> require_short place (Forms.vector place value)) "order";
    let flipped = get Forms.indices "flipped" in
    get (fun place value -> require_short place (Forms.vector place value)) "flipped";
    (name, Moment_curve { d; columns_are_elements; order; flipped })
  | "merged" ->
    let found = members [ "rows"; "columns"; "row_of"; "flipped"; "column_of"; "proof" ] in
    let get read name = member place found read name in
    let rows = get Forms.numbers "rows" in
    let columns = get Forms.numbers "columns" in
    let row_of = get (Forms.numbers ~least:(-1)) "row_of" in
    let flipped = get Forms.numbers "flipped" in
    let column_of = get Forms.numbers "column_of" in
    let inner = get (fun place value -> read_answering "YES" place (depth + 1) value) "proof" in
    (name, Merged { rows; columns; row_of; flipped; column_of; inner })
  | "components" ->
    let read_proof = read_answering "YES" (place ^ ".proof") (depth + 1) in
    (name, Components (Components.read read_proof (members [ "columns"; "parts" ])))
  | "radon" | "shattering" ->
    let found = members [ "rows"; "columns" ] in
    let get read name = member place found read name in
    let rows = get Forms.indices "rows" in
    let columns = get Forms.indices "columns" in
    (name, if name = "radon" then Radon (rows, columns) else Shattering (rows, columns))
  | "counting" ->
    let found = members [ "d"; "rows"; "columns" ] in
    let get read name = member place found read name in
    let d = get Forms.whole "d" in
    let rows = get Forms.indices "rows" in
    (name, Counting (d, rows, get Forms.indices "columns"))
  | "padded" ->
    let found = members [ "rows"; "columns"; "proof" ] in
    let get read name = member place found read name in
    let rows = get Forms.indices "rows" in
    let columns = get Forms.indices "columns" in
    let inner = get (fun place value -> read_answering "NO" place (depth + 1) value) "proof" in
    let number = List.length rows in
    if number < 3 || number land 1 = 0 || List.length columns < 2 then unreadable (place ^ " has no pairs of rows or no columns");
    (name, Padded { rows; columns; inner })
  | "extended" ->
    let found = members [ "similarity"; "rows"; "columns"; "proof" ] in
    let get read name = member place found read name in
    let similarity = get (fun place -> Forms.choice place [ "cosine"; "l2" ]) "similarity" in
    let rows = get Forms.indices "rows" in
    let columns = get Forms.indices "columns" in
    let inner = get (fun place value -> read_answering "NO" place (depth + 1) value) "proof" in
    (name, Extended { similarity; rows; columns; inner })
  | "opposite-keys" ->
    let found = members [ "rows"; "columns"; "by" ] in
    let get read name = member place found read name in
    let rows = get Forms.indices "rows" in
    let columns = get Forms.indices "columns" in
    let by = get Forms.numbers "by" in
    if List.compare_lengths by columns <> 0 then unreadable (place ^ ".by has not one row for each column");
    (name, Opposite_keys { rows; columns; by })
  | "odd-cycle" ->
    let found = members [ "curve"; "rows"; "columns"; "walk" ] in
    let get read name = member place found read name in
    let circle = get (fun place -> Forms.choice place [ "circle"; "line" ]) "curve" = "circle" in
    let rows = get Forms.indices "rows" in
    let columns = get Forms.indices "columns" in
    (name, Odd_cycle { circle; rows; columns; walk = get Forms.matrix "walk" })
  | "topological" -> (name, Topological (Topological.read (members Topological.needed)))
  | "hitting-set" -> not_covered "proofs within this proof are not covered by the verified checker"
  | _ ->
    (name, Chirotope (Orientations.read (members ~optional:Orientations.optional Orientations.needed)))

and read_answering answer place depth value =
  let name, proof = read place depth value in
  if List.assoc name answers <> answer then unreadable (Printf.sprintf "%s is not a proof of %s" place answer);
  proof

(* {2 YES} *)

let integers { Expansions.queries; keys; thresholds } = Checker.Integers (queries, keys, thresholds)

let ensure_sizes (pattern : Patterns.t) d (found : Expansions.embedding) =
  ensure (Forms.width found.queries <= d) "it is in a larger dimension";
  ensure
    (List.length found.queries = pattern.rows && List.length found.keys = pattern.columns)
    "it has another number of queries or keys"

let ensure_tokens (pattern : Patterns.t) d x w_q =
  ensure (Forms.width w_q <= d) "it is in a larger dimension";
  ensure (pattern.rows = List.length x && pattern.columns = List.length x) "it has another number of tokens"

(* Evidence for the verified checker that the pattern is representable. *)
let rec evidence (pattern : Patterns.t) d = function
  | Embedding found ->
    ensure_sizes pattern d found;
    integers found
  | Self_attention (x, w_q, w_k, thresholds) ->
    ensure_tokens pattern d x w_q;
    integers { queries = Expansions.product x w_q; keys = Expansions.product x w_k; thresholds }
  | Moment_curve { d = own; columns_are_elements; order; flipped } ->
    ensure (own <= d) "it is in a larger dimension";
    let number = if columns_are_elements then pattern.columns else pattern.rows + 1 in
    ensure (List.length order = number && List.for_all (fun e -> e < number) order) "its order is not one of the elements";
    ensure (List.for_all (fun e -> e < number) flipped) "it flips an element that does not exist";
    integers (Expansions.of_moment_curve pattern own columns_are_elements order flipped)
  | Merged { rows; columns; row_of; flipped; column_of; inner } ->
    let below bound = List.for_all (fun x -> x < bound) in
    ensure
      (List.length row_of = pattern.rows && List.length column_of = pattern.columns
       && below pattern.rows rows && below pattern.rows flipped && below pattern.columns columns
       && below (List.length rows) row_of && below (List.length columns) column_of)
      "it merges another number of rows or columns";
    let row_of_array = Array.of_list row_of and column_of_array = Array.of_list column_of in
    ensure
      (List.for_all Fun.id (List.mapi (fun a i -> row_of_array.(i) = a) rows)
       && List.for_all Fun.id (List.mapi (fun b j -> column_of_array.(j) = b) columns))
      "its rows or columns do not stand for themselves";
    let flips = Array.make pattern.rows false in
    List.iter (fun i -> flips.(i) <- true) flipped;
    let representatives = Array.of_list rows and kept = Array.of_list columns in
    Array.iteri
      (fun i row ->
         if row_of_array.(i) < 0 then ensure (not (Bytes.contains row '0')) "a row with a 0 is left out"
         else
           let o = representatives.(row_of_array.(i)) in
           let other = pattern.entries.(o) in
           ensure
             (Bytes.equal row (if flips.(i) = flips.(o) then other else Orientations.complement other))
             "a row is not the row that stands for it")
      pattern.entries;
    Array.iter
      (fun i ->
         Array.iteri
           (fun j b -> ensure (Patterns.entry pattern i j = Patterns.entry pattern i kept.(b)) "merged columns differ")
           column_of_array)
      representatives;
    ensure (rows <> [] && columns <> []) "the smaller pattern is empty";
    let smaller =
      Array.map
        (fun i ->
           let row = Bytes.init (Array.length kept) (fun b -> Patterns.entry pattern i kept.(b)) in
           if flips.(i) then Orientations.complement row else row)
        representatives
    in
    let inner = evidence_of_part d (Patterns.of_rows smaller) inner in
    let source i a = if a < 0 then Checker.Ones false else Checker.Copy (flips.(i), a) in
    Checker.Copies (List.mapi source row_of, column_of, inner)
  | Components proof ->
    Components.evidence pattern d proof (fun inner part ->
      let why = evidence_of_part d part inner in
      ensure
        (Checker.check_yes Checker.DotProduct (Patterns.verified part) d (Checker.OfProducts why))
        "the verified checker does not accept a part";
      why)
  | Caps _ | Balls _ | Key_order _ | Value_embedding _ -> refuse "its kind is about another similarity"
  | Radon _ | Shattering _ | Counting _ | Chirotope _ | Topological _ | Padded _ | Extended _ | Opposite_keys _
  | Odd_cycle _ -> assert false

and evidence_of_part d part proof =
  ensure (Patterns.row_without_one part = None) "a row of a smaller pattern has no 1";
  evidence part d proof

(* Evidence for all similarities. *)
let witness pattern similarity d proof =
  ensure (List.mem similarity (similarities proof)) "its kind is about another similarity";
  match proof with
  | Caps found ->
    ensure_sizes pattern d found;
    Checker.OfCaps (found.queries, found.keys, found.thresholds)
  | Balls (found, weights) ->
    ensure_sizes pattern d found;
    Checker.OfBalls (found.queries, weights, found.keys, found.thresholds)
  | Key_order (circle, places) -> Orders.witness pattern similarity d circle places
  | _ -> Checker.OfProducts (evidence pattern d proof)

(* Whether a proof with one matrix X for queries and keys holds. *)
let holds_coupled pattern verified d hidden = function
  | Self_attention (x, w_q, w_k, thresholds) ->
    ensure_tokens pattern d x w_q;
    Checker.check_coupled verified d hidden x (Expansions.transpose w_q) (Expansions.transpose w_k) thresholds
  | _ -> refuse "it answers a free question"

(* Whether a proof for a set of values holds. *)
let holds_for_values pattern verified similarity d = function
  | Value_embedding found ->
    ensure_sizes pattern d found;
    let of_queries, of_keys = List.assoc similarity value_sets in
    Checker.check_values of_queries of_keys verified d (Forms.width found.queries) found.queries found.keys found.thresholds
  | _ -> refuse "its kind is about another similarity"

(* {2 NO} *)

let check_scope (pattern : Patterns.t) d rows columns ~entries dimension =
  ensure (List.for_all (fun i -> i < pattern.rows) rows) "it names a row that does not exist";
  ensure (List.for_all (fun j -> j < pattern.columns) columns) "it names a column that does not exist";
  ensure (entries <= 1 lsl 22) "its core is too large to check";
  ensure (dimension >= d) "it refutes a smaller dimension"

let ensure_specified (pattern : Patterns.t) rows columns =
  List.iter
    (fun i -> List.iter (fun j -> ensure (Patterns.entry pattern i j <> '*') "an entry of the core is a don't-care") columns)
    rows

(* Keep one of several lines with the same entries. *)
let different lines name =
  let seen = Hashtbl.create 64 in
  List.filter
    (fun x ->
       let entries = name x in
       if Hashtbl.mem seen entries then false else (Hashtbl.add seen entries (); true))
    lines

let row_on (pattern : Patterns.t) columns i = String.concat "" (List.map (fun j -> String.make 1 (Patterns.entry pattern i j)) columns)
let column_on (pattern : Patterns.t) rows j = String.concat "" (List.map (fun i -> String.make 1 (Patterns.entry pattern i j)) rows)

(* The different splits of the columns: rows that begin with a 0, without the row of zeros. *)
let splits pattern rows columns =
  let normal row = if row.[0] = '1' then String.map (fun c -> if c = '1' then '0' else '1') row else row in
  different rows (fun i -> normal (row_on pattern columns i))
  |> List.filter (fun i -> String.contains (normal (row_on pattern columns i)) '1')
  |> List.map (fun i -> (i, normal (row_on pattern columns i)))

(* d + 1 places at which strings, more than C(n, 0) + .. + C(n, d) of length n, take all values: the
   proof of the lemma of Sauer and Shelah, read as a search. *)
let rec shattered n d strings =
  if d < 0 then []
  else begin
    (* Divide by the last place. *)
    let prefix s = String.sub s 0 (n - 1) in
    let seen = Hashtbl.create 64 in
    List.iter (fun s -> let p = prefix s in Hashtbl.replace seen p (1 + Option.value ~default:0 (Hashtbl.find_opt seen p))) strings;
    let all = Hashtbl.fold (fun p _ found -> p :: found) seen [] in
    let twice = Hashtbl.fold (fun p count found -> if count = 2 then p :: found else found) seen [] in
    let bound = ref Z.zero in
    for k = 0 to min d (n - 1) do bound := Z.add !bound (Subsets.choose (n - 1) k) done;
    if Z.gt (Z.of_int (List.length all)) !bound then shattered (n - 1) d all
    else shattered (n - 1) (d - 1) twice @ [ n - 1 ]
  end

let exceeds_regions count n d =
  let sum = ref Z.zero and k = ref 0 in
  while !k <= min d n && Z.lt !sum count do sum := Z.add !sum (Subsets.choose n !k); incr k done;
  Z.gt count !sum

(* The rows and columns of a proof of NO. *)
let scope = function
  | Radon (rows, columns) | Shattering (rows, columns) | Counting (_, rows, columns)
  | Chirotope { rows; columns; _ } | Topological { rows; columns; _ } | Padded { rows; columns; _ }
  | Extended { rows; columns; _ } | Opposite_keys { rows; columns; _ }
  | Odd_cycle { rows; columns; _ } -> (rows, columns)
  | Embedding _ | Self_attention _ | Moment_curve _ | Merged _ | Components _ | Caps _ | Balls _
  | Key_order _ | Value_embedding _ -> assert false

let extra similarity = if similarity = "l2" then 1 else 0

(* An extended proof is plain if the proof within it names no added row or column. *)
let is_plain rows columns inner =
  let inner_rows, inner_columns = scope inner in
  let below lines = List.for_all (fun x -> x < List.length lines) in
  below rows inner_rows && below columns inner_columns

(* The number of entries that a proof of NO reads. *)
let entries = function
  | Topological proof -> Topological.entries proof
  | Opposite_keys { columns; _ } -> 2 * List.length columns
  | Odd_cycle { walk; _ } -> 4 * List.length walk
  | Extended { similarity; rows; columns; inner } when not (is_plain rows columns inner) ->
    let m = List.length rows and n = List.length columns and x = extra similarity in
    (m + n + x) * (n + x)
  | proof ->
    let rows, columns = scope proof in
    List.length rows * List.length columns

(* The core with a row for each column, and for distances a row and a column for the point at infinity. *)
let extended_pattern (core : Patterns.t) x distinct =
  let n = core.columns in
  let wide row = Bytes.cat row (Bytes.make x '0') in
  let differ a b =
    Array.exists (fun row -> match Bytes.get row a, Bytes.get row b with '0', '1' | '1', '0' -> true | _ -> false) core.entries
  in
  let single a = Bytes.init n (fun b -> if a = b then '1' else if distinct || differ a b then '0' else '*') in
  let last = if x = 1 then [| Bytes.cat (Bytes.make n '0') (Bytes.of_string "1") |] else [||] in
  Patterns.of_rows
    (Array.concat [ Array.map wide core.entries; Array.init n (fun a -> wide (single a)); last ])

(* The pattern of which each row is what a row with the first column and one without it have in common. *)
let without_padding (core : Patterns.t) =
  let read_as first row = if Bytes.get row 0 = first then row else Orientations.complement row in
  Array.iter (fun row -> ensure (Bytes.get row 0 <> '*') "a row does not specify the added column") core.entries;
  let level = read_as '1' core.entries.(0) in
  ensure (Bytes.for_all (( = ) '0') (Bytes.sub level 1 (core.columns - 1))) "its first row does not single out a column";
  let row i =
    let upper = read_as '1' core.entries.((2 * i) + 1) and lower = read_as '0' core.entries.((2 * i) + 2) in
    Bytes.init (core.columns - 1) (fun b ->
      let entry = Bytes.get upper (b + 1) in
      if entry = Bytes.get lower (b + 1) then entry else '*')
  in
  Patterns.of_rows (Array.init (core.rows / 2) row)

let rec refutation (pattern : Patterns.t) similarity d proof =
  ensure (List.mem similarity (similarities proof)) "its kind is about another similarity";
  let rows, columns = scope proof in
  let check_scope = check_scope pattern d rows columns ~entries:(entries proof) in
  match proof with
  | Radon _ ->
    let dimension = List.length columns - 2 in
    check_scope dimension;
    ensure_specified pattern rows columns;
    Checker.SplitsInAllWays (dimension, true, different rows (row_on pattern columns), columns)
  | Shattering _ ->
    let dimension = List.length rows - 1 in
    check_scope dimension;
    ensure_specified pattern rows columns;
    Checker.SplitsInAllWays (dimension, false, rows, different columns (column_on pattern rows))
  | Counting (own, _, _) ->
    check_scope own;
    ensure (columns <> []) "its core has no columns";
    ensure_specified pattern rows columns;
    let n = List.length columns - 1 in
    let found = splits pattern rows columns in
    ensure (exceeds_regions (Z.of_int (List.length found + 1)) n own) "its splits are possible";
    let strings = String.make n '0' :: List.map (fun (_, row) -> String.sub row 1 n) found in
    let places = shattered n own strings in
    let chosen = List.map (List.nth columns) (0 :: List.map succ places) in
    Checker.SplitsInAllWays (own, true, different (List.map fst found) (row_on pattern chosen), chosen)
  | Chirotope proof ->
    check_scope proof.d;
    Orientations.refutation pattern proof
  | Topological proof ->
    check_scope proof.d;
    Topological.refutation pattern proof
  | Padded { inner; _ } ->
    check_scope d;
    let smaller = without_padding (Patterns.submatrix pattern rows columns) in
    ensure (Patterns.row_without_one smaller = None) "a pair of rows has no 1 in common";
    Checker.Padding (rows, columns, refutation smaller "dot" (max 1 (d - 1)) inner)
  | Extended { similarity = own; inner; _ } ->
    ensure (own = similarity) "it is about another similarity";
    check_scope d;
    ensure (rows <> [] && columns <> []) "its core is empty";
    let core = Patterns.submatrix pattern rows columns in
    ensure (Patterns.row_without_one core = None) "a row of its core has no 1";
    let x = extra similarity and plain = is_plain rows columns inner in
    let about = if plain then core else extended_pattern core x (d + x >= 2) in
    Checker.Extended (plain, rows, columns, refutation about "dot" (d + x) inner)
  | Opposite_keys { by; _ } ->
    check_scope 1;
    ensure (List.length columns land 1 = 1) "its cycle has an even number of keys";
    ensure (List.for_all (fun r -> r < List.length rows) by) "it names a row that does not exist";
    Checker.OddlyManyOpposite (List.map2 (fun r column -> (List.nth rows r, column)) by columns)
  | Odd_cycle { circle; walk; _ } ->
    ensure (similarity = if circle then "cosine" else "l2") "its curve shows nothing for this similarity";
    check_scope (if circle then 2 else 1);
    let least = if circle then Z.one else Z.zero in
    let below lines x = Z.sign x >= 0 && Z.lt x (Z.of_int (List.length lines)) in
    let step = function
      | [ a; b; r ]
        when below columns a && below columns b && below rows r && not (Z.equal a b) && Z.geq a least && Z.geq b least ->
        ((List.nth columns (Z.to_int a), List.nth columns (Z.to_int b)), List.nth rows (Z.to_int r))
      | _ -> refuse "a step does not name two columns and a row"
    in
    let steps = List.map step walk in
    let pairs = List.map fst steps in
    let a0, b0 = List.hd pairs in
    List.iter2
      (fun (a, b) (a', b') -> ensure ((a = a') <> (b = b')) "a step does not replace one of its two columns")
      pairs (List.tl pairs @ [ (b0, a0) ]);
    Checker.Exchanges ((if circle then Some (List.hd columns) else None), steps)
  | Embedding _ | Self_attention _ | Moment_curve _ | Merged _ | Components _ | Caps _ | Balls _
  | Key_order _ | Value_embedding _ -> assert false
