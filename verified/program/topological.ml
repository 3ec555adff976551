(* The kind topological: its members, on the rows and columns that they use. *)

open Outcomes

type t = { d : int; rows : int list; columns : int list; columns_are_elements : bool; members : int list list }

let needed = [ "d"; "rows"; "columns"; "elements"; "members" ]

let read found =
  let get = Forms.get found in
  let d = Forms.whole "d" (get "d") in
  let rows = Forms.indices "rows" (get "rows") in
  let columns = Forms.indices "columns" (get "columns") in
  let columns_are_elements = Forms.choice "elements" [ "rows"; "columns" ] (get "elements") = "columns" in
  let members = List.map (List.map Forms.small) (Forms.matrix "members" (get "members")) in
  { d; rows; columns; columns_are_elements; members }

(* The number of entries that the members read, at most. *)
let entries { members; _ } = List.length members * (Forms.width members - 1)

(* Each number that occurs, with its place among them. *)
let numbering used =
  let found = List.sort_uniq compare used in
  let places = Hashtbl.create 64 in
  List.iteri (fun k x -> Hashtbl.replace places x k) found;
  (found, Hashtbl.find places)

let refutation (pattern : Patterns.t) { d; rows; columns; columns_are_elements; members } =
  let row_of = Array.of_list rows and column_of = Array.of_list columns in
  let lines = (Array.length column_of, Array.length row_of + 1) in
  let elements, covectors = if columns_are_elements then lines else (snd lines, fst lines) in
  let number = List.length members in
  ensure (number * (d + 2) * (d + 1) <= 1 lsl 26) "its faces are too many to check";
  let seen = Hashtbl.create 1024 in
  let check_member = function
    | c :: subset ->
      ensure (List.length subset = d + 2) "a member has another number of elements";
      ensure (c >= 0 && c < covectors) "a member names a covector that does not exist";
      let rec ascends last = function [] -> true | e :: rest -> e > last && e < elements && ascends e rest in
      ensure (ascends (-1) subset) "the elements of a member do not ascend";
      let sign e =
        let row, column = if columns_are_elements then (c, e) else (e, c) in
        if row = 0 then '1' else Patterns.entry pattern row_of.(row - 1) column_of.(column)
      in
      let signs = List.map sign subset in
      ensure (not (List.mem '*' signs)) "a member reads a don't-care";
      let first = List.hd signs in
      let name = (subset, List.map (fun sign -> sign = first) signs) in
      ensure (not (Hashtbl.mem seen name)) "a member repeats another one";
      Hashtbl.add seen name ()
    | [] -> refuse "a member has another number of elements"
  in
  List.iter check_member members;
  (* Row 0 keeps its number. *)
  let covectors_used = List.map List.hd members and elements_used = List.concat_map List.tl members in
  let rows_used, columns_used =
    if columns_are_elements then (covectors_used, elements_used) else (elements_used, covectors_used)
  in
  let rows_used, row_place = numbering (0 :: rows_used) and columns_used, column_place = numbering columns_used in
  let covector_place, element_place =
    if columns_are_elements then (row_place, column_place) else (column_place, row_place)
  in
  Checker.OddlyManyAlternate
    (d, columns_are_elements,
     List.map (fun row -> row_of.(row - 1)) (List.tl rows_used),
     List.map (fun column -> column_of.(column)) columns_used,
     List.map (fun member -> (covector_place (List.hd member), List.map element_place (List.tl member))) members)
