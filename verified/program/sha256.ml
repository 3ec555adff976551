(* SHA-256 (FIPS 180-4). *)

let is_prime n =
  let rec try_divisor d = d * d > n || (n mod d <> 0 && try_divisor (d + 1)) in
  n >= 2 && try_divisor 2

let primes = List.filteri (fun k _ -> k < 64) (List.filter is_prime (List.init 320 Fun.id))

(* The first 32 bits of the fractional part of a root. *)
let fraction_bits degree n =
  let root = Z.root (Z.shift_left (Z.of_int n) (32 * degree)) degree in
  Z.to_int (Z.logand root (Z.of_int 0xffffffff))

let start = Array.of_list (List.filteri (fun k _ -> k < 8) (List.map (fraction_bits 2) primes))
let rounds = Array.of_list (List.map (fraction_bits 3) primes)
let mask = 0xffffffff
let turn x n = ((x lsr n) lor (x lsl (32 - n))) land mask

let compress state words block at =
  for t = 0 to 15 do
    words.(t) <- Int32.to_int (Bytes.get_int32_be block (at + (4 * t))) land mask
  done;
  for t = 16 to 63 do
    let x = words.(t - 15) and y = words.(t - 2) in
    let small0 = turn x 7 lxor turn x 18 lxor (x lsr 3) in
    let small1 = turn y 17 lxor turn y 19 lxor (y lsr 10) in
    words.(t) <- (words.(t - 16) + small0 + words.(t - 7) + small1) land mask
  done;
  let a = ref state.(0) and b = ref state.(1) and c = ref state.(2) and d = ref state.(3) in
  let e = ref state.(4) and f = ref state.(5) and g = ref state.(6) and h = ref state.(7) in
  for t = 0 to 63 do
    let big1 = turn !e 6 lxor turn !e 11 lxor turn !e 25 in
    let choice = (!e land !f) lxor (lnot !e land mask land !g) in
    let one = !h + big1 + choice + rounds.(t) + words.(t) in
    let big0 = turn !a 2 lxor turn !a 13 lxor turn !a 22 in
    let two = big0 + ((!a land !b) lxor (!a land !c) lxor (!b land !c)) in
    h := !g; g := !f; f := !e;
    e := (!d + one) land mask;
    d := !c; c := !b; b := !a;
    a := (one + two) land mask
  done;
  List.iteri (fun k x -> state.(k) <- (state.(k) + x) land mask) [ !a; !b; !c; !d; !e; !f; !g; !h ]

(* The digest of a text, as hexadecimal digits. *)
let hex text =
  let length = Buffer.length text in
  let padding = 64 - ((length + 9) mod 64) in
  Buffer.add_char text '\x80';
  Buffer.add_string text (String.make (padding mod 64) '\x00');
  Buffer.add_int64_be text (Int64.of_int (8 * length));
  let bytes = Buffer.to_bytes text in
  let state = Array.copy start and words = Array.make 64 0 in
  for block = 0 to (Bytes.length bytes / 64) - 1 do
    compress state words bytes (64 * block)
  done;
  String.concat "" (Array.to_list (Array.map (Printf.sprintf "%08x") state))
