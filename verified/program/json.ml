(* A strict parser of JSON: integers are exact, and fractions and repeated members are refused. *)

type t =
  | Null
  | Flag of bool
  | Integer of Z.t
  | Text of string
  | List of t list
  | Object of (string * t) list

let most_digits = 4300
let deepest = 200

type reader = { text : string; mutable at : int }

let fail reader what =
  Outcomes.unreadable (Printf.sprintf "not JSON at byte %d: %s" reader.at what)

let peek reader = if reader.at < String.length reader.text then reader.text.[reader.at] else '\000'

let rec skip_blanks reader =
  match peek reader with
  | ' ' | '\n' | '\r' | '\t' -> reader.at <- reader.at + 1; skip_blanks reader
  | _ -> ()

let next reader = skip_blanks reader; peek reader

let expect reader character =
  if next reader <> character then fail reader (Printf.sprintf "%c is expected" character);
  reader.at <- reader.at + 1

let parse_integer reader =
  let start = reader.at in
  if peek reader = '-' then reader.at <- reader.at + 1;
  let first = reader.at in
  while (match peek reader with '0' .. '9' -> true | _ -> false) do reader.at <- reader.at + 1 done;
  let digits = reader.at - first in
  if digits = 0 then fail reader "a digit is expected";
  if digits > 1 && reader.text.[first] = '0' then fail reader "a leading zero";
  (match peek reader with
   | '.' | 'e' | 'E' -> fail reader "a number with a fraction or exponent"
   | _ -> ());
  if digits > most_digits then fail reader "an integer of too many digits";
  if digits <= 18 then Z.of_int (int_of_string (String.sub reader.text start (reader.at - start)))
  else Z.of_string (String.sub reader.text start (reader.at - start))

let hexadecimal reader =
  let value = ref 0 in
  for _ = 1 to 4 do
    let digit =
      match peek reader with
      | '0' .. '9' as c -> Char.code c - 48
      | 'a' .. 'f' as c -> Char.code c - 87
      | 'A' .. 'F' as c -> Char.code c - 55
      | _ -> fail reader "a text has a wrong escape"
    in
    value := (16 * !value) + digit;
    reader.at <- reader.at + 1
  done;
  !value

(* A text; what is outside ASCII is only compared, so escapes of it need no pairing. *)
let parse_text reader =
  let found = Buffer.create 16 in
  reader.at <- reader.at + 1;
  let rec go () =
    if reader.at >= String.length reader.text then fail reader "a text does not end";
    let c = reader.text.[reader.at] in
    reader.at <- reader.at + 1;
    match c with
    | '"' -> ()
    | '\\' ->
      let escape = peek reader in
      reader.at <- reader.at + 1;
      (match escape with
       | '"' | '\\' | '/' -> Buffer.add_char found escape
       | 'b' -> Buffer.add_char found '\b'
       | 'f' -> Buffer.add_char found '\012'
       | 'n' -> Buffer.add_char found '\n'
       | 'r' -> Buffer.add_char found '\r'
       | 't' -> Buffer.add_char found '\t'
       | 'u' ->
         let code = hexadecimal reader in
         if code < 128 then Buffer.add_char found (Char.chr code)
         else Buffer.add_string found (Printf.sprintf "\\u%04x" code)
       | _ -> fail reader "a text has a wrong escape");
      go ()
    | c when Char.code c < 32 -> fail reader "a text does not end"
    | c -> Buffer.add_char found c; go ()
  in
  go ();
  Buffer.contents found

let parse_word reader word value =
  let length = String.length word in
  if reader.at + length <= String.length reader.text && String.sub reader.text reader.at length = word
  then (reader.at <- reader.at + length; value)
  else fail reader "a value is expected"

let rec parse_value reader depth =
  if depth > deepest then fail reader "nested too deeply";
  match next reader with
  | '{' -> parse_object reader depth
  | '[' -> parse_list reader depth
  | '"' -> Text (parse_text reader)
  | '-' | '0' .. '9' -> Integer (parse_integer reader)
  | 'n' -> parse_word reader "null" Null
  | 't' -> parse_word reader "true" (Flag true)
  | 'f' -> parse_word reader "false" (Flag false)
  | _ -> fail reader "a value is expected"

and parse_object reader depth =
  reader.at <- reader.at + 1;
  if next reader = '}' then (reader.at <- reader.at + 1; Object [])
  else
    let seen = Hashtbl.create 8 in
    let rec go members =
      if next reader <> '"' then fail reader "a member name is expected";
      let name = parse_text reader in
      if Hashtbl.mem seen name then fail reader "a member appears twice";
      Hashtbl.add seen name ();
      expect reader ':';
      let members = (name, parse_value reader (depth + 1)) :: members in
      match next reader with
      | ',' -> reader.at <- reader.at + 1; go members
      | _ -> expect reader '}'; Object (List.rev members)
    in
    go []

and parse_list reader depth =
  reader.at <- reader.at + 1;
  if next reader = ']' then (reader.at <- reader.at + 1; List [])
  else
    let rec go items =
      let items = parse_value reader (depth + 1) :: items in
      match next reader with
      | ',' -> reader.at <- reader.at + 1; go items
      | _ -> expect reader ']'; List (List.rev items)
    in
    go []

let parse text =
  let reader = { text; at = 0 } in
  let value = parse_value reader 0 in
  skip_blanks reader;
  if reader.at < String.length text then fail reader "more text after the document";
  value
