(* Typed members of JSON objects: the rules of form in docs/theory/checks.md. *)

open Outcomes

let largest_alone = Z.shift_left Z.one 40

(* Indices beyond this are beyond every pattern; larger ones are replaced by it. *)
let beyond = 1 lsl 61

(* An object with all [needed] members and no others but [optional]. *)
let members place needed optional value =
  match value with
  | Json.Object found ->
    List.iter
      (fun name -> if not (List.mem_assoc name found) then unreadable (place ^ " lacks " ^ name))
      needed;
    List.iter
      (fun (name, _) ->
         if not (List.mem name needed || List.mem name optional) then
           unreadable (Printf.sprintf "%s has the member %S, which does not belong there" place name))
      found;
    found
  | _ -> unreadable (place ^ " must be an object")

let get found name = List.assoc name found

let list place = function Json.List items -> items | _ -> unreadable (place ^ " must be a list")

let integer place = function Json.Integer x -> x | _ -> unreadable (place ^ " must be an integer")

let alone place value =
  let x = integer place value in
  if Z.gt (Z.abs x) largest_alone then unreadable (place ^ " is beyond 2^40");
  Z.to_int x

let whole place value =
  let x = alone place value in
  if x < 1 then unreadable (place ^ " must be at least 1");
  x

let text place = function Json.Text words -> words | _ -> unreadable (place ^ " must be a text")

let choice place choices value =
  let word = text place value in
  if not (List.mem word choices) then unreadable (place ^ " must be one of " ^ String.concat ", " choices);
  word

let small x = if Z.fits_int x && abs (Z.to_int x) < beyond then Z.to_int x else if Z.sign x < 0 then -beyond else beyond

let vector place value = List.map (integer place) (list place value)

(* Integers >= least, which may repeat. *)
let numbers ?(least = 0) place value =
  List.map
    (fun item ->
       let x = integer place item in
       if Z.lt x (Z.of_int least) then unreadable (Printf.sprintf "%s has a number below %d" place least);
       small x)
    (list place value)

let require_distinct place items =
  let seen = Hashtbl.create 64 in
  List.iter
    (fun item ->
       if Hashtbl.mem seen item then unreadable (place ^ " names a number twice");
       Hashtbl.add seen item ())
    items

let texts_of_integers place value = List.map (fun item -> Z.to_string (Z.abs (integer place item))) (list place value)

(* Distinct integers >= 0. *)
let indices place value =
  let found = numbers place value in
  if List.mem beyond found then require_distinct place (texts_of_integers place value)
  else require_distinct place found;
  found

let require_ascending place value =
  let rec go = function
    | x :: (y :: _ as rest) ->
      if Z.geq x y then unreadable (place ^ " does not ascend");
      go rest
    | _ -> ()
  in
  go (vector place value)

let ascending place value =
  let found = numbers place value in
  require_ascending place value;
  found

let matrix place value =
  let rows = List.map (vector place) (list place value) in
  match rows with
  | [] -> unreadable (place ^ " has no rows")
  | first :: _ ->
    let width = List.length first in
    if List.exists (fun row -> List.compare_length_with row width <> 0) rows then
      unreadable (place ^ " has rows of different lengths");
    rows

let width rows = List.length (List.hd rows)

(* Integers other than 0, which may repeat. *)
let clause place value =
  List.map
    (fun item ->
       let x = integer place item in
       if Z.sign x = 0 then unreadable (place ^ " has a 0");
       small x)
    (list place value)

let clauses place value = List.map (clause place) (list place value)

let literals place value =
  let found = clause place value in
  require_distinct place (texts_of_integers place value);
  found

let records place read value = List.map read (list place value)
