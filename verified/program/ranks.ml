(* The kinds factors and rank-refutation, as the verified checker reads them. *)

open Outcomes

type form = Relative | Doubled | Zeros | Ones | Plain
type case = { form : form; rows : int list; columns : int list; proof : Kinds.proof }
type t = Factors of Expansions.embedding | Refutation of case list

(* {2 Reading} *)

let forms = [ ("relative", Relative); ("doubled", Doubled); ("zeros", Zeros); ("ones", Ones); ("plain", Plain) ]

let read_factors value =
  let found = Forms.members "proof" [ "kind"; "left"; "right"; "thresholds" ] [] value in
  Factors (Kinds.integers_of "proof" found "left" "right")

let read_case value =
  let found = Forms.members "a case" [ "form"; "rows"; "columns"; "proof" ] [] value in
  let lines name =
    let items = Forms.indices name (Forms.get found name) in
    if items = [] then unreadable (name ^ " is empty");
    items
  in
  let form = List.assoc (Forms.choice "form" (List.map fst forms) (Forms.get found "form")) forms in
  let rows = lines "rows" in
  let columns = lines "columns" in
  { form; rows; columns; proof = Kinds.read_answering "NO" "the proof of a case" 1 (Forms.get found "proof") }

let read_refutation value =
  let found = Forms.members "proof" [ "kind"; "cases" ] [] value in
  let cases = Forms.records "cases" read_case (Forms.get found "cases") in
  if cases = [] then unreadable "it has no cases";
  Refutation cases

(* {2 Reduced patterns} *)

let reduce form (core : Patterns.t) =
  let rows = Array.to_list core.entries in
  let wider entry = List.map (fun row -> Bytes.cat row (Bytes.make 1 entry)) rows in
  let reduced =
    match form with
    | Plain -> rows
    | Zeros -> wider '0'
    | Ones -> wider '1'
    | Doubled -> List.map (fun row -> Bytes.cat row (Orientations.complement row)) rows
    | Relative ->
      let first = List.hd rows in
      ensure (not (Bytes.contains first '*')) "the first row of a relative case has a don't-care";
      ensure (List.tl rows <> []) "a relative case has a single row";
      List.map
        (fun row ->
           let opposite = Orientations.complement row in
           Bytes.mapi (fun b entry -> if Bytes.get first b = '1' then entry else Bytes.get opposite b) row)
        (List.tl rows)
  in
  Patterns.of_rows (Array.of_list reduced)

let reduced pattern r { form; rows; columns; proof } =
  let d = if form = Relative then r - 1 else r in
  ensure (d >= 1) "a relative case does not refute rank 1";
  let smaller = reduce form (Patterns.submatrix pattern rows columns) in
  ((rows, columns), Kinds.refutation smaller "dot" d proof)

let holds (pattern : Patterns.t) kind r proof =
  ensure (r >= 1 && r <= 1 lsl 24) "its question is about no rank";
  let thresholds =
    match kind with
    | "sign" -> Checker.AllZero
    | "global" -> Checker.AllEqual
    | "row" -> Checker.EachRow
    | _ -> refuse "its question is about no kind of rank"
  in
  let verified = Patterns.verified pattern in
  match proof with
  | Factors found ->
    Kinds.ensure_sizes pattern r found;
    Checker.check_factors thresholds verified r found.queries found.keys found.thresholds
  | Refutation cases ->
    let entries { form; rows; columns; _ } =
      List.length rows * if form = Doubled then 2 * List.length columns else List.length columns + 1
    in
    ensure (List.fold_left (fun sum case -> sum + entries case) 0 cases <= 1 lsl 22) "its cases are too large to check";
    List.iter
      (fun { rows; columns; _ } ->
         ensure (List.for_all (fun i -> i < pattern.rows) rows) "it names a row that does not exist";
         ensure (List.for_all (fun j -> j < pattern.columns) columns) "it names a column that does not exist")
      cases;
    let reduced = reduced pattern r in
    let refutation =
      match thresholds, List.sort (fun one other -> compare one.form other.form) cases with
      | Checker.AllZero, [ ({ form = Relative; _ } as case) ] -> Checker.Relative (reduced case)
      | Checker.AllZero, [ ({ form = Doubled; _ } as case) ] -> Checker.Doubled (reduced case)
      | Checker.AllEqual, [ ({ form = Zeros; _ } as zeros); ({ form = Ones; _ } as ones) ] ->
        Checker.WithZerosAndOnes (reduced zeros, reduced ones)
      | Checker.EachRow, [ ({ form = Plain; _ } as case) ] -> Checker.Unchanged (reduced case)
      | _ -> refuse "its cases do not refute this kind of rank"
    in
    Checker.check_rank_no thresholds verified r refutation
