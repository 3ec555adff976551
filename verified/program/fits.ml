(* The kinds hitting-set, for rows, partial-embedding and recall-embedding, as the verified checker reads them. *)

open Outcomes

type core = { proof : Kinds.proof; ignored : int list option }
type packing = { chosen : int list; weights : Z.t list; denominator : int }
type t = { cores : core list; tree : int list; packings : packing list }

let read_core value =
  let found = Forms.members "a core" [ "proof" ] [ "ignored" ] value in
  let proof = Kinds.read_answering "NO" "the proof of a core" 1 (Forms.get found "proof") in
  { proof; ignored = Option.map (Forms.indices "ignored") (List.assoc_opt "ignored" found) }

let read_packing value =
  let found = Forms.members "a packing" [ "cores"; "weights"; "denominator" ] [] value in
  let chosen = Forms.indices "cores" (Forms.get found "cores") in
  let weights = Forms.vector "weights" (Forms.get found "weights") in
  if List.exists (fun y -> Z.lt y Z.one) weights then unreadable "a weight is less than 1";
  let denominator = Forms.whole "denominator" (Forms.get found "denominator") in
  if List.compare_lengths chosen weights <> 0 then unreadable "a packing has not one weight for each core";
  { chosen; weights; denominator }

let read value =
  let found = Forms.members "proof" [ "kind"; "cores"; "tree"; "packings" ] [] value in
  let cores = Forms.records "cores" read_core (Forms.get found "cores") in
  let tree = Forms.numbers ~least:(-1) "tree" (Forms.get found "tree") in
  let packings = Forms.records "packings" read_packing (Forms.get found "packings") in
  if cores = [] || packings = [] then unreadable "it has no cores or no packings";
  { cores; tree; packings }

(* The class of each row, and a row of each class. *)
let classes_of_rows (pattern : Patterns.t) =
  let numbers = Hashtbl.create 64 and representatives = ref [] in
  let class_of i row =
    match Hashtbl.find_opt numbers row with
    | Some x -> x
    | None ->
      let x = Hashtbl.length numbers in
      Hashtbl.add numbers row x;
      representatives := i :: !representatives;
      x
  in
  let classes = Array.mapi class_of pattern.entries in
  (classes, List.rev !representatives)

let check_sizes cores =
  let entries =
    List.fold_left
      (fun sum { proof; _ } -> sum + Kinds.entries proof) 0 cores
  in
  ensure (entries <= 1 lsl 22) "its cores are too large to check";
  let rec clauses_of = function
    | Kinds.Chirotope { d; rows; columns; columns_are_elements; _ } ->
      let lines = (List.length columns, List.length rows + 1) in
      let elements, covectors = if columns_are_elements then lines else (snd lines, fst lines) in
      ensure (elements <= 1 lsl 10 && d <= 32) "a core is too large to check";
      let patterns = Z.min (Z.of_int covectors) (Z.shift_left Z.one (d + 1)) in
      Z.mul (Z.of_int 2) (Z.mul (Subsets.choose elements (d + 2)) patterns)
    | Kinds.Extended { inner; _ } | Kinds.Padded { inner; _ } -> clauses_of inner
    | _ -> Z.zero
  in
  let clauses = List.fold_left (fun sum { proof; _ } -> Z.add sum (clauses_of proof)) Z.zero cores in
  ensure (Z.leq clauses (Z.shift_left Z.one 24)) "the clauses of its cores are too many to check"

(* The tree, with the packing of each leaf. *)
let build_tree (pattern : Patterns.t) classes tree packings =
  let nodes = ref tree and left = ref packings in
  let rec go named =
    match !nodes with
    | [] -> refuse "its tree ends before the last leaf"
    | -1 :: rest ->
      nodes := rest;
      (match !left with
       | [] -> refuse "it has fewer packings than leaves"
       | { chosen; weights; denominator } :: others ->
         left := others;
         Checker.Packing (List.combine chosen weights, Z.of_int denominator))
    | item :: rest ->
      nodes := rest;
      ensure (item < pattern.rows) "its tree names a row that does not exist";
      let x = classes.(item) in
      ensure (not (List.mem x named)) "its tree names a row again";
      let wrong = go (x :: named) in
      let right = go (x :: named) in
      Checker.Branch (x, wrong, right)
  in
  let found = go [] in
  ensure (!nodes = []) "its tree goes on after the last leaf";
  ensure (!left = []) "it has more packings than leaves";
  found

let holds (pattern : Patterns.t) verified similarity d most { cores; tree; packings } =
  check_sizes cores;
  List.iter (fun { ignored; _ } -> ensure (ignored = None) "only entries can be ignored") cores;
  let classes, representatives = classes_of_rows pattern in
  let verified_core { proof; _ } =
    let rows, _ = Kinds.scope proof in
    let why = Kinds.refutation pattern similarity d proof in
    let kept = Array.make pattern.rows false in
    List.iter (fun i -> kept.(i) <- true) rows;
    { Checker.classes_of = List.sort_uniq compare (List.map (fun i -> classes.(i)) rows);
      kept = Array.to_list kept; why }
  in
  let cores = List.map verified_core cores in
  let number = List.length cores in
  List.iter
    (fun { chosen; _ } -> ensure (List.for_all (fun c -> c < number) chosen) "a packing names a core that does not exist")
    packings;
  let sizes = Array.of_list (List.map (fun core -> List.length core.Checker.classes_of) cores) in
  let packed =
    List.fold_left (fun sum { chosen; _ } -> List.fold_left (fun sum c -> sum + sizes.(c)) sum chosen) 0 packings
  in
  ensure (packed <= 1 lsl 24) "its packings are too large to check";
  let tree = build_tree pattern classes tree packings in
  Checker.check_wrong_rows (Kinds.verified_similarity similarity) verified d (Z.of_int most) (Array.to_list classes) representatives cores tree

(* {2 Few wrong items} *)

type partial = { unit_ : string; wrong : int list; proof : Kinds.proof; above : int list option }

let short name value =
  let items = Forms.indices name value in
  Kinds.require_short name (Forms.vector name value);
  items

let read_partial value =
  let found = Forms.members "proof" [ "kind"; "unit"; "wrong"; "proof" ] [ "above" ] value in
  let unit_ = Forms.choice "unit" [ "rows"; "entries" ] (Forms.get found "unit") in
  let wrong = short "wrong" (Forms.get found "wrong") in
  let above = Option.map (short "above") (List.assoc_opt "above" found) in
  { unit_; wrong; proof = Kinds.read_answering "YES" "proof.proof" 1 (Forms.get found "proof"); above }

(* A witness of the rows of a smaller pattern, as one of all rows: each is one of those, or has no 1. *)
let spread row_of columns witness =
  let pick lists none =
    let items = Array.of_list lists in
    List.map (function Some a -> items.(a) | None -> none) row_of
  in
  match witness with
  | Checker.OfProducts why ->
    let source = function Some a -> Checker.Copy (false, a) | None -> Checker.Ones true in
    Checker.OfProducts (Checker.Copies (List.map source row_of, List.init columns Fun.id, why))
  | Checker.OfCaps (queries, keys, thresholds) -> Checker.OfCaps (pick queries [], keys, pick thresholds Z.zero)
  | Checker.OfBalls (centers, weights, keys, thresholds) ->
    Checker.OfBalls (pick centers [], pick weights Z.one, keys, pick thresholds Z.zero)

(* A witness of the kept rows of a pattern, as one of all rows. *)
let witness_of_kept (pattern : Patterns.t) entries kept similarity d proof =
  let number = ref (-1) in
  let row_of = List.map (fun kept -> if kept then (incr number; Some !number) else None) (Array.to_list kept) in
  let rows = List.filteri (fun i _ -> kept.(i)) (Array.to_list entries) in
  ensure (rows <> []) "it leaves no row";
  let right = Patterns.of_rows (Array.of_list rows) in
  ensure (Patterns.row_without_one right = None) "a row has no 1";
  spread row_of pattern.columns (Kinds.witness right similarity d proof)

let ensure_few (pattern : Patterns.t) most unit_ partial =
  ensure (partial.unit_ = unit_) "it is about wrong items of another unit";
  ensure (List.compare_length_with partial.wrong most <= 0) "it has more wrong items";
  let items = if unit_ = "rows" then pattern.rows else pattern.rows * pattern.columns in
  ensure (List.for_all (fun item -> item < items) partial.wrong) "it names an item that does not exist"

let ensure_changeable (pattern : Patterns.t) =
  ensure (pattern.rows * pattern.columns <= 1 lsl 26) "the pattern is too large to check"

(* Entries of this value become don't-cares. *)
let erase (pattern : Patterns.t) entries value places =
  List.iter
    (fun place ->
       ensure (place < pattern.rows * pattern.columns) "it names an entry that does not exist";
       let i = place / pattern.columns and j = place mod pattern.columns in
       ensure (Patterns.entry pattern i j = value) (Printf.sprintf "it names an entry that is no %c" value);
       Bytes.set entries.(i) j '*')
    places

let without_rows (pattern : Patterns.t) wrong =
  let kept = Array.make pattern.rows true in
  List.iter (fun i -> kept.(i) <- false) wrong;
  kept

let is_few (pattern : Patterns.t) verified similarity d most unit_ partial =
  ensure_few pattern most unit_ partial;
  ensure (partial.above = None) "it lets zeros stand before ones";
  let entries = Array.map Bytes.copy pattern.entries in
  let kept =
    if unit_ = "rows" then without_rows pattern partial.wrong
    else begin
      ensure_changeable pattern;
      List.iter
        (fun item ->
           let i = item / pattern.columns and j = item mod pattern.columns in
           let entry = Bytes.get entries.(i) j in
           ensure (entry <> '*') "it names a don't-care";
           Bytes.set entries.(i) j (if entry = '1' then '0' else '1'))
        partial.wrong;
      Array.map (fun row -> Bytes.contains row '1') entries
    end
  in
  let witness = witness_of_kept pattern entries kept similarity d partial.proof in
  let s = Kinds.verified_similarity similarity in
  if unit_ = "rows" then Checker.check_few_wrong_rows s verified d most partial.wrong witness
  else
    let place item = (item / pattern.columns, item mod pattern.columns) in
    Checker.check_few_wrong_entries s verified d most (List.map place partial.wrong) witness

(* The pattern of which some rows ask for nothing, as the extracted checker reads it. *)
let verified_part (pattern : Patterns.t) entries kept =
  List.mapi (fun i row -> if kept.(i) then row else []) (Patterns.verified { pattern with entries })

let ones_of_rows (pattern : Patterns.t) =
  Array.map (Bytes.fold_left (fun number entry -> if entry = '1' then number + 1 else number) 0) pattern.entries

(* Rows are right at K. *)
let is_few_at (pattern : Patterns.t) verified similarity d most at partial =
  ensure_few pattern most "rows" partial;
  let above = Option.value ~default:[] partial.above in
  if above <> [] then ensure_changeable pattern;
  let entries = Array.map Bytes.copy pattern.entries in
  erase pattern entries '0' above;
  let kept = without_rows pattern partial.wrong in
  ensure (List.for_all (fun place -> kept.(place / pattern.columns)) above) "it names a zero of a wrong row";
  let first = ones_of_rows pattern in
  List.iter (fun place -> let i = place / pattern.columns in first.(i) <- first.(i) + 1) above;
  Array.iteri (fun i number -> ensure (number <= at || not kept.(i)) "a row that is not wrong has more ones and zeros before them than K") first;
  let witness = witness_of_kept pattern entries kept similarity d partial.proof in
  Checker.check_few_wrong_rows_at (Kinds.verified_similarity similarity) verified d most at
    (verified_part pattern entries kept) witness

(* {2 Mean recalls} *)

type recall = { missed : int list; zeros : int list; of_rest : Kinds.proof }

let read_recall value =
  let found = Forms.members "proof" [ "kind"; "missed"; "above"; "proof" ] [] value in
  let missed = short "missed" (Forms.get found "missed") in
  let zeros = short "above" (Forms.get found "above") in
  { missed; zeros; of_rest = Kinds.read_answering "YES" "proof.proof" 1 (Forms.get found "proof") }

let has_recall (pattern : Patterns.t) verified similarity d at (p, q) { missed; zeros; of_rest } =
  let entries = Array.map Bytes.copy pattern.entries in
  erase pattern entries '1' missed;
  erase pattern entries '0' zeros;
  let row_of place = place / pattern.columns in
  let all = ones_of_rows pattern in
  let found = Array.copy all and first = Array.make pattern.rows 0 in
  List.iter (fun place -> let i = row_of place in found.(i) <- found.(i) - 1) missed;
  List.iter (fun place -> let i = row_of place in first.(i) <- first.(i) + 1) zeros;
  Array.iteri
    (fun i number -> ensure (number = 0 || number + first.(i) <= at) "a row has more ones and zeros before them than K")
    found;
  let kept = Array.map (fun number -> number > 0) found in
  let is_whole i = found.(i) = 0 || found.(i) = all.(i) in
  if zeros <> [] || not (List.for_all (fun place -> is_whole (row_of place)) missed) then ensure_changeable pattern;
  let scale = Array.fold_left (fun scale number -> Z.lcm scale (Z.of_int number)) Z.one all in
  let quotients = List.map (fun number -> Z.divexact scale (Z.of_int number)) (Array.to_list all) in
  let witness = witness_of_kept pattern entries kept similarity d of_rest in
  Checker.check_recall (Kinds.verified_similarity similarity) verified d at (Z.of_int p) (Z.of_int q) scale quotients
    (verified_part pattern entries kept) witness
