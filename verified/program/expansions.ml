(* Proofs of YES as explicit integers, which the verified checker compares with the pattern. Nothing
   here has to be trusted. *)

type embedding = { queries : Z.t list list; keys : Z.t list list; thresholds : Z.t list }

let transpose rows = List.mapi (fun k _ -> List.map (fun row -> List.nth row k) rows) (List.hd rows)

let scalar u v = List.fold_left2 (fun sum x y -> Z.add sum (Z.mul x y)) Z.zero u v

let product left right =
  let columns = transpose right in
  List.map (fun row -> List.map (scalar row) columns) left

(* The coefficients, from degree 0 to d, of a polynomial with the given roots. *)
let polynomial_of_roots roots =
  List.fold_left
    (fun coefficients root ->
       let shifted = Z.zero :: coefficients in
       let scaled = List.map (fun x -> Z.mul x (Z.neg root)) coefficients @ [ Z.zero ] in
       List.map2 Z.add shifted scaled)
    [ Z.one ] roots

let rec powers x k = if k = 0 then [ Z.one ] else Z.one :: List.map (Z.mul x) (powers x (k - 1))

(* A polynomial of degree at most d with the given signs ('1', '0', '*') at 0, 2, 4, ..: its roots
   are odd numbers, where the signs change. *)
let polynomial_of_signs d signs =
  let roots = ref [] and last = ref '*' and last_place = ref 0 and first = ref '*' in
  List.iteri
    (fun place sign ->
       if sign <> '*' then begin
         if !first = '*' then first := sign;
         if !last <> '*' && sign <> !last then roots := Z.of_int ((2 * !last_place) + 1) :: !roots;
         last := sign;
         last_place := place
       end)
    signs;
  let coefficients = polynomial_of_roots !roots in
  Outcomes.ensure (List.length !roots <= d) "a line changes its sign too often along the order";
  (* Before all roots, the sign is (-1)^degree. *)
  let negative_start = List.length !roots land 1 = 1 in
  let negate = if !first = '1' then negative_start else !first = '0' && not negative_start in
  let coefficients = if negate then List.map Z.neg coefficients else coefficients in
  coefficients @ List.init (d - List.length !roots) (fun _ -> Z.zero)

let flip flips e sign = if flips.(e) then (match sign with '1' -> '0' | '0' -> '1' | c -> c) else sign

(* Vectors for elements on the moment curve, and for covectors, whose products have the signs. *)
let on_curve d order flips sign_at covectors =
  let place = Array.make (Array.length flips) 0 in
  List.iteri (fun k e -> place.(e) <- k) order;
  let element e =
    let point = powers (Z.of_int (2 * place.(e))) d in
    if flips.(e) then List.map Z.neg point else point
  in
  let covector c = polynomial_of_signs d (List.map (fun e -> flip flips e (sign_at c e)) order) in
  (Array.init (Array.length flips) element, Array.init covectors covector)

(* An embedding in dimension d from vectors of length d + 1 whose products have the signs of the
   pattern, if the vector [positive] has positive products with all keys. Change the coordinates such
   that it is the last one, and scale the keys such that this coordinate is the same for all. *)
let of_homogeneous positive queries keys =
  let pivot = let rec go k = function x :: rest -> if Z.sign x <> 0 then k else go (k + 1) rest | [] -> raise Not_found in go 0 positive in
  let p = List.nth positive pivot in
  let without row = List.filteri (fun k _ -> k <> pivot) row in
  (* w . k = sum over l of w_l k_l; with s = positive . k: k_pivot = (s - sum of the others) / p. So
     p (w . k) = w_pivot s + sum over the others of (p w_l - w_pivot positive_l) k_l. *)
  let heights = List.map (scalar positive) keys in
  let common = List.fold_left Z.lcm Z.one heights in
  let keys = List.map2 (fun key s -> List.map (fun x -> Z.mul x (Z.divexact common s)) (without key)) keys heights in
  let sign = if Z.sign p > 0 then Z.one else Z.minus_one in
  let query w =
    let w_pivot = List.nth w pivot in
    List.map2 (fun x y -> Z.mul sign (Z.sub (Z.mul p x) (Z.mul w_pivot y))) (without w) (without positive)
  in
  let threshold w = Z.neg (Z.mul sign (Z.mul (List.nth w pivot) common)) in
  { queries = List.map query queries; keys; thresholds = List.map threshold queries }

let of_moment_curve (pattern : Patterns.t) d columns_are_elements order flipped =
  let number = if columns_are_elements then pattern.columns else pattern.rows + 1 in
  let flips = Array.make number false in
  List.iter (fun e -> flips.(e) <- true) flipped;
  let sign row j = if row = 0 then '1' else Patterns.entry pattern (row - 1) j in
  let sign_at c e = if columns_are_elements then sign c e else sign e c in
  let elements, covectors = on_curve d order flips sign_at (if columns_are_elements then pattern.rows + 1 else pattern.columns) in
  let rows, keys = if columns_are_elements then (covectors, elements) else (elements, covectors) in
  of_homogeneous rows.(0) (List.tl (Array.to_list rows)) (Array.to_list keys)
