(* The command: samapprox-check PATTERN CERTIFICATE.

   It reads two files, binds the certificate to the pattern and the question, and asks the verified
   checker. Exit status 0: valid, 1: not valid, 2: a file cannot be read, 3: not covered. *)

open Outcomes

let most_bytes = 1 lsl 28

let read_channel channel =
  let text = Buffer.create 65536 and chunk = Bytes.create 65536 in
  let rec go () =
    let count = input channel chunk 0 65536 in
    if count > 0 then begin
      Buffer.add_subbytes text chunk 0 count;
      if Buffer.length text > most_bytes then unreadable "a file is too large";
      go ()
    end
  in
  go ();
  Buffer.contents text

(* Decompress by the program gzip. *)
let decompress text =
  let file = Filename.temp_file "samapprox" ".gz" in
  Fun.protect
    ~finally:(fun () -> Sys.remove file)
    (fun () ->
       let out = open_out_bin file in
       output_string out text;
       close_out out;
       let channel = Unix.open_process_in ("gzip -dc < " ^ Filename.quote file ^ " 2> /dev/null") in
       let found = try read_channel channel with error -> ignore (Unix.close_process_in channel); raise error in
       if Unix.close_process_in channel <> Unix.WEXITED 0 then unreadable "a compressed file is damaged";
       found)

let rec is_utf_8 text at =
  let length = String.length text in
  let follows k = at + k < length && Char.code text.[at + k] land 0xc0 = 0x80 in
  if at >= length then true
  else
    let byte = Char.code text.[at] in
    let second = if at + 1 < length then Char.code text.[at + 1] else 0 in
    if byte < 0x80 then is_utf_8 text (at + 1)
    else if byte >= 0xc2 && byte <= 0xdf then follows 1 && is_utf_8 text (at + 2)
    else if byte >= 0xe0 && byte <= 0xef then
      follows 1 && follows 2
      && not (byte = 0xe0 && second < 0xa0) && not (byte = 0xed && second > 0x9f)
      && is_utf_8 text (at + 3)
    else if byte >= 0xf0 && byte <= 0xf4 then
      follows 1 && follows 2 && follows 3
      && not (byte = 0xf0 && second < 0x90) && not (byte = 0xf4 && second > 0x8f)
      && is_utf_8 text (at + 4)
    else false

let read_text file =
  let text =
    try
      if file = "-" then read_channel stdin
      else begin
        let channel = open_in_bin file in
        Fun.protect ~finally:(fun () -> close_in channel) (fun () -> read_channel channel)
      end
    with Sys_error words -> unreadable words
  in
  let compressed = String.length text >= 2 && text.[0] = '\x1f' && text.[1] = '\x8b' in
  let text = if compressed then decompress text else text in
  if not (is_utf_8 text 0) then unreadable (file ^ " is not text in UTF-8");
  text

let without_mark text =
  if String.length text >= 3 && String.sub text 0 3 = "\xef\xbb\xbf" then String.sub text 3 (String.length text - 3)
  else text

(* Questions: of a dimension, and of wrong items. *)
type problem =
  | Dimension of { d : int; hidden : int option; similarity : string }
  | Rank of { r : int; kind : string }
  | Fit of { d : int; wrong : int; unit_ : string; at : int option; similarity : string }
  | Margin of { d : int option; p : int; q : int }
  | Recall of { d : int; at : int; p : int; q : int; similarity : string }

let read_similarity found =
  match List.assoc_opt "similarity" found with None -> "dot" | Some value -> Forms.text "similarity" value

let read_dimension value =
  let found = Forms.members "problem" [ "d"; "d_hid" ] [ "task"; "similarity" ] value in
  let d = Forms.alone "d" (Forms.get found "d") in
  let hidden = match Forms.get found "d_hid" with Json.Null -> None | value -> Some (Forms.alone "d_hid" value) in
  Dimension { d; hidden; similarity = read_similarity found }

let read_fit value =
  let found = Forms.members "problem" [ "task"; "d"; "wrong"; "unit" ] [ "similarity"; "at" ] value in
  let d = Forms.alone "d" (Forms.get found "d") in
  let wrong = Forms.alone "wrong" (Forms.get found "wrong") in
  let unit_ = Forms.text "unit" (Forms.get found "unit") in
  let at = Option.map (Forms.alone "at") (List.assoc_opt "at" found) in
  Fit { d; wrong; unit_; at; similarity = read_similarity found }

let read_recall value =
  let found = Forms.members "problem" [ "task"; "d"; "at"; "numerator"; "denominator" ] [ "similarity" ] value in
  let number name = Forms.alone name (Forms.get found name) in
  let d = number "d" in
  let at = number "at" in
  let p = number "numerator" in
  Recall { d; at; p; q = number "denominator"; similarity = read_similarity found }

let read_margin value =
  let found = Forms.members "problem" [ "task"; "numerator"; "denominator" ] [ "d" ] value in
  let p = Forms.alone "numerator" (Forms.get found "numerator") in
  let q = Forms.alone "denominator" (Forms.get found "denominator") in
  Margin { d = Option.map (Forms.alone "d") (List.assoc_opt "d" found); p; q }

let read_rank value =
  let found = Forms.members "problem" [ "task"; "rank"; "kind" ] [] value in
  Rank { r = Forms.alone "rank" (Forms.get found "rank"); kind = Forms.text "kind" (Forms.get found "kind") }

let read_problem value =
  match value with
  | Json.Object found ->
    (match List.assoc_opt "task" found with
     | None | Some (Json.Text "dimension") -> read_dimension value
     | Some (Json.Text "fit") -> read_fit value
     | Some (Json.Text "rank") -> read_rank value
     | Some (Json.Text "recall") -> read_recall value
     | Some (Json.Text "margin") -> read_margin value
     | Some _ -> unreadable "problem.task is unknown")
  | _ -> unreadable "problem must be an object"

type proof =
  | Of_dimension of Kinds.proof
  | Of_fit of Fits.t
  | Of_part of Fits.partial
  | Of_recall of Fits.recall
  | Of_margin of Margins.t
  | Of_rank of Ranks.t

let read_proof answer value =
  match Kinds.kind_of "proof" value with
  | "hitting-set" ->
    let found = Fits.read value in
    if answer <> "NO" then unreadable "proof is not a proof of YES";
    Of_fit found
  | "partial-embedding" ->
    let found = Fits.read_partial value in
    if answer <> "YES" then unreadable "proof is not a proof of NO";
    Of_part found
  | "recall-embedding" ->
    let found = Fits.read_recall value in
    if answer <> "YES" then unreadable "proof is not a proof of NO";
    Of_recall found
  | "unit-embedding" ->
    let found = Margins.read value in
    if answer <> "YES" then unreadable "proof is not a proof of NO";
    Of_margin found
  | "factors" ->
    let found = Ranks.read_factors value in
    if answer <> "YES" then unreadable "proof is not a proof of NO";
    Of_rank found
  | "rank-refutation" ->
    let found = Ranks.read_refutation value in
    if answer <> "NO" then unreadable "proof is not a proof of YES";
    Of_rank found
  | _ -> Of_dimension (Kinds.read_answering answer "proof" 0 value)

let ensure_dimension d = ensure (d >= 1 && d <= 1 lsl 24) "its question is about no dimension"
let ensure_similarity name = ensure (List.mem name [ "dot"; "cosine"; "l2" ]) "its similarity is unknown"

let words_of = function
  | "cosine" -> " with cosine similarity"
  | "l2" -> " with Euclidean distance"
  | "dot" -> ""
  | values -> " with values: " ^ values

let check_dimension (pattern : Patterns.t) answer d hidden similarity proof =
  ensure_dimension d;
  ensure (match hidden with None -> true | Some h -> h >= d && h <= 1 lsl 24) "d_hid is no hidden dimension";
  let coupled = match hidden with None -> false | Some h -> h < 2 * d in
  ensure (not coupled || pattern.rows = pattern.columns) "queries and keys share X only if the pattern is square";
  let of_values = List.mem_assoc similarity Kinds.value_sets in
  if not of_values then ensure_similarity similarity;
  ensure (similarity = "dot" || hidden = None) "its similarity has no hidden dimension";
  let proof = match proof with Of_dimension proof -> proof | _ -> refuse "its kind answers other questions" in
  ensure (List.mem similarity (Kinds.similarities proof)) "its kind is about another similarity";
  let verified = Patterns.verified pattern in
  (match answer, proof with
   | "YES", Kinds.Self_attention (x, _, _, _) ->
     ensure (match hidden with None -> true | Some h -> Forms.width x <= h) "its tokens have too many numbers"
   | "YES", _ -> ensure (not coupled) "it answers a free question"
   | _ -> ());
  let holds =
    match answer, hidden with
    | "YES", _ when of_values -> Kinds.holds_for_values pattern verified similarity d proof
    | "YES", Some hidden when coupled -> Kinds.holds_coupled pattern verified d hidden proof
    | "YES", _ -> Checker.check_yes (Kinds.verified_similarity similarity) verified d (Kinds.witness pattern similarity d proof)
    | _ -> Checker.check_no (Kinds.verified_similarity similarity) verified d (Kinds.refutation pattern similarity d proof)
  in
  ensure holds "the verified checker does not accept it";
  Printf.sprintf "VALID: %s for d = %d%s%s" answer d
    (match hidden with None -> "" | Some h -> Printf.sprintf ", d_hid = %d" h)
    (words_of similarity)

let check_fit (pattern : Patterns.t) d wrong unit_ at similarity proof =
  ensure_dimension d;
  ensure (wrong >= 0) "its question is about no number of wrong items";
  ensure (List.mem unit_ [ "rows"; "entries" ]) "its unit is neither rows nor entries";
  ensure (match at with None -> true | Some k -> k >= 1 && unit_ = "rows") "its K makes no sense";
  ensure_similarity similarity;
  let verified = Patterns.verified pattern in
  let answer =
    match proof with
    | Of_dimension _ | Of_recall _ | Of_margin _ | Of_rank _ -> refuse "its kind answers other questions"
    | Of_part proof ->
      let holds =
        match at with
        | None -> Fits.is_few pattern verified similarity d wrong unit_ proof
        | Some k -> Fits.is_few_at pattern verified similarity d wrong k proof
      in
      ensure holds "the verified checker does not accept it";
      "YES"
    | Of_fit proof ->
      if at <> None then not_covered "refutations of few rows that are wrong at K are not covered by the verified checker";
      if unit_ = "entries" then not_covered "refutations of few wrong entries are not covered by the verified checker";
      ensure (Fits.holds pattern verified similarity d wrong proof) "the verified checker does not accept it";
      "NO"
  in
  let depth = match at with None -> "" | Some k -> Printf.sprintf " at K = %d" k in
  Printf.sprintf "VALID: %s for at most %d wrong %s%s in d = %d%s" answer wrong unit_ depth d (words_of similarity)

let rec gcd a b = if b = 0 then a else gcd b (a mod b)

let check_recall pattern d at p q similarity proof =
  ensure_dimension d;
  ensure (at >= 1 && p >= 0 && q >= 1 && gcd p q = 1) "its K or its mean recall makes no sense";
  ensure_similarity similarity;
  let proof = match proof with Of_recall proof -> proof | _ -> refuse "its kind answers other questions" in
  ensure (Fits.has_recall pattern (Patterns.verified pattern) similarity d at (p, q) proof) "the verified checker does not accept it";
  Printf.sprintf "VALID: YES for a mean recall at %d of at least %d/%d in d = %d%s" at p q d (words_of similarity)

let check_margin pattern d p q proof =
  ensure (p >= 0 && q >= 1 && gcd p q = 1 && match d with None -> true | Some d -> d >= 1) "its margin makes no sense";
  let proof = match proof with Of_margin proof -> proof | _ -> refuse "its kind answers other questions" in
  ensure (Margins.holds pattern d (p, q) proof) "the verified checker does not accept it";
  Printf.sprintf "VALID: YES for a margin of at least %d/%d%s" p q
    (match d with None -> "" | Some d -> Printf.sprintf " in d = %d" d)

let check_rank pattern answer r kind proof =
  let proof = match proof with Of_rank proof -> proof | _ -> refuse "its kind answers other questions" in
  ensure (Ranks.holds pattern kind r proof) "the verified checker does not accept it";
  Printf.sprintf "VALID: %s for rank %d (%s)" answer r kind

let is_sha256 = String.for_all (function '0' .. '9' | 'a' .. 'f' -> true | _ -> false)

let check pattern_text certificate_text =
  let pattern = Patterns.of_file (without_mark pattern_text) in
  let found =
    Forms.members "the certificate" [ "format"; "version"; "pattern"; "problem"; "answer"; "proof" ] []
      (Json.parse certificate_text)
  in
  let get = Forms.get found in
  if get "format" <> Json.Text "samapprox-certificate" then unreadable "format is another one";
  (match get "version" with Json.Integer x when Z.equal x Z.one -> () | _ -> unreadable "version must be 1");
  let named = Forms.members "pattern" [ "rows"; "columns"; "sha256" ] [] (get "pattern") in
  let rows = Forms.alone "rows" (Forms.get named "rows") in
  let columns = Forms.alone "columns" (Forms.get named "columns") in
  let sha256 = Forms.text "sha256" (Forms.get named "sha256") in
  if String.length sha256 <> 64 || not (is_sha256 sha256) then unreadable "sha256 must be 64 hexadecimal digits";
  let problem = read_problem (get "problem") in
  let answer = Forms.choice "answer" [ "YES"; "NO" ] (get "answer") in
  let proof = read_proof answer (get "proof") in
  (match problem, Patterns.row_without_one pattern with
   | (Dimension _ | Fit _ | Recall _ | Margin _), Some i -> unreadable (Printf.sprintf "row %d of the pattern has no 1" i)
   | _ -> ());
  ensure (rows = pattern.rows && columns = pattern.columns && sha256 = Patterns.fingerprint pattern)
    "it is about another pattern";
  match problem with
  | Dimension { d; hidden; similarity } -> check_dimension pattern answer d hidden similarity proof
  | Rank { r; kind } -> check_rank pattern answer r kind proof
  | Fit { d; wrong; unit_; at; similarity } -> check_fit pattern d wrong unit_ at similarity proof
  | Recall { d; at; p; q; similarity } -> check_recall pattern d at p q similarity proof
  | Margin { d; p; q } -> check_margin pattern d p q proof

(* The exit status, and the words. *)
let outcome texts =
  try
    let pattern, certificate = texts () in
    (0, check pattern certificate)
  with
  | Refused words -> (1, "NOT VALID: " ^ words)
  | Unreadable words -> (2, "error: " ^ words)
  | Not_covered words -> (3, "NOT COVERED: " ^ words)
  | Stack_overflow | Out_of_memory -> (1, "NOT VALID: it is too large to check")

(* Answer requests for tests: in each line of standard input an object with the texts of a pattern
   and of a certificate; in each line of standard output the status. *)
let answer_requests () =
  try
    while true do
      let line = input_line stdin in
      let texts () =
        match Json.parse line with
        | Json.Object [ ("pattern", Json.Text pattern); ("certificate", Json.Text certificate) ] -> (pattern, certificate)
        | _ -> unreadable "a request is an object of two texts"
      in
      let status, words = outcome texts in
      Printf.printf "%d %s\n%!" status words
    done
  with End_of_file -> ()

let usage = "usage: samapprox-check PATTERN CERTIFICATE (one of them may be - for standard input)"

let run () =
  match Sys.argv with
  | [| _; "--requests" |] -> answer_requests (); 0
  | [| _; pattern; certificate |] when not (pattern = "-" && certificate = "-") ->
    let status, words = outcome (fun () -> let pattern = read_text pattern in (pattern, read_text certificate)) in
    if status = 2 then prerr_endline words else print_endline words;
    status
  | _ -> prerr_endline usage; 2

(* Long lists need a deep stack: start again with the largest one that the system allows. *)
let with_deep_stack () =
  let mark = "SAMAPPROX_CHECK_STACK" in
  if Sys.getenv_opt mark = None && Sys.file_exists "/bin/sh" then begin
    Unix.putenv mark "deep";
    let script = "ulimit -s \"$(ulimit -H -s)\" 2> /dev/null; exec \"$0\" \"$@\"" in
    let arguments = Array.sub Sys.argv 1 (Array.length Sys.argv - 1) in
    try Unix.execv "/bin/sh" (Array.append [| "sh"; "-c"; script; Sys.executable_name |] arguments)
    with Unix.Unix_error _ -> ()
  end

let () =
  with_deep_stack ();
  exit (run ())
