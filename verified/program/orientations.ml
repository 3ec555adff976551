(* The kind chirotope: builds its clauses, finds hints for its lemmas, and lists the steps that the
   verified checker repeats. Nothing here has to be trusted. *)

open Outcomes

type step = { power : int; larger : int; smaller : int; fixed : int list; four : int list }
type polynomial = { signs : int list; steps : step list }
type automorphism = { permutation : int list; flipped : int list; added : int list list }
type symmetry = { order : int list; automorphisms : automorphism list }
type relations = All | Listed of int list | No_relations

type t = {
  d : int;
  rows : int list;
  columns : int list;
  columns_are_elements : bool;
  relations : relations;
  lemmas : int list list;
  polynomials : polynomial list;
  symmetry : symmetry option;
}

(* {2 Reading} *)

let read_step value =
  let found = Forms.members "a step" [ "power"; "larger"; "smaller"; "fixed"; "four" ] [] value in
  let term name =
    match Forms.get found name with
    | Json.Integer x when Z.geq x Z.zero && Z.leq x (Z.of_int 2) -> Z.to_int x
    | _ -> unreadable (name ^ " must be 0, 1 or 2")
  in
  let power = Forms.whole "power" (Forms.get found "power") in
  let larger = term "larger" in
  let smaller = term "smaller" in
  let fixed = Forms.indices "fixed" (Forms.get found "fixed") in
  let four = Forms.ascending "four" (Forms.get found "four") in
  if List.length four <> 4 then unreadable "four must be four elements";
  if larger = smaller then unreadable "a step compares a term with itself";
  if List.exists (fun e -> List.mem e four) fixed then unreadable "a step has an element in fixed and in four";
  { power; larger; smaller; fixed; four }

let read_polynomial value =
  let found = Forms.members "a final polynomial" [ "signs"; "steps" ] [] value in
  let signs = Forms.literals "signs" (Forms.get found "signs") in
  { signs; steps = Forms.records "steps" read_step (Forms.get found "steps") }

let read_automorphism value =
  let found = Forms.members "an automorphism" [ "permutation"; "flipped"; "clauses" ] [] value in
  let permutation = Forms.indices "permutation" (Forms.get found "permutation") in
  let flipped = Forms.indices "flipped" (Forms.get found "flipped") in
  let added = Forms.clauses "clauses" (Forms.get found "clauses") in
  let size = List.length permutation in
  if List.exists (fun e -> e >= size) (permutation @ flipped) then unreadable "a permutation is none";
  { permutation; flipped; added }

let read_symmetry value =
  let found = Forms.members "symmetry" [ "order"; "automorphisms" ] [] value in
  let order = Forms.literals "order" (Forms.get found "order") in
  { order; automorphisms = Forms.records "automorphisms" read_automorphism (Forms.get found "automorphisms") }

let needed = [ "d"; "rows"; "columns"; "elements"; "relations"; "lemmas"; "polynomials" ]
let optional = [ "symmetry" ]

let read found =
  let get = Forms.get found in
  let d = Forms.whole "d" (get "d") in
  let rows = Forms.indices "rows" (get "rows") in
  let columns = Forms.indices "columns" (get "columns") in
  let columns_are_elements = Forms.choice "elements" [ "rows"; "columns" ] (get "elements") = "columns" in
  let relations =
    match get "relations" with
    | Json.Flag true -> All
    | Json.Flag false -> No_relations
    | value -> Listed (Forms.ascending "relations" value)
  in
  let lemmas = Forms.clauses "lemmas" (get "lemmas") in
  let polynomials = Forms.records "polynomials" read_polynomial (get "polynomials") in
  let symmetry = Option.map read_symmetry (List.assoc_opt "symmetry" found) in
  { d; rows; columns; columns_are_elements; relations; lemmas; polynomials; symmetry }

(* {2 Limits} *)

let count_relations elements rank =
  Z.mul (Subsets.choose elements (rank + 2)) (Subsets.choose (rank + 2) 4)

let check_size proof elements covectors =
  let rank = proof.d + 1 in
  ensure (elements > rank && covectors > 0) "its core has no circuits";
  let small holds = ensure holds "its clauses are too many to check" in
  let power_of_two n = Z.shift_left Z.one n in
  small (rank <= 32);
  let subsets = Subsets.choose elements (rank + 1) in
  small (Z.leq (Z.mul subsets (power_of_two rank)) (power_of_two 29));
  small (Z.leq (Z.mul subsets (Z.of_int ((rank + 1) * covectors))) (power_of_two 30));
  let all = count_relations elements rank in
  let most = Z.of_int 1_000_000 in
  let used =
    match proof.relations with
    | All -> all
    | No_relations -> Z.zero
    | Listed numbers ->
      List.iter (fun x -> ensure (Z.lt (Z.of_int x) all) "it names a relation that does not exist") numbers;
      small (Z.leq all most);
      Z.of_int (List.length numbers)
  in
  let broken =
    match proof.symmetry with
    | None -> 0
    | Some { automorphisms; _ } -> List.fold_left (fun sum g -> sum + List.length g.added) 0 automorphisms
  in
  let patterns = Z.min (power_of_two rank) (Z.of_int covectors) in
  let circuits = Z.mul (Z.of_int 2) (Z.mul subsets patterns) in
  small (Z.leq (Z.add (Z.add circuits (Z.mul (Z.of_int 16) used)) (Z.of_int broken)) most)

(* {2 Clauses, and why they hold} *)

type source =
  | Circuit of int * int array * int (* covector, elements, sign of all literals *)
  | Relation of int list * int array * int array (* fixed, four, the clause *)
  | Polynomial of int
  | First
  | Least of int (* 2 g, or 2 g + 1 for the mirror image *)
  | Lemma of int list

let places = [| (0, 1); (2, 3); (0, 2); (1, 3); (0, 3); (1, 2) |]

let variable_of_any variables elements =
  let subset = Array.of_list elements in
  Array.sort compare subset;
  Subsets.variable variables subset

let relation_variables variables fixed four =
  Array.map (fun (x, y) -> variable_of_any variables (four.(x) :: four.(y) :: fixed)) places

(* The sign patterns of covectors on a subset, up to a common sign, with a covector for each. *)
let patterns_on covectors subset =
  let size = Array.length subset in
  let all = (1 lsl size) - 1 in
  let found = Hashtbl.create 32 in
  Array.iteri
    (fun c covector ->
       let signs = ref 0 and defined = ref true in
       Array.iteri
         (fun t e ->
            match Bytes.get covector e with
            | '1' -> signs := !signs lor (1 lsl t)
            | '0' -> ()
            | _ -> defined := false)
         subset;
       if !defined then begin
         let signs = if !signs land 1 = 1 then !signs else all lxor !signs in
         if not (Hashtbl.mem found signs) then Hashtbl.add found signs c
       end)
    covectors;
  found

let circuit_clause variables covector subset sign =
  List.init (Array.length subset) (fun t ->
      let variable = Subsets.variable variables (Subsets.without subset t) in
      let alternating = if t land 1 = 0 then variable else -variable in
      sign * (if Bytes.get covector subset.(t) = '1' then -alternating else alternating))

let relation_clauses x =
  let clauses = ref [] in
  let signs = [ 1; -1 ] in
  List.iter
    (fun s ->
       List.iter
         (fun f ->
            List.iter
              (fun g ->
                 List.iter
                   (fun h ->
                      clauses :=
                        [| -f * x.(0); -f * s * x.(1); -g * x.(2); g * s * x.(3); -h * x.(4); -h * s * x.(5) |]
                        :: !clauses)
                   signs)
              signs)
         signs)
    signs;
  List.rev !clauses

(* {2 The verified checker's data} *)

let rec positive n =
  if n = 1 then Checker.XH
  else if n land 1 = 1 then Checker.XI (positive (n / 2))
  else Checker.XO (positive (n / 2))

(* The sets of elements whose orientations are used, with new numbers. *)
type naming = { variables : Subsets.variables; elements : int; numbers : (int, Checker.positive) Hashtbl.t;
                mutable listed : int list list }

let name naming variable =
  match Hashtbl.find_opt naming.numbers variable with
  | Some number -> number
  | None ->
    let number = positive (Hashtbl.length naming.numbers + 1) in
    Hashtbl.add naming.numbers variable number;
    naming.listed <- Array.to_list (Subsets.subset_of naming.variables naming.elements variable) :: naming.listed;
    number

let literal naming x : Checker.literal = (x > 0, name naming (abs x))

(* A relation with six literals in the order of its brackets. *)
let verified_relation naming fixed four (x : int array) : Checker.relation =
  let l k = literal naming x.(k) in
  { Checker.fixed; e1 = four.(0); e2 = four.(1); e3 = four.(2); e4 = four.(3);
    l1 = l 0; l2 = l 1; l3 = l 2; l4 = l 3; l5 = l 4; l6 = l 5 }

let verified_inequality naming variables signs step : Checker.inequality =
  let four = Array.of_list step.four in
  let brackets = relation_variables variables step.fixed four in
  let denied variable =
    if List.mem variable signs then -variable
    else if List.mem (-variable) signs then variable
    else refuse "a step of a final polynomial does not follow from its signs"
  in
  { Checker.power = Z.of_int step.power; larger = step.larger; smaller = step.smaller;
    relation_of = verified_relation naming step.fixed four (Array.map denied brackets) }

(* {2 Symmetry} *)

let image naming g_permutation g_flips x =
  let subset = Subsets.subset_of naming.variables naming.elements (abs x) in
  let moved = Array.map (fun i -> g_permutation.(i)) subset in
  let sign = ref (compare x 0) in
  Array.iteri
    (fun s i ->
       if g_flips.(i) then sign := - !sign;
       for t = s + 1 to Array.length moved - 1 do if moved.(s) > moved.(t) then sign := - !sign done)
    subset;
  Array.sort compare moved;
  !sign * Subsets.variable naming.variables moved

let move_covector covector permutation flips =
  Bytes.init (Array.length permutation) (fun i ->
      match Bytes.get covector permutation.(i) with
      | '*' -> '*'
      | c -> if flips.(i) then (if c = '1' then '0' else '1') else c)

let complement = Bytes.map (function '1' -> '0' | '0' -> '1' | c -> c)

(* A name of a covector, the same for the opposite signs. *)
let name_of_covector covector =
  let opposite = complement covector in
  Bytes.to_string (if compare covector opposite < 0 then opposite else covector)

let verified_automorphism naming covectors order g : Checker.automorphism * int list =
  let permutation = Array.of_list g.permutation in
  ensure (Array.length permutation = naming.elements) "an automorphism permutes another number of elements";
  let flips = Array.make naming.elements false in
  List.iter (fun e -> flips.(e) <- true) g.flipped;
  let images = Hashtbl.create 64 in
  Array.iteri (fun c covector -> Hashtbl.replace images (name_of_covector (move_covector covector permutation flips)) c) covectors;
  let preimages =
    Array.to_list
      (Array.map
         (fun covector ->
            match Hashtbl.find_opt images (name_of_covector covector) with
            | Some c -> c
            | None -> refuse "an automorphism maps no covector to one of them")
         covectors)
  in
  let moved = List.map (image naming permutation flips) order in
  ({ Checker.permutation = g.permutation; flips = Array.to_list flips; preimages;
     images = List.map (literal naming) moved }, moved)

(* Whether the clause says that the order's literals are not less true than their images. *)
let rec compares clause order images =
  match order, images with
  | l :: order, m :: images ->
    if l = m then compares clause order images
    else
      let has_l = Hashtbl.mem clause l and has_m = Hashtbl.mem clause (-m) in
      (has_l && has_m) || ((has_l || has_m) && compares clause order images)
  | _ -> false

let check_symmetry_size naming covectors { order; automorphisms } =
  let rank = naming.variables.rank and length = List.length order in
  let per_automorphism = (naming.elements * Array.length covectors) + (length * rank * rank) in
  ensure (List.length automorphisms * per_automorphism <= 1 lsl 28) "its symmetry is too large to check";
  let literals =
    List.fold_left
      (fun sum g -> List.fold_left (fun sum c -> sum + 1 + List.length c) sum g.added) 0 automorphisms
  in
  ensure (length * literals <= 1 lsl 25) "its symmetry is too large to check"

(* {2 The refutation} *)

let ensure_range total clause =
  List.iter (fun x -> ensure (abs x <= total) "a clause names a variable that does not exist") clause

(* The steps that lead to the empty clause, each after those that it needs. *)
let list_steps state naming sources polynomials verified_clause =
  let steps = ref [] and count = ref 0 in
  let clause_numbers = Hashtbl.create 1024 and unit_numbers = Hashtbl.create 1024 in
  let add clause why =
    steps := (clause, why) :: !steps;
    incr count;
    positive !count
  in
  (* Every final polynomial must hold, even if the refutation does not use it. *)
  let polynomial_numbers =
    Array.map
      (fun (clause, inequalities) -> add (List.map (literal naming) clause) (Checker.Polynomial inequalities))
      polynomials
  in
  let rec clause_number number =
    match Hashtbl.find_opt clause_numbers number, sources.(number) with
    | Some found, _ -> found
    | None, Polynomial k -> polynomial_numbers.(k)
    | None, source ->
      let why =
        match source with
        | Circuit (c, subset, _) -> Checker.Circuit (c, Array.to_list subset)
        | Relation (fixed, four, x) -> Checker.ThreeTerms (verified_relation naming fixed four x)
        | Polynomial _ -> assert false
        | First -> Checker.First
        | Least g -> Checker.Least (g / 2, g land 1 = 1)
        | Lemma reasons -> Checker.Follows (hints reasons)
      in
      let found = add (verified_clause number) why in
      Hashtbl.add clause_numbers number found;
      found
  and unit_number v =
    match Hashtbl.find_opt unit_numbers v with
    | Some found -> found
    | None ->
      let clause = state.Propagation.reason.(v) in
      let codes = Propagation.literals_of state clause in
      let found =
        if Array.length codes = 1 then clause_number clause
        else begin
          let others = List.filter (fun w -> w <> v) (Array.to_list (Array.map (fun code -> code lsr 1) codes)) in
          let units = List.map unit_number others in
          let number = clause_number clause in
          let is_true = Propagation.truth state (2 * v) = '+' in
          add [ (is_true, name naming v) ] (Checker.Follows (units @ [ number ]))
        end
      in
      Hashtbl.add unit_numbers v found;
      found
  and hints reasons = List.map (fun x -> if x < 0 then unit_number (-x) else clause_number x) reasons
  in
  (match state.Propagation.conflict with
   | None -> refuse "its lemmas end without a contradiction"
   | Some reasons -> ignore (add [] (Checker.Follows (hints reasons))));
  List.rev !steps

let covectors_of (pattern : Patterns.t) proof =
  let rows = Array.of_list proof.rows and columns = Array.of_list proof.columns in
  let line i = Bytes.init (Array.length columns) (fun b -> Patterns.entry pattern i columns.(b)) in
  let lines = Array.append [| Bytes.make (Array.length columns) '1' |] (Array.map line rows) in
  if proof.columns_are_elements then (Array.length columns, lines)
  else
    (Array.length lines,
     Array.init (Array.length columns) (fun b -> Bytes.init (Array.length lines) (fun e -> Bytes.get lines.(e) b)))

let refutation (pattern : Patterns.t) proof : Checker.refutation =
  let elements, covectors = covectors_of pattern proof in
  check_size proof elements (Array.length covectors);
  let rank = proof.d + 1 in
  let variables = Subsets.variables elements rank in
  List.iter (ensure_range variables.total) proof.lemmas;
  let naming = { variables; elements; numbers = Hashtbl.create 1024; listed = [] } in
  let state = Propagation.create variables.total in
  let sources = ref [] in
  let add clause source =
    if state.Propagation.conflict = None then begin
      sources := source :: !sources;
      Propagation.add state clause
    end
  in
  let plain = Hashtbl.create 64 in (* the literals of clauses that are not rebuilt from their source *)
  let add_plain clause source =
    if state.Propagation.conflict = None then Hashtbl.replace plain state.Propagation.starts.length clause;
    add clause source
  in
  add_plain [ 1 ] First;
  let polynomials =
    Array.of_list
      (List.map
         (fun { signs; steps } ->
            ensure (steps <> []) "a final polynomial has no steps";
            ensure_range variables.total signs;
            List.iter
              (fun step ->
                 ensure
                   (List.length step.fixed = rank - 2
                    && List.for_all (fun e -> e < elements) (step.fixed @ step.four))
                   "a step of a final polynomial is no relation")
              steps;
            let clause = List.map (fun x -> -x) signs in
            let inequalities = List.map (verified_inequality naming variables signs) steps in
            (clause, inequalities))
         proof.polynomials)
  in
  Array.iteri (fun k (clause, _) -> add_plain clause (Polynomial k)) polynomials;
  let order, automorphisms =
    match proof.symmetry with
    | None -> ([ 1 ], [])
    | Some symmetry ->
      ensure (match symmetry.order with 1 :: _ -> true | _ -> false) "the order of its symmetry does not begin with 1";
      ensure_range variables.total symmetry.order;
      check_symmetry_size naming covectors symmetry;
      let automorphisms =
        List.mapi
          (fun k g ->
             let verified, moved = verified_automorphism naming covectors symmetry.order g in
             let opposite = List.map (fun x -> -x) moved in
             List.iter
               (fun clause ->
                  ensure_range variables.total clause;
                  let members = Hashtbl.create 16 in
                  List.iter (fun x -> Hashtbl.replace members x ()) clause;
                  if compares members symmetry.order moved then add_plain clause (Least (2 * k))
                  else if compares members symmetry.order opposite then add_plain clause (Least ((2 * k) + 1))
                  else refuse "a clause does not follow from the images of an automorphism")
               g.added;
             verified)
          symmetry.automorphisms
      in
      (symmetry.order, automorphisms)
  in
  Subsets.iter elements (rank + 1) (fun subset ->
      let found = patterns_on covectors subset in
      if Hashtbl.length found > 0 then begin
        let subset = Array.copy subset in
        Hashtbl.iter
          (fun _ c ->
             List.iter
               (fun sign -> add (circuit_clause variables covectors.(c) subset sign) (Circuit (c, subset, sign)))
               [ 1; -1 ])
          found
      end);
  let wanted =
    match proof.relations with
    | No_relations -> fun _ -> false
    | All -> fun _ -> true
    | Listed numbers ->
      let table = Hashtbl.create 64 in
      List.iter (fun x -> Hashtbl.replace table x ()) numbers;
      Hashtbl.mem table
  in
  let fours = ref [] in
  Subsets.iter (rank + 2) 4 (fun four -> fours := Array.copy four :: !fours);
  let fours = List.rev !fours in
  let number = ref 0 in
  if proof.relations <> No_relations && rank >= 2 then
    Subsets.iter elements (rank + 2) (fun union ->
        List.iter
          (fun places ->
             if wanted !number then begin
               let four = Array.map (fun place -> union.(place)) places in
               let fixed = List.filter (fun e -> not (Array.mem e four)) (Array.to_list union) in
               List.iter
                 (fun x -> add (Array.to_list x) (Relation (fixed, four, x)))
                 (relation_clauses (relation_variables variables fixed four))
             end;
             incr number)
          fours);
  List.iter
    (fun lemma ->
       match Propagation.implies state lemma with
       | Propagation.No -> refuse "a lemma does not follow by unit propagation"
       | Propagation.Always -> ()
       | Propagation.Because reasons -> add_plain lemma (Lemma reasons))
    proof.lemmas;
  let sources = Array.of_list (List.rev !sources) in
  let verified_clause number =
    match sources.(number) with
    | Circuit (c, subset, sign) ->
      List.map (literal naming) (circuit_clause variables covectors.(c) subset sign)
    | Relation (_, _, x) -> List.map (literal naming) (Array.to_list x)
    | _ -> List.map (literal naming) (Hashtbl.find plain number)
  in
  let order = List.map (literal naming) order in
  let steps = list_steps state naming sources polynomials verified_clause in
  Checker.NoChirotope
    (proof.d, proof.columns_are_elements, proof.rows, proof.columns, List.rev naming.listed, order, automorphisms,
     steps)
