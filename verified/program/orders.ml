(* The kind key-order as explicit integers: keys on a circle or a line, where each row is an arc. The
   integers need not be trusted. *)

(* What a row contains of the places 0, 1, ..: nothing, all, the places from one to another, or all
   others. *)
type run = Nothing | Everything | Between of int * int | Outside of int * int

(* The value of each place: '1' or '0' if some column there has it, else '*'. *)
let values_of row place_of number =
  let values = Bytes.make number '*' in
  Array.iteri (fun j p -> match Bytes.get row j with '*' -> () | entry -> Bytes.set values p entry) place_of;
  values

let run_of values circle =
  let number = Bytes.length values in
  let places entry = List.filter (fun p -> Bytes.get values p = entry) (List.init number Fun.id) in
  match places '1', places '0' with
  | [], _ -> Nothing
  | _, [] -> Everything
  | (first :: _ as ones), zeros ->
    let last = List.nth ones (List.length ones - 1) in
    let zero_inside = List.exists (fun p -> first < p && p < last) zeros in
    if circle && zero_inside then
      let inside = List.filter (fun p -> first < p && p < last) zeros in
      Outside (List.hd inside, List.nth inside (List.length inside - 1))
    else Between (first, last)

let z = Z.of_int

(* Places 0, 1, .. are points with the coordinate 2p, and rows are intervals around them. *)
let line number runs place_of =
  let center, threshold =
    List.split
      (List.map
         (function
           | Between (l, r) -> (z (l + r), z (((2 * l) - 1) * ((2 * r) + 1)))
           | Everything -> (z (number - 1), z (-((2 * number) - 1)))
           | Nothing | Outside _ -> (Z.zero, Z.zero))
         runs)
  in
  let keys = List.map (fun p -> [ z (2 * p) ]) place_of in
  Checker.OfBalls (List.map (fun x -> [ x ]) center, List.map (fun _ -> Z.one) runs, keys, threshold)

(* Points of a parabola; half-planes are balls of large radius. *)
let parabola number runs place_of =
  let key p = [ z (2 * p); z (4 * p * p) ] in
  let last = z (2 * number) in
  let radius = Z.add (Z.mul last last) (Z.pow last 4) in
  let interval l r = ([ z (2 * (l + r)); Z.minus_one ], z (((2 * l) - 1) * ((2 * r) + 1))) in
  let half_plane = function
    | Between (l, r) -> interval l r
    | Outside (l, r) -> let normal, height = interval l r in (List.map Z.neg normal, Z.neg height)
    | Everything -> ([ Z.zero; Z.zero ], Z.minus_one)
    | Nothing -> ([ Z.zero; Z.zero ], Z.one)
  in
  let normals, heights = List.split (List.map half_plane runs) in
  Checker.OfBalls
    ( List.map (List.map (Z.mul radius)) normals, List.map (fun _ -> Z.one) runs, List.map key place_of,
      List.map (fun height -> Z.mul (Z.mul (z 2) radius) height) heights )

(* Directions (1 - p^2, 2p), whose lengths are 1 + p^2. *)
let circle runs place_of =
  let key p = [ z (1 - (p * p)); z (2 * p) ] in
  let arc l r = let g = ((2 * l) - 1) * ((2 * r) + 1) in ([ z (4 - g); z (4 * (l + r)) ], z (4 + g)) in
  let cap = function
    | Between (l, r) -> arc l r
    | Outside (l, r) -> let normal, height = arc l r in (List.map Z.neg normal, Z.neg height)
    | Everything -> ([ Z.zero; Z.zero ], Z.minus_one)
    | Nothing -> ([ Z.zero; Z.zero ], Z.zero)
  in
  let normals, heights = List.split (List.map cap runs) in
  Checker.OfCaps (normals, List.map key place_of, heights)

(* Two points, 1 and -1. *)
let two_points runs place_of =
  let cap = function
    | Between (l, _) -> ([ z (1 - (2 * l)) ], Z.zero)
    | Everything -> ([ Z.zero ], Z.minus_one)
    | Outside _ | Nothing -> ([ Z.zero ], Z.zero)
  in
  let normals, heights = List.split (List.map cap runs) in
  Checker.OfCaps (normals, List.map (fun p -> [ z (1 - (2 * p)) ]) place_of, heights)

let witness (pattern : Patterns.t) similarity d on_circle places =
  Outcomes.ensure (on_circle || similarity = "l2") "a line shows nothing for cosine similarity";
  Outcomes.ensure (List.length places = pattern.columns) "it has not one place for each column";
  let order = List.sort_uniq Z.compare places in
  let number = List.length order in
  let flat = (not on_circle) || number <= 2 in
  Outcomes.ensure ((if flat then 1 else 2) <= d) "it is in a larger dimension";
  let ranks = Hashtbl.create number in
  List.iteri (fun p place -> Hashtbl.replace ranks place p) order;
  let place_of = List.map (Hashtbl.find ranks) places in
  let run row = run_of (values_of row (Array.of_list place_of) number) (not flat) in
  let runs = List.map run (Array.to_list pattern.entries) in
  match similarity, flat with
  | "l2", true -> line number runs place_of
  | "l2", false -> parabola number runs place_of
  | _, true -> two_points runs place_of
  | _, false -> circle runs place_of
