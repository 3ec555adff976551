(* Patterns: their two forms, and their fingerprint. *)

open Outcomes

type t = { rows : int; columns : int; entries : Bytes.t array } (* '0', '1' and '*' *)

let most_lines = 1 lsl 24
let entry pattern i j = Bytes.get pattern.entries.(i) j

let of_rows entries =
  let rows = Array.length entries in
  if rows = 0 || Bytes.length entries.(0) = 0 then unreadable "the pattern has no rows or no columns";
  let columns = Bytes.length entries.(0) in
  if rows > most_lines || columns > most_lines then unreadable "the pattern has too many rows or columns";
  { rows; columns; entries }

let submatrix pattern rows columns =
  let columns = Array.of_list columns in
  let row i = Bytes.init (Array.length columns) (fun b -> entry pattern i columns.(b)) in
  of_rows (Array.of_list (List.map row rows))

let row_without_one pattern =
  let found = ref None in
  Array.iteri (fun i row -> if !found = None && not (Bytes.contains row '1') then found := Some i) pattern.entries;
  !found

let trim line = String.trim line

(* Whether nothing stands before a comma or semicolon, or between two. *)
let lacks_entry line =
  let empty = ref true and found = ref false in
  String.iter
    (function
      | ',' | ';' -> found := !found || !empty; empty := true
      | ' ' | '\t' -> ()
      | _ -> empty := false)
    line;
  !found

let row_of_line number line =
  if lacks_entry line then unreadable (Printf.sprintf "line %d of the pattern: an entry is missing" number);
  let separated = String.exists (function ',' | ';' | ' ' | '\t' -> true | _ -> false) line in
  let words =
    String.split_on_char ' ' (String.map (function ',' | ';' | '\t' -> ' ' | c -> c) line)
    |> List.filter (fun word -> word <> "")
  in
  let row = String.concat "" words in
  if row = "" then unreadable (Printf.sprintf "line %d of the pattern has no entries" number);
  if separated && List.length words > 1 && List.exists (fun word -> String.length word > 1) words then
    unreadable (Printf.sprintf "line %d of the pattern: entries are 0, 1 and *" number);
  if String.exists (function '0' | '1' | '*' -> false | _ -> true) row then
    unreadable (Printf.sprintf "line %d of the pattern: entries are 0, 1 and *" number);
  Bytes.of_string row

let of_text text =
  let rows = ref [] and width = ref (-1) in
  List.iteri
    (fun k line ->
       let line = trim line in
       if line <> "" && line.[0] <> '#' then begin
         let row = row_of_line (k + 1) line in
         if !width >= 0 && Bytes.length row <> !width then
           unreadable (Printf.sprintf "line %d of the pattern has another length" (k + 1));
         width := Bytes.length row;
         rows := row :: !rows
       end)
    (String.split_on_char '\n' text);
  of_rows (Array.of_list (List.rev !rows))

let of_json document =
  let found = Forms.members "the pattern" [ "rows"; "columns"; "ones" ] [ "unspecified" ] document in
  let rows = Forms.whole "rows" (Forms.get found "rows") in
  let columns = Forms.whole "columns" (Forms.get found "columns") in
  let lines name =
    let lists = Forms.list name (Forms.get found name) in
    if List.length lists <> rows then unreadable (name ^ " has not one list for each row");
    List.map
      (fun items ->
         let line = Forms.ascending name items in
         if List.exists (fun j -> j >= columns) line then unreadable (name ^ " names a column beyond the pattern");
         line)
      lists
  in
  let ones = lines "ones" in
  let stars = if List.mem_assoc "unspecified" found then lines "unspecified" else List.map (fun _ -> []) ones in
  if rows > most_lines || columns > most_lines then unreadable "the pattern has too many rows or columns";
  of_rows
    (Array.of_list
       (List.map2
          (fun ones stars ->
             let row = Bytes.make columns '0' in
             List.iter (fun j -> Bytes.set row j '1') ones;
             List.iter
               (fun j ->
                  if Bytes.get row j = '1' then unreadable "an entry is both in ones and in unspecified";
                  Bytes.set row j '*')
               stars;
             row)
          ones stars))

let of_file text =
  let start = ref 0 in
  while !start < String.length text && (match text.[!start] with ' ' | '\t' | '\n' | '\r' -> true | _ -> false) do incr start done;
  if !start < String.length text && text.[!start] = '{' then of_json (Json.parse text) else of_text text

let fingerprint pattern =
  let hashed = Buffer.create 4096 in
  let number x = Buffer.add_int64_le hashed (Int64.of_int x) in
  let part character =
    let columns_of row =
      let found = ref [] in
      for j = pattern.columns - 1 downto 0 do if Bytes.get row j = character then found := j :: !found done;
      !found
    in
    let lines = Array.map columns_of pattern.entries in
    Array.iter (fun line -> number (List.length line)) lines;
    Array.iter (List.iter number) lines
  in
  Buffer.add_string hashed "samapprox pattern 1";
  number pattern.rows;
  number pattern.columns;
  part '1';
  part '*';
  Sha256.hex hashed

(* The pattern as the extracted checker reads it. *)
let verified pattern : Checker.pattern =
  let entry = function '1' -> Checker.One | '0' -> Checker.Zero | _ -> Checker.Any in
  Array.to_list (Array.map (fun row -> List.init (Bytes.length row) (fun j -> entry (Bytes.get row j))) pattern.entries)
