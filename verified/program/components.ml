(* The kind components: its conditions, and evidence that glues the copies of its parts. The evidence
   need not be trusted. *)

open Outcomes

type 'proof part = { proof : 'proof; rows : int list list; columns : int list list }
type 'proof t = { columns : int; parts : 'proof part list }

(* {2 Reading} *)

let read_part read_proof value =
  let found = Forms.members "a part" [ "proof"; "rows"; "columns" ] [] value in
  let matrix name =
    let lists = List.map (Forms.numbers name) (Forms.list name (Forms.get found name)) in
    if lists = [] then unreadable (name ^ " has no rows");
    let width = List.length (List.hd lists) in
    if width = 0 then unreadable (name ^ " has an empty row");
    if List.exists (fun row -> List.compare_length_with row width <> 0) lists then
      unreadable (name ^ " has rows of different lengths");
    lists
  in
  let rows = matrix "rows" in
  let columns = matrix "columns" in
  if List.compare_lengths rows columns <> 0 then unreadable "a part has not as many copies of rows as of columns";
  { proof = read_proof (Forms.get found "proof"); rows; columns }

let read read_proof found =
  let columns = Forms.whole "columns" (Forms.get found "columns") in
  let parts = Forms.records "parts" (read_part read_proof) (Forms.get found "parts") in
  if parts = [] then unreadable "it has no parts";
  { columns; parts }

(* {2 Conditions} *)

(* How many copies contain each column. *)
let uses (pattern : Patterns.t) { columns; parts } =
  ensure (columns = pattern.columns) "it has another number of columns";
  let seen = Array.make pattern.rows false and uses = Array.make columns 0 in
  List.iter
    (fun { rows; columns = copies; _ } ->
       List.iter
         (List.iter (fun i ->
            ensure (i < pattern.rows && not seen.(i)) "a row is beyond the pattern or in two copies";
            seen.(i) <- true))
         rows;
       List.iter
         (fun copy ->
            List.iter (fun j -> ensure (j < columns) "a part has a column beyond the pattern") copy;
            ensure (List.length (List.sort_uniq compare copy) = List.length copy) "a part has a column twice";
            List.iter (fun j -> uses.(j) <- uses.(j) + 1) copy)
         copies)
    parts;
  ensure (Array.for_all Fun.id seen) "a row is in no part";
  uses

let ensure_forest parts uses =
  let parents = Hashtbl.create 64 in
  let rec root vertex = match Hashtbl.find_opt parents vertex with None -> vertex | Some above -> root above in
  List.iteri
    (fun number copy ->
       List.iter
         (fun j ->
            if uses.(j) > 1 then begin
              let one = root (`Copy number) and other = root (`Column j) in
              ensure (one <> other) "parts and the columns they share form a cycle";
              Hashtbl.replace parents one other
            end)
         copy)
    (List.concat_map (fun (part : _ part) -> part.columns) parts)

let ensure_ones_inside (pattern : Patterns.t) parts =
  List.iter
    (fun { rows; columns; _ } ->
       List.iter2
         (fun rows columns ->
            let inside = Array.make pattern.columns false in
            List.iter (fun j -> inside.(j) <- true) columns;
            List.iter
              (fun i ->
                 Bytes.iteri (fun j entry -> ensure (entry <> '1' || inside.(j)) "a 1 is outside its part") pattern.entries.(i))
              rows)
         rows columns)
    parts

let copy_of (pattern : Patterns.t) rows columns =
  List.map (fun i -> List.map (fun j -> Patterns.entry pattern i j) columns) rows

(* The first copy with its border, and the places of its cut columns. *)
let bordered pattern uses { rows; columns; _ } =
  let places copy = List.filter (fun b -> uses.(List.nth copy b) > 1) (List.init (List.length copy) Fun.id) in
  let cuts = places (List.hd columns) in
  ensure (List.for_all (fun copy -> places copy = cuts) columns) "copies of a part share different columns";
  let first = copy_of pattern (List.hd rows) (List.hd columns) in
  List.iter2 (fun rows columns -> ensure (copy_of pattern rows columns = first) "copies of a part differ") rows columns;
  let width = List.length (List.hd columns) in
  let total = width + max 1 (List.length cuts) in
  let line ones = Bytes.init total (fun b -> if List.mem b ones then '1' else '0') in
  let inner = List.map (fun row -> Bytes.cat (Bytes.of_seq (List.to_seq row)) (Bytes.make (total - width) '0')) first in
  let border =
    if cuts = [] then [ line [ width ] ]
    else List.concat (List.mapi (fun y b -> [ line [ b; width + y ]; line [ b ]; line [ width + y ] ]) cuts)
  in
  Patterns.of_rows (Array.of_list (inner @ border))

(* {2 Gluing} *)

(* Rows and columns of a glued pattern. The border of a cut column c has columns z, told apart by
   numbers; a key is a column with a row of its own. *)
type column = Column of int | Border of int * int | Key of int
type row = Row of int | Both of int * int | Alone of int | Only of int * int | Single of int

type piece = { why : Checker.evidence; row_names : row list; column_names : column list }

let position name names =
  let rec go k = function
    | [] -> refuse "its parts cannot be glued"
    | other :: rest -> if other = name then k else go (k + 1) rest
  in
  go 0 names

let arrange piece rows columns =
  Checker.Copies
    ( List.map (fun name -> Checker.Copy (false, position name piece.row_names)) rows,
      List.map (fun name -> position name piece.column_names) columns,
      piece.why )

(* Glue two pieces, each at one of its borders: of the same cut column, or at keys. *)
let glue (one, at) (other, at') =
  let prepare piece at =
    let shared, rows =
      match at with
      | Border (c, k) -> ([ Column c ], [ Both (c, k); Alone c; Only (c, k) ])
      | Key k -> ([], [ Single k ])
      | Column _ -> assert false
    in
    let spare = function Border (c, k) -> at <> Border (c, k) && shared = [ Column c ] | _ -> false in
    let kept = function Alone _ -> List.exists spare piece.column_names | _ -> false in
    let inner = List.filter (fun row -> kept row || not (List.mem row rows)) piece.row_names in
    let columns = List.filter (fun column -> column <> at && not (List.mem column shared)) piece.column_names in
    let why = arrange piece (inner @ rows) (columns @ shared @ [ at ]) in
    (why, inner, columns, shared)
  in
  let why, rows, columns, shared = prepare one at in
  let why', rows', columns', _ = prepare other at' in
  { why =
      Checker.Glued (shared <> [], List.length rows, List.length columns, why, List.length rows', List.length columns', why');
    row_names = rows @ rows'; column_names = columns @ columns' @ shared }

let integers queries keys thresholds =
  let vectors = List.map (List.map Z.of_int) in
  Checker.Integers (vectors queries, vectors keys, List.map Z.of_int thresholds)

(* A triangle: three keys with a row each. *)
let three_keys a b c =
  { why = integers [ [ -1; -1 ]; [ 1; 0 ]; [ 0; 1 ] ] [ [ 0; 0 ]; [ 1; 0 ]; [ 0; 1 ] ] [ -1; 0; 0 ];
    row_names = [ Single a; Single b; Single c ]; column_names = [ Key a; Key b; Key c ] }

(* A square with the corners c, z, a key and another z. *)
let border_and_key c z key z' =
  { why =
      integers
        [ [ 0; -2 ]; [ -2; -2 ]; [ 1; -1 ]; [ 1; 1 ]; [ -2; 0 ]; [ -1; 1 ] ]
        [ [ 0; 0 ]; [ 1; 0 ]; [ 1; 1 ]; [ 0; 1 ] ] [ -1; -1; 0; 1; -1; 0 ];
    row_names = [ Both (c, z); Alone c; Only (c, z); Single key; Both (c, z'); Only (c, z') ];
    column_names = [ Column c; Border (c, z); Key key; Border (c, z') ] }

(* A tetrahedron with the corners c and three z. *)
let three_borders c z z' z'' =
  { why =
      integers
        [ [ -1; -1; -1 ]; [ 0; -1; -1 ]; [ -1; 0; -1 ]; [ -1; -1; 0 ]; [ 1; 0; 0 ]; [ 0; 1; 0 ]; [ 0; 0; 1 ] ]
        [ [ 0; 0; 0 ]; [ 1; 0; 0 ]; [ 0; 1; 0 ]; [ 0; 0; 1 ] ] [ -1; -1; -1; -1; 0; 0; 0 ];
    row_names = [ Alone c; Both (c, z); Both (c, z'); Both (c, z''); Only (c, z); Only (c, z'); Only (c, z'') ];
    column_names = [ Column c; Border (c, z); Border (c, z'); Border (c, z'') ] }

(* Each copy, with a border at each of its cut columns or a key. *)
let pieces_of uses fresh evidence_of parts =
  List.concat_map
    (fun ({ rows; columns; _ } as part) ->
       let why = evidence_of part in
       List.map2
         (fun rows columns ->
            let cuts = List.filter (fun j -> uses.(j) > 1) columns in
            let borders = List.map (fun c -> (c, fresh ())) cuts in
            let row_names, column_names =
              if cuts = [] then let key = fresh () in ([ Single key ], [ Key key ])
              else
                (List.concat_map (fun (c, z) -> [ Both (c, z); Alone c; Only (c, z) ]) borders,
                 List.map (fun (c, z) -> Border (c, z)) borders)
            in
            { why; row_names = List.map (fun i -> Row i) rows @ row_names;
              column_names = List.map (fun j -> Column j) columns @ column_names })
         rows columns)
    parts

(* A copy with one column, which is a cut column, contributes rows with a 1 at c alone. *)
let without_single fresh pieces =
  let single piece = match piece.column_names with [ Column c; Border _ ] -> Some c | _ -> None in
  let singles, pieces = List.partition (fun piece -> single piece <> None) pieces in
  let add pieces piece =
    let c = Option.get (single piece) in
    let rows = List.filter (function Row _ -> true | _ -> false) piece.row_names in
    let has_c other = List.mem (Column c) other.column_names in
    let host, others =
      match List.partition has_c pieces with
      | host :: more, others -> (host, more @ others)
      | [], others -> (border_and_key c (fresh ()) (fresh ()) (fresh ()), others)
    in
    let why = arrange host (host.row_names @ List.map (fun _ -> Alone c) rows) host.column_names in
    { host with why; row_names = host.row_names @ rows } :: others
  in
  List.fold_left add pieces singles

let border_of c piece = List.find (function Border (c', _) -> c = c' | _ -> false) piece.column_names
let key_of piece = List.find (function Key _ -> true | _ -> false) piece.column_names

(* One piece from all that share columns. *)
let grow_tree fresh pieces =
  let rec grow tree pieces =
    let shared piece =
      List.find_map
        (function
          | Border (c, _) when List.exists (function Border (c', _) -> c = c' | _ -> false) tree.column_names -> Some c
          | _ -> None)
        piece.column_names
    in
    match List.partition (fun piece -> shared piece <> None) pieces with
    | [], rest -> (tree, rest)
    | next :: others, rest ->
      let c = Option.get (shared next) in
      let has_c piece = List.mem (Column c) piece.column_names in
      let tree =
        if List.exists has_c others then begin
          let z = fresh () in
          glue (tree, border_of c tree) (three_borders c z (fresh ()) (fresh ()), Border (c, z))
        end
        else tree
      in
      grow (glue (tree, border_of c tree) (next, border_of c next)) (others @ rest)
  in
  match pieces with [] -> assert false | first :: rest -> grow first rest

(* A piece with a key, from one that may have a border only. *)
let with_key fresh piece =
  match List.find_opt (function Border _ -> true | _ -> false) piece.column_names with
  | Some (Border (c, _)) when not (List.exists (function Key _ -> true | _ -> false) piece.column_names) ->
    let z = fresh () in
    glue (piece, border_of c piece) (border_and_key c z (fresh ()) (fresh ()), Border (c, z))
  | _ -> piece

let evidence (pattern : Patterns.t) d proof evidence_of =
  let uses = uses pattern proof in
  ensure ((if Array.exists (fun count -> count > 2) uses then 3 else 2) <= d) "it is in a larger dimension";
  ensure_forest proof.parts uses;
  ensure_ones_inside pattern proof.parts;
  let last = ref 0 in
  let fresh () = incr last; !last in
  let pieces = pieces_of uses fresh (fun part -> evidence_of part.proof (bordered pattern uses part)) proof.parts in
  (* A key is added before the borders are used up. *)
  let rec trees = function
    | [] -> []
    | first :: rest -> let tree, rest = grow_tree fresh (with_key fresh first :: rest) in tree :: trees rest
  in
  let join one other =
    let key = fresh () in
    let one = glue (one, key_of one) (three_keys key (fresh ()) (fresh ()), Key key) in
    glue (one, key_of one) (other, key_of other)
  in
  let all = match trees (without_single fresh pieces) with [] -> assert false | first :: rest -> List.fold_left join first rest in
  let column j = if uses.(j) > 0 then Column j else key_of all in
  arrange all (List.init pattern.rows (fun i -> Row i)) (List.init pattern.columns column)
