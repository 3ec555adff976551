(* Generated from theories by theories/Extraction.v; not to be edited. *)

(** val xorb : bool -> bool -> bool **)

let xorb b1 b2 =
  if b1 then if b2 then false else true else b2

(** val option_map : ('a1 -> 'a2) -> 'a1 option -> 'a2 option **)

let option_map f = function
| Some a -> Some (f a)
| None -> None

(** val fst : ('a1 * 'a2) -> 'a1 **)

let fst = function
| (x, _) -> x

(** val snd : ('a1 * 'a2) -> 'a2 **)

let snd = function
| (_, y) -> y

(** val length : 'a1 list -> int **)

let rec length = function
| [] -> 0
| _ :: l' -> succ (length l')

(** val app : 'a1 list -> 'a1 list -> 'a1 list **)

let rec app l m =
  match l with
  | [] -> m
  | a :: l7 -> a :: (app l7 m)

type comparison =
| Eq
| Lt
| Gt

(** val compOpp : comparison -> comparison **)

let compOpp = function
| Eq -> Eq
| Lt -> Gt
| Gt -> Lt

(** val eqb : int -> int -> bool **)

let rec eqb n m =
  (fun zero succ n -> if n = 0 then zero () else succ (n - 1))
    (fun _ ->
    (fun zero succ n -> if n = 0 then zero () else succ (n - 1))
      (fun _ -> true)
      (fun _ -> false)
      m)
    (fun n' ->
    (fun zero succ n -> if n = 0 then zero () else succ (n - 1))
      (fun _ -> false)
      (fun m' -> eqb n' m')
      m)
    n



type positive =
| XI of positive
| XO of positive
| XH



(** val eqb0 : bool -> bool -> bool **)

let eqb0 b1 b2 =
  if b1 then b2 else if b2 then false else true

module Nat =
 struct
  (** val even : int -> bool **)

  let rec even n =
    (fun zero succ n -> if n = 0 then zero () else succ (n - 1))
      (fun _ -> true)
      (fun n0 ->
      (fun zero succ n -> if n = 0 then zero () else succ (n - 1))
        (fun _ -> false)
        (fun n' -> even n')
        n0)
      n

  (** val odd : int -> bool **)

  let odd n =
    not (even n)
 end

module Pos =
 struct
  (** val succ : positive -> positive **)

  let rec succ = function
  | XI p -> XO (succ p)
  | XO p -> XI p
  | XH -> XO XH

  (** val add : positive -> positive -> positive **)

  let rec add x y =
    match x with
    | XI p ->
      (match y with
       | XI q -> XO (add_carry p q)
       | XO q -> XI (add p q)
       | XH -> XO (succ p))
    | XO p ->
      (match y with
       | XI q -> XI (add p q)
       | XO q -> XO (add p q)
       | XH -> XI p)
    | XH -> (match y with
             | XI q -> XO (succ q)
             | XO q -> XI q
             | XH -> XO XH)

  (** val add_carry : positive -> positive -> positive **)

  and add_carry x y =
    match x with
    | XI p ->
      (match y with
       | XI q -> XI (add_carry p q)
       | XO q -> XO (add_carry p q)
       | XH -> XI (succ p))
    | XO p ->
      (match y with
       | XI q -> XO (add_carry p q)
       | XO q -> XI (add p q)
       | XH -> XO (succ p))
    | XH ->
      (match y with
       | XI q -> XI (succ q)
       | XO q -> XO (succ q)
       | XH -> XI XH)

  (** val pred_double : positive -> positive **)

  let rec pred_double = function
  | XI p -> XI (XO p)
  | XO p -> XI (pred_double p)
  | XH -> XH

  (** val mul : positive -> positive -> positive **)

  let rec mul x y =
    match x with
    | XI p -> add y (XO (mul p y))
    | XO p -> XO (mul p y)
    | XH -> y

  (** val compare_cont : comparison -> positive -> positive -> comparison **)

  let rec compare_cont r x y =
    match x with
    | XI p ->
      (match y with
       | XI q -> compare_cont r p q
       | XO q -> compare_cont Gt p q
       | XH -> Gt)
    | XO p ->
      (match y with
       | XI q -> compare_cont Lt p q
       | XO q -> compare_cont r p q
       | XH -> Gt)
    | XH -> (match y with
             | XH -> r
             | _ -> Lt)

  (** val compare : positive -> positive -> comparison **)

  let compare =
    compare_cont Eq

  (** val eqb : positive -> positive -> bool **)

  let rec eqb p q =
    match p with
    | XI p0 -> (match q with
                | XI q0 -> eqb p0 q0
                | _ -> false)
    | XO p0 -> (match q with
                | XO q0 -> eqb p0 q0
                | _ -> false)
    | XH -> (match q with
             | XH -> true
             | _ -> false)
 end

module Z =
 struct
  (** val double : Integers.t -> Integers.t **)

  let double x =
    (fun _ _ _ _ -> assert false)
      (fun _ -> Integers.zero)
      (fun p -> (fun _ -> assert false) (XO p))
      (fun p -> (fun _ -> assert false) (XO p))
      x

  (** val succ_double : Integers.t -> Integers.t **)

  let succ_double x =
    (fun _ _ _ _ -> assert false)
      (fun _ -> (fun _ -> assert false) XH)
      (fun p -> (fun _ -> assert false) (XI p))
      (fun p -> (fun _ -> assert false) (Pos.pred_double p))
      x

  (** val pred_double : Integers.t -> Integers.t **)

  let pred_double x =
    (fun _ _ _ _ -> assert false)
      (fun _ -> (fun _ -> assert false) XH)
      (fun p -> (fun _ -> assert false) (Pos.pred_double p))
      (fun p -> (fun _ -> assert false) (XI p))
      x

  (** val pos_sub : positive -> positive -> Integers.t **)

  let rec pos_sub x y =
    match x with
    | XI p ->
      (match y with
       | XI q -> double (pos_sub p q)
       | XO q -> succ_double (pos_sub p q)
       | XH -> (fun _ -> assert false) (XO p))
    | XO p ->
      (match y with
       | XI q -> pred_double (pos_sub p q)
       | XO q -> double (pos_sub p q)
       | XH -> (fun _ -> assert false) (Pos.pred_double p))
    | XH ->
      (match y with
       | XI q -> (fun _ -> assert false) (XO q)
       | XO q -> (fun _ -> assert false) (Pos.pred_double q)
       | XH -> Integers.zero)

  (** val compare : Integers.t -> Integers.t -> comparison **)

  let compare x y =
    (fun _ _ _ _ -> assert false)
      (fun _ ->
      (fun _ _ _ _ -> assert false)
        (fun _ -> Eq)
        (fun _ -> Lt)
        (fun _ -> Gt)
        y)
      (fun x' ->
      (fun _ _ _ _ -> assert false)
        (fun _ -> Gt)
        (fun y' -> Pos.compare x' y')
        (fun _ -> Gt)
        y)
      (fun x' ->
      (fun _ _ _ _ -> assert false)
        (fun _ -> Lt)
        (fun _ -> Lt)
        (fun y' -> compOpp (Pos.compare x' y'))
        y)
      x
 end

(** val hd : 'a1 -> 'a1 list -> 'a1 **)

let hd default = function
| [] -> default
| x :: _ -> x

(** val tl : 'a1 list -> 'a1 list **)

let tl = function
| [] -> []
| _ :: m -> m

(** val nth : int -> 'a1 list -> 'a1 -> 'a1 **)

let rec nth n l default =
  (fun zero succ n -> if n = 0 then zero () else succ (n - 1))
    (fun _ -> match l with
              | [] -> default
              | x :: _ -> x)
    (fun m -> match l with
              | [] -> default
              | _ :: t -> nth m t default)
    n

(** val nth_error : 'a1 list -> int -> 'a1 option **)

let rec nth_error l n =
  (fun zero succ n -> if n = 0 then zero () else succ (n - 1))
    (fun _ -> match l with
              | [] -> None
              | x :: _ -> Some x)
    (fun n0 -> match l with
               | [] -> None
               | _ :: l0 -> nth_error l0 n0)
    n

(** val map : ('a1 -> 'a2) -> 'a1 list -> 'a2 list **)

let rec map f = function
| [] -> []
| a :: t -> (f a) :: (map f t)

(** val flat_map : ('a1 -> 'a2 list) -> 'a1 list -> 'a2 list **)

let rec flat_map f = function
| [] -> []
| x :: t -> app (f x) (flat_map f t)

(** val fold_left : ('a1 -> 'a2 -> 'a1) -> 'a2 list -> 'a1 -> 'a1 **)

let rec fold_left f l a0 =
  match l with
  | [] -> a0
  | b :: t -> fold_left f t (f a0 b)

(** val fold_right : ('a2 -> 'a1 -> 'a1) -> 'a1 -> 'a2 list -> 'a1 **)

let rec fold_right f a0 = function
| [] -> a0
| b :: t -> f b (fold_right f a0 t)

(** val existsb : ('a1 -> bool) -> 'a1 list -> bool **)

let rec existsb f = function
| [] -> false
| a :: l0 -> (||) (f a) (existsb f l0)

(** val forallb : ('a1 -> bool) -> 'a1 list -> bool **)

let rec forallb f = function
| [] -> true
| a :: l0 -> (&&) (f a) (forallb f l0)

(** val combine : 'a1 list -> 'a2 list -> ('a1 * 'a2) list **)

let rec combine l l' =
  match l with
  | [] -> []
  | x :: tl0 ->
    (match l' with
     | [] -> []
     | y :: tl' -> (x, y) :: (combine tl0 tl'))

(** val firstn : int -> 'a1 list -> 'a1 list **)

let rec firstn n l =
  (fun zero succ n -> if n = 0 then zero () else succ (n - 1))
    (fun _ -> [])
    (fun n0 -> match l with
               | [] -> []
               | a :: l0 -> a :: (firstn n0 l0))
    n

(** val skipn : int -> 'a1 list -> 'a1 list **)

let rec skipn n l =
  (fun zero succ n -> if n = 0 then zero () else succ (n - 1))
    (fun _ -> l)
    (fun n0 -> match l with
               | [] -> []
               | _ :: l0 -> skipn n0 l0)
    n

(** val seq : int -> int -> int list **)

let rec seq start len =
  (fun zero succ n -> if n = 0 then zero () else succ (n - 1))
    (fun _ -> [])
    (fun len0 -> start :: (seq (succ start) len0))
    len

(** val repeat : 'a1 -> int -> 'a1 list **)

let rec repeat x n =
  (fun zero succ n -> if n = 0 then zero () else succ (n - 1))
    (fun _ -> [])
    (fun k -> x :: (repeat x k))
    n

type entry =
| One
| Zero
| Any

type similarity =
| DotProduct
| Cosine
| Distance

type thresholds_kind =
| AllZero
| AllEqual
| EachRow

type pattern = entry list list

(** val entry_at : pattern -> int -> int -> entry **)

let entry_at s i j =
  nth j (nth i s []) Any

(** val core_of_columns : pattern -> int list -> int list -> pattern **)

let core_of_columns s rows columns =
  (map (fun _ -> One) columns) :: (map (fun i ->
                                    let row = nth i s [] in
                                    map (fun j -> nth j row Any) columns)
                                    rows)

(** val core_of_rows : pattern -> int list -> int list -> pattern **)

let core_of_rows s rows columns =
  let chosen = map (fun i -> nth i s []) rows in
  map (fun j -> One :: (map (fun row -> nth j row Any) chosen)) columns

(** val core : bool -> pattern -> int list -> int list -> pattern **)

let core = function
| true -> core_of_columns
| false -> core_of_rows

(** val erase_rows : pattern -> int list -> pattern **)

let erase_rows s wrong =
  map (fun i -> if existsb (eqb i) wrong then [] else nth i s [])
    (seq 0 (length s))

(** val erase_entries : pattern -> (int * int) list -> pattern **)

let erase_entries s wrong =
  let named = fun i j ->
    existsb (fun ij -> (&&) (eqb i (fst ij)) (eqb j (snd ij))) wrong
  in
  let row = fun i ->
    let entries = nth i s [] in
    map (fun j -> if named i j then Any else nth j entries Any)
      (seq 0 (length entries))
  in
  map row (seq 0 (length s))

type 'a table =
| Leaf
| Node of 'a table * 'a option * 'a table

(** val get : 'a1 table -> positive -> 'a1 option **)

let rec get m i =
  match m with
  | Leaf -> None
  | Node (l, x, r) ->
    (match i with
     | XI i0 -> get r i0
     | XO i0 -> get l i0
     | XH -> x)

(** val set : 'a1 table -> positive -> 'a1 -> 'a1 table **)

let rec set m i y =
  match m with
  | Leaf ->
    (match i with
     | XI i0 -> Node (Leaf, None, (set Leaf i0 y))
     | XO i0 -> Node ((set Leaf i0 y), None, Leaf)
     | XH -> Node (Leaf, (Some y), Leaf))
  | Node (l, x, r) ->
    (match i with
     | XI i0 -> Node (l, x, (set r i0 y))
     | XO i0 -> Node ((set l i0 y), x, r)
     | XH -> Node (l, (Some y), r))

type literal = bool * positive

type clause = literal list

(** val opposite : literal -> literal **)

let opposite l =
  ((not (fst l)), (snd l))

(** val same_literal : literal -> literal -> bool **)

let same_literal l m =
  (&&) (eqb0 (fst l) (fst m)) (Pos.eqb (snd l) (snd m))

(** val contains : clause -> literal -> bool **)

let contains c l =
  existsb (same_literal l) c

type verdict =
| Conflict
| Unit of literal
| Nothing

(** val examine : bool table -> clause -> literal option -> verdict **)

let rec examine values c open0 =
  match c with
  | [] -> (match open0 with
           | Some l -> Unit l
           | None -> Conflict)
  | l :: c0 ->
    let (p, v) = l in
    (match get values v with
     | Some x -> if eqb0 x p then Nothing else examine values c0 open0
     | None ->
       (match open0 with
        | Some l0 ->
          if same_literal l0 (p, v) then examine values c0 open0 else Nothing
        | None -> examine values c0 (Some (p, v))))

(** val propagate : clause table -> bool table -> positive list -> bool **)

let rec propagate clauses values = function
| [] -> false
| h :: hints0 ->
  (match get clauses h with
   | Some c ->
     (match examine values c None with
      | Conflict -> true
      | Unit l -> let (p, v) = l in propagate clauses (set values v p) hints0
      | Nothing -> propagate clauses values hints0)
   | None -> false)

(** val follows : clause table -> clause -> positive list -> bool **)

let follows clauses c hints =
  propagate clauses
    (fold_left (fun values l -> set values (snd l) (not (fst l))) c Leaf)
    hints

(** val insert : int -> int list -> bool * int list **)

let rec insert x t = match t with
| [] -> (false, (x :: []))
| y :: t' ->
  if Integers.less x y
  then (false, (x :: t))
  else let (odd0, t'0) = insert x t' in ((not odd0), (y :: t'0))

(** val sort : int list -> bool * int list **)

let rec sort = function
| [] -> (false, [])
| x :: t0 ->
  let (odd0, t1) = sort t0 in
  let (odd', t2) = insert x t1 in ((xorb odd0 odd'), t2)

(** val same_list : int list -> int list -> bool **)

let rec same_list t u =
  match t with
  | [] -> (match u with
           | [] -> true
           | _ :: _ -> false)
  | x :: t0 ->
    (match u with
     | [] -> false
     | y :: u0 -> (&&) (Integers.equal_naturals x y) (same_list t0 u0))

(** val sign_if_false :
    int list table -> literal -> int list -> bool option **)

let sign_if_false sets l t =
  let (odd0, sorted) = sort t in
  (match get sets (snd l) with
   | Some u ->
     if same_list sorted u then Some (not (xorb (fst l) odd0)) else None
   | None -> None)

(** val same_sign : bool option -> bool option -> bool **)

let same_sign a b =
  match a with
  | Some a0 -> (match b with
                | Some b0 -> eqb0 a0 b0
                | None -> false)
  | None -> false

(** val all_same : bool option list -> bool **)

let all_same = function
| [] -> false
| a :: signs1 -> (&&) (same_sign a a) (forallb (same_sign a) signs1)

(** val no_literal : literal **)

let no_literal =
  (true, XH)

(** val term_of_circuit :
    int list table -> entry list -> int list -> clause -> int -> bool option **)

let term_of_circuit sets covector i c t =
  match sign_if_false sets (nth t c no_literal)
          (app (firstn t i) (skipn (succ t) i)) with
  | Some s ->
    (match nth (nth t i 0) covector Any with
     | One -> Some (xorb (Nat.odd t) s)
     | Zero -> Some (not (xorb (Nat.odd t) s))
     | Any -> None)
  | None -> None

(** val check_circuit :
    pattern -> int -> int list table -> int -> int list -> clause -> bool **)

let check_circuit a r sets c i c0 =
  (&&)
    ((&&) (Integers.equal_naturals (length i) (succ r))
      (Integers.equal_naturals (length c0) (succ r)))
    (all_same (map (term_of_circuit sets (nth c a []) i c0) (seq 0 (succ r))))

type product = { first : literal; first_set : int list; second : literal;
                 second_set : int list }

type relation = { fixed : int list; e1 : int; e2 : int; e3 : int; e4 : 
                  int; l1 : literal; l2 : literal; l3 : literal;
                  l4 : literal; l5 : literal; l6 : literal }

(** val literals_of : relation -> literal list **)

let literals_of r =
  r.l1 :: (r.l2 :: (r.l3 :: (r.l4 :: (r.l5 :: (r.l6 :: [])))))

(** val product_0 : relation -> product **)

let product_0 r =
  { first = r.l1; first_set = (app r.fixed (r.e1 :: (r.e2 :: []))); second =
    r.l2; second_set = (app r.fixed (r.e3 :: (r.e4 :: []))) }

(** val product_1 : relation -> product **)

let product_1 r =
  { first = r.l3; first_set = (app r.fixed (r.e1 :: (r.e3 :: []))); second =
    r.l4; second_set = (app r.fixed (r.e2 :: (r.e4 :: []))) }

(** val product_2 : relation -> product **)

let product_2 r =
  { first = r.l5; first_set = (app r.fixed (r.e1 :: (r.e4 :: []))); second =
    r.l6; second_set = (app r.fixed (r.e2 :: (r.e3 :: []))) }

(** val product_sign : int list table -> product -> bool option **)

let product_sign sets p =
  match sign_if_false sets p.first p.first_set with
  | Some s ->
    (match sign_if_false sets p.second p.second_set with
     | Some s' -> Some (eqb0 s s')
     | None -> None)
  | None -> None

(** val term : relation -> int -> product **)

let term r i =
  (fun zero succ n -> if n = 0 then zero () else succ (n - 1))
    (fun _ -> product_0 r)
    (fun n ->
    (fun zero succ n -> if n = 0 then zero () else succ (n - 1))
      (fun _ -> product_1 r)
      (fun _ -> product_2 r)
      n)
    i

(** val term_sign : int list table -> relation -> int -> bool option **)

let term_sign sets r i =
  (fun zero succ n -> if n = 0 then zero () else succ (n - 1))
    (fun _ -> product_sign sets (term r i))
    (fun n ->
    (fun zero succ n -> if n = 0 then zero () else succ (n - 1))
      (fun _ -> option_map not (product_sign sets (product_1 r)))
      (fun _ -> product_sign sets (term r i))
      n)
    i

(** val check_relation :
    int -> int list table -> relation -> clause -> bool **)

let check_relation r sets r0 c =
  (&&)
    ((&&) (forallb (contains c) (literals_of r0))
      (Integers.equal_naturals ((+) (length r0.fixed) (succ (succ 0))) r))
    (all_same
      ((term_sign sets r0 0) :: ((term_sign sets r0 (succ 0)) :: ((term_sign
                                                                    sets r0
                                                                    (succ
                                                                    (succ 0))) :: []))))

type inequality = { power : Integers.t; larger : int; smaller : int;
                    relation_of : relation }

(** val check_inequality : int -> int list table -> inequality -> bool **)

let check_inequality r sets q =
  let r0 = q.relation_of in
  let other =
    Integers.subtract_naturals
      (Integers.subtract_naturals (succ (succ (succ 0))) q.larger) q.smaller
  in
  (&&)
    ((&&)
      ((&&)
        ((&&)
          ((&&)
            ((&&) (Integers.lt Integers.zero q.power)
              (not (Integers.equal_naturals q.larger q.smaller)))
            (Integers.less q.larger (succ (succ (succ 0)))))
          (Integers.less q.smaller (succ (succ (succ 0)))))
        (Integers.equal_naturals ((+) (length r0.fixed) (succ (succ 0))) r))
      (same_sign (term_sign sets r0 q.smaller) (term_sign sets r0 other)))
    (same_sign (term_sign sets r0 q.smaller)
      (option_map not (term_sign sets r0 q.larger)))

(** val exponent :
    (inequality -> int) -> positive -> inequality list -> Integers.t **)

let rec exponent chosen v = function
| [] -> Integers.zero
| q :: qs0 ->
  let p = term q.relation_of (chosen q) in
  let rest = exponent chosen v qs0 in
  let rest0 =
    if Pos.eqb (snd p.first) v then Integers.add q.power rest else rest
  in
  if Pos.eqb (snd p.second) v then Integers.add q.power rest0 else rest0

(** val check_polynomial :
    int -> int list table -> inequality list -> clause -> bool **)

let check_polynomial r sets qs c =
  (&&)
    ((&&) (match qs with
           | [] -> false
           | _ :: _ -> true)
      (forallb (fun q ->
        (&&) (check_inequality r sets q)
          (forallb (contains c) (literals_of q.relation_of))) qs))
    (forallb (fun l ->
      Integers.equal (exponent (fun i -> i.larger) (snd l) qs)
        (exponent (fun i -> i.smaller) (snd l) qs)) c)

(** val dot_integers :
    Integers.t list -> Integers.t list -> Integers.t -> Integers.t **)

let rec dot_integers u v sum =
  match u with
  | [] -> sum
  | x :: u0 ->
    (match v with
     | [] -> sum
     | y :: v0 -> dot_integers u0 v0 (Integers.add sum (Integers.mul x y)))

(** val row_of_integers :
    Integers.t list list -> Integers.t list -> Integers.t -> entry list **)

let row_of_integers keys q t =
  map (fun k ->
    if Integers.lt t (dot_integers q k Integers.zero) then One else Zero) keys

(** val pattern_of_integers :
    int -> Integers.t list list -> Integers.t list list -> Integers.t list ->
    pattern option **)

let rec pattern_of_integers d keys queries thresholds =
  match queries with
  | [] -> Some []
  | q :: queries0 ->
    (match thresholds with
     | [] -> None
     | t :: thresholds0 ->
       if Integers.at_most (length q) d
       then (match pattern_of_integers d keys queries0 thresholds0 with
             | Some rows -> Some ((row_of_integers keys q t) :: rows)
             | None -> None)
       else None)

(** val complement : entry -> entry **)

let complement = function
| One -> Zero
| Zero -> One
| Any -> Any

(** val attach : entry list -> entry list list -> entry list list **)

let rec attach row = function
| [] -> []
| column :: columns0 ->
  (match row with
   | [] -> (Any :: column) :: (attach [] columns0)
   | e :: row0 -> (e :: column) :: (attach row0 columns0))

(** val transpose : int -> pattern -> pattern **)

let transpose width s =
  fold_right attach (repeat [] width) s

(** val copy_columns : pattern -> int list -> pattern **)

let copy_columns s columns =
  let all = transpose ((+) (succ 0) (fold_right Integers.larger 0 columns)) s
  in
  transpose (length s) (map (fun j -> nth j all []) columns)

type source =
| Ones of bool
| Copy of bool * int

(** val copy_rows : pattern -> int -> source list -> pattern **)

let copy_rows s width rows =
  map (fun s0 ->
    match s0 with
    | Ones flipped -> repeat (if flipped then Zero else One) width
    | Copy (flipped, i) ->
      if flipped then map complement (nth i s []) else nth i s []) rows

(** val after_zeros : int -> entry list -> entry list **)

let rec after_zeros width row =
  (fun zero succ n -> if n = 0 then zero () else succ (n - 1))
    (fun _ -> row)
    (fun width0 ->
    match row with
    | [] -> []
    | e :: row0 -> (match e with
                    | Zero -> after_zeros width0 row0
                    | _ -> []))
    width

(** val has_border : bool -> int -> int -> pattern -> bool **)

let has_border share height width s =
  let border = fun k -> after_zeros width (nth ((+) height k) s []) in
  (&&)
    ((&&) (Integers.less 0 width)
      (forallb (fun row ->
        match nth (if share then (+) (succ 0) width else width) row Any with
        | Zero -> true
        | _ -> false) (firstn height s)))
    (if share
     then (match border 0 with
           | [] -> false
           | e :: l ->
             (match e with
              | One ->
                (match l with
                 | [] -> false
                 | e0 :: _ ->
                   (match e0 with
                    | One ->
                      (match border (succ 0) with
                       | [] -> false
                       | e5 :: l7 ->
                         (match e5 with
                          | One ->
                            (match l7 with
                             | [] -> false
                             | e6 :: _ ->
                               (match e6 with
                                | Zero ->
                                  (match border (succ (succ 0)) with
                                   | [] -> false
                                   | e7 :: l8 ->
                                     (match e7 with
                                      | Zero ->
                                        (match l8 with
                                         | [] -> false
                                         | e8 :: _ ->
                                           (match e8 with
                                            | One -> true
                                            | _ -> false))
                                      | _ -> false))
                                | _ -> false))
                          | _ -> false))
                    | _ -> false))
              | _ -> false))
     else (match border 0 with
           | [] -> false
           | e :: _ -> (match e with
                        | One -> true
                        | _ -> false)))

(** val glue :
    bool -> int -> int -> pattern -> int -> int -> pattern -> pattern **)

let glue share height width s height' width' s' =
  let shared = fun width0 row ->
    if share then (nth width0 row Any) :: [] else []
  in
  app
    (map (fun row ->
      app (firstn width row) (app (repeat Zero width') (shared width row)))
      (firstn height s))
    (map (fun row ->
      app (repeat Zero width) (app (firstn width' row) (shared width' row)))
      (firstn height' s'))

type evidence =
| Integers of Integers.t list list * Integers.t list list * Integers.t list
| Copies of source list * int list * evidence
| Glued of bool * int * int * evidence * int * int * evidence

(** val represented : int -> evidence -> pattern option **)

let rec represented d = function
| Integers (queries, keys, thresholds) ->
  pattern_of_integers d keys queries thresholds
| Copies (rows, columns, copied) ->
  (match represented d copied with
   | Some p -> Some (copy_rows (copy_columns p columns) (length columns) rows)
   | None -> None)
| Glued (share, height, width, one, height', width', other) ->
  (match represented d one with
   | Some p ->
     (match represented d other with
      | Some p' ->
        if (&&)
             ((&&)
               (Integers.at_most (if share then succ (succ 0) else succ 0) d)
               (has_border share height width p))
             (has_border share height' width' p')
        then Some (glue share height width p height' width' p')
        else None
      | None -> None)
   | None -> None)

(** val row_implies : entry list -> entry list -> bool **)

let rec row_implies row row' =
  match row with
  | [] ->
    (match row' with
     | [] -> true
     | e :: row'0 -> (match e with
                      | Any -> row_implies [] row'0
                      | _ -> false))
  | e :: row0 ->
    (match e with
     | One ->
       (match row' with
        | [] -> true
        | e0 :: row'0 ->
          (match e0 with
           | Zero -> false
           | _ -> row_implies row0 row'0))
     | Zero ->
       (match row' with
        | [] -> true
        | e0 :: row'0 ->
          (match e0 with
           | One -> false
           | _ -> row_implies row0 row'0))
     | Any ->
       (match row' with
        | [] -> true
        | e0 :: row'0 ->
          (match e0 with
           | Any -> row_implies row0 row'0
           | _ -> false)))

(** val implies : pattern -> pattern -> bool **)

let rec implies s s' =
  match s with
  | [] ->
    (match s' with
     | [] -> true
     | row' :: rows' -> (&&) (row_implies [] row') (implies [] rows'))
  | row :: rows ->
    (match s' with
     | [] -> true
     | row' :: rows' ->
       if row_implies row row' then implies rows rows' else false)

(** val check_evidence : pattern -> int -> evidence -> bool **)

let check_evidence s d why0 =
  match represented d why0 with
  | Some found -> implies found s
  | None -> false

(** val exceeds_root : Integers.t -> Integers.t -> Integers.t -> bool **)

let exceeds_root p t n =
  let p2 = Integers.mul p p in
  let t2 = Integers.mul (Integers.mul t t) n in
  if Integers.lt Integers.zero p
  then (||) (Integers.lt t Integers.zero) (Integers.lt t2 p2)
  else (&&) (Integers.lt t Integers.zero) (Integers.lt p2 t2)

(** val entry_of : bool -> entry **)

let entry_of = function
| true -> One
| false -> Zero

(** val cap_entry :
    (Integers.t list * Integers.t) -> Integers.t list -> entry **)

let cap_entry query k =
  entry_of
    (exceeds_root (dot_integers k (fst query) Integers.zero) (snd query)
      (dot_integers k k Integers.zero))

(** val check_caps :
    pattern -> int -> Integers.t list list -> Integers.t list list ->
    Integers.t list -> bool **)

let check_caps s d queries keys thresholds =
  (&&)
    ((&&) (Integers.less 0 (length keys))
      (forallb (fun k ->
        (&&) (Integers.at_most (length k) d)
          (Integers.lt Integers.zero (dot_integers k k Integers.zero))) keys))
    (implies
      (map (fun query -> map (cap_entry query) keys)
        (combine queries thresholds)) s)

(** val ball_entry :
    ((Integers.t list * Integers.t) * Integers.t) -> Integers.t list -> entry **)

let ball_entry query k =
  let center = fst (fst query) in
  let weight = snd (fst query) in
  let bound =
    Integers.add (snd query)
      (Integers.mul weight (dot_integers k k Integers.zero))
  in
  let product0 = dot_integers k center Integers.zero in
  entry_of (Integers.lt bound (Integers.add product0 product0))

(** val check_balls :
    pattern -> int -> Integers.t list list -> Integers.t list -> Integers.t
    list list -> Integers.t list -> bool **)

let check_balls s d centers weights keys thresholds =
  (&&)
    ((&&) (forallb (fun k -> Integers.at_most (length k) d) keys)
      (forallb (Integers.lt Integers.zero) weights))
    (implies
      (map (fun query -> map (ball_entry query) keys)
        (combine (combine centers weights) thresholds)) s)

(** val bits : entry list -> bool list option **)

let rec bits = function
| [] -> Some []
| e :: row0 ->
  (match e with
   | One -> option_map (fun x -> true :: x) (bits row0)
   | Zero -> option_map (fun x -> false :: x) (bits row0)
   | Any -> None)

(** val with_complements :
    entry list list -> bool list list -> bool list list option **)

let rec with_complements rows found =
  match rows with
  | [] -> Some found
  | row :: rows0 ->
    (match bits row with
     | Some b -> with_complements rows0 (b :: ((map not b) :: found))
     | None -> None)

(** val tails : bool -> bool list list -> bool list list **)

let tails b vectors =
  fold_left (fun found v ->
    match v with
    | [] -> found
    | x :: v0 -> if eqb0 x b then v0 :: found else found) vectors []

(** val all_vectors : int -> bool list list -> bool **)

let rec all_vectors n vectors =
  (fun zero succ n -> if n = 0 then zero () else succ (n - 1))
    (fun _ -> match vectors with
              | [] -> false
              | _ :: _ -> true)
    (fun n0 ->
    match vectors with
    | [] -> false
    | _ :: _ ->
      (&&) (all_vectors n0 (tails true vectors))
        (all_vectors n0 (tails false vectors)))
    n

(** val check_splits :
    pattern -> int -> bool -> int list -> int list -> bool **)

let check_splits s d elements_are_columns rows columns =
  let a = core elements_are_columns s rows columns in
  (&&)
    (forallb (fun covector ->
      Integers.equal_naturals (length covector) ((+) (succ (succ 0)) d)) a)
    (match with_complements a [] with
     | Some vectors -> all_vectors ((+) (succ (succ 0)) d) vectors
     | None -> false)

type automorphism = { permutation : int list; flips : bool list;
                      preimages : int list; images : literal list }

(** val distinct : int list -> bool **)

let rec distinct = function
| [] -> true
| x :: t0 -> (&&) (not (existsb (Integers.equal_naturals x) t0)) (distinct t0)

(** val matches : bool -> entry -> entry -> bool **)

let matches flip e other =
  match e with
  | One -> (match other with
            | One -> not flip
            | Zero -> flip
            | Any -> false)
  | Zero -> (match other with
             | One -> flip
             | Zero -> not flip
             | Any -> false)
  | Any -> true

(** val maps_covector :
    automorphism -> bool -> entry list -> entry list -> bool **)

let maps_covector g flip source0 target =
  forallb (fun i ->
    matches (xorb flip (nth i g.flips false)) (nth i target Any)
      (nth (nth i g.permutation 0) source0 Any)) (seq 0 (length target))

(** val maps_covectors : pattern -> automorphism -> bool **)

let maps_covectors a g =
  forallb (fun c ->
    let source0 = nth (nth c g.preimages 0) a [] in
    let target = nth c a [] in
    (||) (maps_covector g false source0 target)
      (maps_covector g true source0 target)) (seq 0 (length a))

(** val flip_of : automorphism -> int list -> bool **)

let flip_of g t =
  fold_right (fun i odd0 -> xorb (nth i g.flips false) odd0) false t

(** val is_image :
    int list table -> automorphism -> literal -> literal -> bool **)

let is_image sets g l m =
  match get sets (snd l) with
  | Some t ->
    (match get sets (snd m) with
     | Some u ->
       let (odd0, moved) = sort (map (fun i -> nth i g.permutation 0) t) in
       (&&) (same_list moved u)
         (eqb0 (fst m) (xorb (fst l) (xorb odd0 (flip_of g t))))
     | None -> false)
  | None -> false

(** val all_images :
    int list table -> automorphism -> literal list -> literal list -> bool **)

let rec all_images sets g order ms =
  match order with
  | [] -> (match ms with
           | [] -> true
           | _ :: _ -> false)
  | l :: order0 ->
    (match ms with
     | [] -> false
     | m :: ms0 -> (&&) (is_image sets g l m) (all_images sets g order0 ms0))

(** val check_automorphism :
    pattern -> int -> int list table -> literal list -> automorphism -> bool **)

let check_automorphism a n sets order g =
  (&&)
    ((&&)
      ((&&)
        ((&&) (Integers.equal_naturals (length g.permutation) n)
          (distinct g.permutation))
        (forallb (fun x -> Integers.less x n) g.permutation))
      (maps_covectors a g)) (all_images sets g order g.images)

(** val compares : literal list -> literal list -> clause -> bool **)

let rec compares order ms c =
  match order with
  | [] -> false
  | l :: order0 ->
    (match ms with
     | [] -> false
     | m :: ms0 ->
       let same = same_literal l m in
       let has_l = contains c l in
       let has_m = contains c (opposite m) in
       (||) ((&&) ((&&) (not same) has_l) has_m)
         ((&&) ((||) ((||) same has_l) has_m) (compares order0 ms0 c)))

type reason =
| Circuit of int * int list
| ThreeTerms of relation
| Polynomial of inequality list
| First
| Least of int * bool
| Follows of positive list

(** val justified :
    pattern -> int -> int list table -> literal list -> automorphism list ->
    clause table -> clause -> reason -> bool **)

let justified a r sets order automorphisms clauses c = function
| Circuit (c0, elements) -> check_circuit a r sets c0 elements c
| ThreeTerms r0 -> check_relation r sets r0 c
| Polynomial qs -> check_polynomial r sets qs c
| First ->
  (match order with
   | [] -> false
   | l :: _ ->
     (match get sets (snd l) with
      | Some _ -> contains c l
      | None -> false))
| Least (i, mirrored) ->
  (match nth_error automorphisms i with
   | Some g ->
     compares order (if mirrored then map opposite g.images else g.images) c
   | None -> false)
| Follows hints -> follows clauses c hints

(** val refutes :
    pattern -> int -> int list table -> literal list -> automorphism list ->
    clause table -> positive -> (clause * reason) list -> bool **)

let rec refutes a r sets order automorphisms clauses next = function
| [] -> false
| p :: steps0 ->
  let (c, why0) = p in
  if justified a r sets order automorphisms clauses c why0
  then (match c with
        | [] -> true
        | _ :: _ ->
          refutes a r sets order automorphisms (set clauses next c)
            (Pos.succ next) steps0)
  else false

(** val ascending : int list -> bool **)

let rec ascending = function
| [] -> true
| x :: t0 ->
  (match t0 with
   | [] -> true
   | y :: _ -> (&&) (Integers.less x y) (ascending t0))

(** val number_sets :
    int -> int -> positive -> int list list -> int list table -> int list
    table option **)

let rec number_sets n r next listed sets =
  match listed with
  | [] -> Some sets
  | t :: listed0 ->
    if (&&) ((&&) (Integers.equal_naturals (length t) r) (ascending t))
         (forallb (fun e -> Integers.less e n) t)
    then number_sets n r (Pos.succ next) listed0 (set sets next t)
    else None

(** val check_chirotope :
    pattern -> int -> bool -> int list -> int list -> int list list ->
    literal list -> automorphism list -> (clause * reason) list -> bool **)

let check_chirotope s d elements_are_columns rows columns listed order automorphisms steps =
  let a = core elements_are_columns s rows columns in
  let n = match a with
          | [] -> 0
          | row :: _ -> length row in
  let r = (+) (succ 0) d in
  (&&) (forallb (fun row -> Integers.at_most (length row) n) a)
    (match number_sets n r XH listed Leaf with
     | Some sets ->
       (&&) (forallb (check_automorphism a n sets order) automorphisms)
         (refutes a r sets order automorphisms Leaf XH steps)
     | None -> false)

type 't pred = 't -> bool

type 't rel = 't -> 't pred

(** val merge : 'a1 rel -> 'a1 list -> 'a1 list -> 'a1 list **)

let rec merge leT s1 = match s1 with
| [] -> (fun x -> x)
| x1 :: s1' ->
  let rec merge_s1 s2 = match s2 with
  | [] -> s1
  | x2 :: s2' ->
    if leT x1 x2 then x1 :: (merge leT s1' s2) else x2 :: (merge_s1 s2')
  in merge_s1

(** val merge_sort_push :
    'a1 rel -> 'a1 list -> 'a1 list list -> 'a1 list list **)

let rec merge_sort_push leT s1 ss = match ss with
| [] -> s1 :: ss
| s2 :: ss' ->
  (match s2 with
   | [] -> s1 :: ss'
   | _ :: _ -> [] :: (merge_sort_push leT (merge leT s2 s1) ss'))

(** val merge_sort_pop : 'a1 rel -> 'a1 list -> 'a1 list list -> 'a1 list **)

let rec merge_sort_pop leT s1 = function
| [] -> s1
| s2 :: ss' -> merge_sort_pop leT (merge leT s2 s1) ss'

(** val merge_sort_rec : 'a1 rel -> 'a1 list list -> 'a1 list -> 'a1 list **)

let rec merge_sort_rec leT ss s = match s with
| [] -> merge_sort_pop leT s ss
| x1 :: l ->
  (match l with
   | [] -> merge_sort_pop leT s ss
   | x2 :: s' ->
     let s1 = if leT x1 x2 then x1 :: (x2 :: []) else x2 :: (x1 :: []) in
     merge_sort_rec leT (merge_sort_push leT s1 ss) s')

(** val sort0 : 'a1 rel -> 'a1 list -> 'a1 list **)

let sort0 leT =
  merge_sort_rec leT []

type signs = (int * bool) list

(** val signs_at : entry list -> int list -> signs option **)

let rec signs_at covector = function
| [] -> Some []
| e :: elements0 ->
  (match nth e covector Any with
   | One ->
     (match signs_at covector elements0 with
      | Some p -> Some ((e, true) :: p)
      | None -> None)
   | Zero ->
     (match signs_at covector elements0 with
      | Some p -> Some ((e, false) :: p)
      | None -> None)
   | Any -> None)

(** val signs_of_members :
    pattern -> (int * int list) list -> signs list option **)

let rec signs_of_members a = function
| [] -> Some []
| p :: members0 ->
  let (c, elements) = p in
  (match signs_at (nth c a []) elements with
   | Some p0 ->
     (match signs_of_members a members0 with
      | Some ps -> Some (p0 :: ps)
      | None -> None)
   | None -> None)

(** val normal : signs -> signs **)

let normal p = match p with
| [] -> p
| p0 :: _ ->
  let (_, b) = p0 in
  if b then p else map (fun p1 -> ((fst p1), (not (snd p1)))) p

(** val faces : signs -> signs list **)

let rec faces = function
| [] -> []
| p0 :: p1 -> p1 :: (map (fun x -> p0 :: x) (faces p1))

(** val before : signs -> signs -> bool **)

let rec before p q =
  match p with
  | [] -> true
  | p0 :: p1 ->
    let (e, s) = p0 in
    (match q with
     | [] -> false
     | p2 :: q0 ->
       let (f, t) = p2 in
       if Integers.less e f
       then true
       else if Integers.less f e
            then false
            else if eqb0 s t then before p1 q0 else t)

(** val same_signs : signs -> signs -> bool **)

let rec same_signs p q =
  match p with
  | [] -> (match q with
           | [] -> true
           | _ :: _ -> false)
  | p0 :: p1 ->
    let (e, s) = p0 in
    (match q with
     | [] -> false
     | p2 :: q0 ->
       let (f, t) = p2 in
       (&&) ((&&) (Integers.equal_naturals e f) (eqb0 s t)) (same_signs p1 q0))

(** val in_pairs : signs list -> bool **)

let rec in_pairs = function
| [] -> true
| p :: l ->
  (match l with
   | [] -> false
   | q :: faces1 -> (&&) (same_signs p q) (in_pairs faces1))

(** val alternates : signs -> bool **)

let rec alternates = function
| [] -> true
| p0 :: p1 ->
  let (_, s) = p0 in
  (match p1 with
   | [] -> true
   | p2 :: _ -> let (_, t) = p2 in (&&) (xorb s t) (alternates p1))

(** val check_topological :
    pattern -> int -> bool -> int list -> int list -> (int * int list) list
    -> bool **)

let check_topological s d elements_are_columns rows columns members =
  let a = core elements_are_columns s rows columns in
  let n = match a with
          | [] -> 0
          | row :: _ -> length row in
  (&&) (forallb (fun row -> Integers.at_most (length row) n) a)
    (match signs_of_members a members with
     | Some ps ->
       (&&)
         ((&&)
           (forallb (fun p ->
             (&&)
               ((&&)
                 (Integers.equal_naturals (length p) ((+) (succ (succ 0)) d))
                 (ascending (map fst p)))
               (forallb (fun p0 -> Integers.less (fst p0) n) p)) ps)
           (in_pairs (sort0 before (map normal (flat_map faces ps)))))
         (fold_right (fun p odd0 -> xorb (alternates p) odd0) false ps)
     | None -> false)

(** val read_as : entry -> entry list -> entry list option **)

let read_as first0 row =
  match first0 with
  | One ->
    (match row with
     | [] -> None
     | e :: row0 ->
       (match e with
        | One -> Some row0
        | Zero -> Some (map complement row0)
        | Any -> None))
  | Zero ->
    (match row with
     | [] -> None
     | e :: row0 ->
       (match e with
        | One -> Some (map complement row0)
        | Zero -> Some row0
        | Any -> None))
  | Any -> None

(** val common : entry -> entry -> entry **)

let common e e' =
  match e with
  | One -> (match e' with
            | One -> One
            | _ -> Any)
  | Zero -> (match e' with
             | One -> Any
             | x -> x)
  | Any -> Any

(** val common_rows : pattern -> pattern option **)

let rec common_rows = function
| [] -> Some []
| upper :: l ->
  (match l with
   | [] -> None
   | lower :: rows0 ->
     (match read_as One upper with
      | Some u ->
        (match read_as Zero lower with
         | Some l0 ->
           (match common_rows rows0 with
            | Some t ->
              Some
                ((map (fun p -> common (fst p) (snd p)) (combine u l0)) :: t)
            | None -> None)
         | None -> None)
      | None -> None))

(** val others : entry list -> int option **)

let others row =
  match read_as One row with
  | Some rest ->
    if (&&) (Integers.less 0 (length rest))
         (forallb (fun e -> match e with
                            | Zero -> true
                            | _ -> false) rest)
    then Some (length rest)
    else None
  | None -> None

(** val without_padding : pattern -> pattern option **)

let without_padding = function
| [] -> None
| level :: rows ->
  (match others level with
   | Some n ->
     (match common_rows rows with
      | Some t -> Some (map (firstn n) t)
      | None -> None)
   | None -> None)

(** val differ : pattern -> int -> int -> bool **)

let differ b a b0 =
  existsb (fun row ->
    match nth a row Any with
    | One -> (match nth b0 row Any with
              | Zero -> true
              | _ -> false)
    | Zero -> (match nth b0 row Any with
               | One -> true
               | _ -> false)
    | Any -> false) b

(** val submatrix : pattern -> int list -> int list -> pattern **)

let submatrix s rows columns =
  map (fun i -> let row = nth i s [] in map (fun j -> nth j row Any) columns)
    rows

(** val extend : bool -> bool -> int -> pattern -> pattern **)

let extend distinct0 paraboloid n b =
  let wide = fun row -> if paraboloid then app row (Zero :: []) else row in
  app (map wide b)
    (app
      (map (fun a ->
        wide
          (map (fun b0 ->
            if Integers.equal_naturals a b0
            then One
            else if (||) distinct0 (differ b a b0) then Zero else Any)
            (seq 0 n))) (seq 0 n))
      (if paraboloid then (app (repeat Zero n) (One :: [])) :: [] else []))

(** val separates : pattern -> int -> int -> int -> bool **)

let separates s i j j' =
  match entry_at s i j with
  | One -> (match entry_at s i j' with
            | Zero -> true
            | _ -> false)
  | Zero -> (match entry_at s i j' with
             | One -> true
             | _ -> false)
  | Any -> false

(** val separates_all : pattern -> int -> (int * int) list -> bool **)

let rec separates_all s first0 = function
| [] -> true
| p :: steps0 ->
  let (i, j) = p in
  (match steps0 with
   | [] -> separates s i j first0
   | p0 :: _ ->
     let (_, j') = p0 in
     (&&) (separates s i j j') (separates_all s first0 steps0))

(** val check_opposite : pattern -> (int * int) list -> bool **)

let check_opposite s steps = match steps with
| [] -> false
| p :: _ ->
  let (_, first0) = p in
  (&&) (Nat.odd (length steps)) (separates_all s first0 steps)

(** val forces : pattern -> int option -> int -> int -> int -> int -> bool **)

let forces s other i x y y' =
  match other with
  | Some z0 ->
    (match entry_at s i z0 with
     | One ->
       (match entry_at s i x with
        | One ->
          (match entry_at s i y with
           | Zero -> (match entry_at s i y' with
                      | Zero -> true
                      | _ -> false)
           | _ -> false)
        | _ -> false)
     | Zero ->
       (match entry_at s i x with
        | Zero ->
          (match entry_at s i y with
           | One -> (match entry_at s i y' with
                     | One -> true
                     | _ -> false)
           | _ -> false)
        | _ -> false)
     | Any -> false)
  | None ->
    (match entry_at s i x with
     | Zero ->
       (match entry_at s i y with
        | One -> (match entry_at s i y' with
                  | One -> true
                  | _ -> false)
        | _ -> false)
     | _ -> false)

(** val follows_step :
    pattern -> int option -> ((int * int) * int) -> int -> int -> bool **)

let follows_step s other from a' b' =
  let (p, i) = from in
  let (a, b) = p in
  (||) ((&&) (Integers.equal_naturals a a') (forces s other i a b b'))
    ((&&) (Integers.equal_naturals b b') (forces s other i b a a'))

(** val follows_walk :
    pattern -> int option -> int -> int -> ((int * int) * int) list -> bool **)

let rec follows_walk s other a0 b0 = function
| [] -> true
| from :: walk0 ->
  (match walk0 with
   | [] -> follows_step s other from b0 a0
   | p :: _ ->
     let (p0, _) = p in
     let (a, b) = p0 in
     (&&) (follows_step s other from a b) (follows_walk s other a0 b0 walk0))

(** val are_apart :
    pattern -> int option -> ((int * int) * int) list -> bool **)

let are_apart s other walk =
  match other with
  | Some z0 ->
    let apart = fun a ->
      existsb (fun step -> separates s (snd step) z0 a) walk
    in
    forallb (fun step ->
      (&&) (apart (fst (fst step))) (apart (snd (fst step)))) walk
  | None -> true

(** val check_walk :
    pattern -> int option -> ((int * int) * int) list -> bool **)

let check_walk s other walk = match walk with
| [] -> false
| p :: _ ->
  let (p0, _) = p in
  let (a, b) = p0 in
  (&&) (are_apart s other walk) (follows_walk s other a b walk)

type witness =
| OfProducts of evidence
| OfCaps of Integers.t list list * Integers.t list list * Integers.t list
| OfBalls of Integers.t list list * Integers.t list * Integers.t list list
   * Integers.t list

(** val check_yes : similarity -> pattern -> int -> witness -> bool **)

let check_yes s s0 d why0 =
  match s with
  | DotProduct ->
    (match why0 with
     | OfProducts why1 -> check_evidence s0 d why1
     | _ -> false)
  | Cosine ->
    (match why0 with
     | OfCaps (queries, keys, thresholds) ->
       check_caps s0 d queries keys thresholds
     | _ -> false)
  | Distance ->
    (match why0 with
     | OfBalls (centers, weights, keys, thresholds) ->
       check_balls s0 d centers weights keys thresholds
     | _ -> false)

(** val check_few_wrong_rows :
    similarity -> pattern -> int -> int -> int list -> witness -> bool **)

let check_few_wrong_rows s s0 d most wrong why0 =
  (&&) (Integers.at_most (length wrong) most)
    (check_yes s (erase_rows s0 wrong) d why0)

(** val check_few_wrong_entries :
    similarity -> pattern -> int -> int -> (int * int) list -> witness -> bool **)

let check_few_wrong_entries s s0 d most wrong why0 =
  (&&) (Integers.at_most (length wrong) most)
    (check_yes s (erase_entries s0 wrong) d why0)

type refutation =
| SplitsInAllWays of int * bool * int list * int list
| NoChirotope of int * bool * int list * int list * int list list
   * literal list * automorphism list * (clause * reason) list
| OddlyManyAlternate of int * bool * int list * int list
   * (int * int list) list
| Padding of int list * int list * refutation
| Extended of bool * int list * int list * refutation
| OddlyManyOpposite of (int * int) list
| Exchanges of int option * ((int * int) * int) list

(** val check_no : similarity -> pattern -> int -> refutation -> bool **)

let rec check_no s s0 d proof =
  match s with
  | DotProduct ->
    (match proof with
     | SplitsInAllWays (d', side, rows, columns) ->
       (&&) (Integers.at_most d d') (check_splits s0 d' side rows columns)
     | NoChirotope (d', side, rows, columns, sets, order, automorphisms, steps) ->
       (&&) (Integers.at_most d d')
         (check_chirotope s0 d' side rows columns sets order automorphisms
           steps)
     | OddlyManyAlternate (d', side, rows, columns, members) ->
       (&&) (Integers.at_most d d')
         (check_topological s0 d' side rows columns members)
     | Padding (rows, columns, why0) ->
       (match without_padding (submatrix s0 rows columns) with
        | Some t ->
          check_no DotProduct t (Integers.subtract_naturals d (succ 0)) why0
        | None -> false)
     | _ -> false)
  | Cosine ->
    (match proof with
     | Extended (plain, rows, columns, why0) ->
       let b = submatrix s0 rows columns in
       check_no DotProduct
         (if plain
          then b
          else extend (Integers.at_most (succ (succ 0)) d) false
                 (length columns) b) d why0
     | OddlyManyOpposite steps ->
       (&&) (Integers.at_most d (succ 0)) (check_opposite s0 steps)
     | Exchanges (other0, walk) ->
       (match other0 with
        | Some other ->
          (&&) (Integers.at_most d (succ (succ 0)))
            (check_walk s0 (Some other) walk)
        | None -> false)
     | _ -> false)
  | Distance ->
    (match proof with
     | Extended (plain, rows, columns, why0) ->
       let b = submatrix s0 rows columns in
       (&&) ((||) plain (Integers.at_most (succ 0) d))
         (check_no DotProduct
           (if plain then b else extend true true (length columns) b)
           ((+) (succ 0) d) why0)
     | Exchanges (other, walk) ->
       (match other with
        | Some _ -> false
        | None -> (&&) (Integers.at_most d (succ 0)) (check_walk s0 None walk))
     | _ -> false)

(** val products :
    Integers.t list list -> Integers.t list -> Integers.t list **)

let products columns token =
  map (fun column -> dot_integers token column Integers.zero) columns

(** val check_coupled :
    pattern -> int -> int -> Integers.t list list -> Integers.t list list ->
    Integers.t list list -> Integers.t list -> bool **)

let check_coupled s d hidden tokens of_queries of_keys thresholds =
  (&&) (forallb (fun token -> Integers.at_most (length token) hidden) tokens)
    (check_evidence s d (Integers ((map (products of_queries) tokens),
      (map (products of_keys) tokens), thresholds)))

(** val vector_among : Integers.t list -> int -> Integers.t list -> bool **)

let vector_among values d u =
  (&&) (Integers.equal_naturals (length u) d)
    (forallb (fun x -> existsb (Integers.equal x) values) u)

(** val all_among : Integers.t list -> int -> Integers.t list list -> bool **)

let all_among values d vectors =
  (&&) (Integers.less 0 (length values))
    (forallb (vector_among values d) vectors)

(** val check_values :
    Integers.t list option -> Integers.t list -> pattern -> int -> int ->
    Integers.t list list -> Integers.t list list -> Integers.t list -> bool **)

let check_values of_queries of_keys s d own queries keys thresholds =
  (&&)
    ((&&)
      ((&&) (Integers.at_most own d)
        (match of_queries with
         | Some values -> all_among values own queries
         | None -> true)) (all_among of_keys own keys))
    (check_evidence s own (Integers (queries, keys, thresholds)))

(** val all_short : int -> Integers.t -> Integers.t list list -> bool **)

let all_short d scale vectors =
  forallb (fun u ->
    (&&) (Integers.at_most (length u) d)
      (Integers.leq (dot_integers u u Integers.zero)
        (Integers.mul scale scale))) vectors

(** val far : Integers.t -> Integers.t -> Integers.t -> entry -> bool **)

let far distance threshold logit = function
| One -> Integers.leq (Integers.add threshold distance) logit
| Zero -> Integers.leq (Integers.add logit distance) threshold
| Any -> true

(** val row_is_far :
    Integers.t -> Integers.t -> Integers.t -> Integers.t list -> entry list
    -> Integers.t list list -> bool **)

let rec row_is_far distance q t query row keys =
  match row with
  | [] -> true
  | e :: row0 ->
    (match keys with
     | [] -> false
     | k :: keys0 ->
       (&&)
         (far distance (Integers.mul q t)
           (Integers.mul q (dot_integers query k Integers.zero)) e)
         (row_is_far distance q t query row0 keys0))

(** val rows_are_far :
    Integers.t -> Integers.t -> Integers.t list list -> pattern -> Integers.t
    list list -> Integers.t list -> bool **)

let rec rows_are_far distance q keys rows queries thresholds =
  match rows with
  | [] -> true
  | row :: rows0 ->
    (match queries with
     | [] -> false
     | query :: queries0 ->
       (match thresholds with
        | [] -> false
        | t :: thresholds0 ->
          (&&) (row_is_far distance q t query row keys)
            (rows_are_far distance q keys rows0 queries0 thresholds0)))

(** val check_margin :
    pattern -> int -> Integers.t -> Integers.t -> Integers.t -> Integers.t ->
    Integers.t list list -> Integers.t list list -> Integers.t list -> bool **)

let check_margin s d p q a b queries keys thresholds =
  (&&)
    ((&&)
      ((&&)
        ((&&) (Integers.lt Integers.zero a) (Integers.lt Integers.zero b))
        (all_short d a queries)) (all_short d b keys))
    (rows_are_far (Integers.mul p (Integers.mul a b)) q keys s queries
      thresholds)

type tree =
| Packing of (int * Integers.t) list * Integers.t
| Branch of int * tree * tree

(** val member : int -> int list -> bool **)

let member x t =
  existsb (Integers.equal_naturals x) t

(** val total : (int -> Integers.t) -> int list -> Integers.t **)

let total weight t =
  fold_right (fun x sum -> Integers.add (weight x) sum) Integers.zero t

(** val load :
    int list list -> (int * Integers.t) list -> int -> Integers.t **)

let load cores chosen x =
  fold_right (fun cy sum ->
    if member x (nth (fst cy) cores [])
    then Integers.add (snd cy) sum
    else sum) Integers.zero chosen

(** val sum_of : (int * Integers.t) list -> Integers.t **)

let sum_of chosen =
  fold_right (fun cy sum -> Integers.add (snd cy) sum) Integers.zero chosen

(** val check_packing :
    (int -> Integers.t) -> int list list -> Integers.t -> (int * Integers.t)
    list -> Integers.t -> int list -> int list -> bool **)

let check_packing weight cores most chosen denominator wrong right =
  (&&)
    ((&&) (Integers.leq Integers.zero denominator)
      (forallb (fun cy ->
        (&&)
          ((&&) (Integers.less (fst cy) (length cores))
            (Integers.leq Integers.zero (snd cy)))
          (forallb (fun x ->
            (&&) (not (member x wrong))
              ((||) (member x right)
                (Integers.leq (load cores chosen x)
                  (Integers.mul denominator (weight x)))))
            (nth (fst cy) cores []))) chosen))
    (Integers.lt (Integers.mul denominator most)
      (Integers.add (sum_of chosen)
        (Integers.mul denominator (total weight wrong))))

(** val check_tree :
    (int -> Integers.t) -> int list list -> Integers.t -> tree -> int list ->
    int list -> bool **)

let rec check_tree weight cores most t wrong right =
  match t with
  | Packing (chosen, denominator) ->
    check_packing weight cores most chosen denominator wrong right
  | Branch (x, a, b) ->
    (&&)
      ((&&) (not (member x wrong))
        (check_tree weight cores most a (x :: wrong) right))
      (check_tree weight cores most b wrong (x :: right))

(** val same_entry : entry -> entry -> bool **)

let same_entry a b =
  match a with
  | One -> (match b with
            | One -> true
            | _ -> false)
  | Zero -> (match b with
             | Zero -> true
             | _ -> false)
  | Any -> (match b with
            | Any -> true
            | _ -> false)

(** val same_row : entry list -> entry list -> bool **)

let rec same_row a b =
  match a with
  | [] -> (match b with
           | [] -> true
           | _ :: _ -> false)
  | x :: a0 ->
    (match b with
     | [] -> false
     | y :: b0 -> (&&) (same_entry x y) (same_row a0 b0))

(** val only_rows : pattern -> bool list -> pattern **)

let only_rows s kept1 =
  map (fun rk -> if snd rk then fst rk else []) (combine s kept1)

type fit_core = { classes_of : int list; kept : bool list; why : refutation }

(** val check_core :
    similarity -> pattern -> int -> int list -> fit_core -> bool **)

let check_core s s0 d classes c =
  (&&)
    (forallb (fun xk -> (||) (not (snd xk)) (member (fst xk) c.classes_of))
      (combine classes c.kept)) (check_no s (only_rows s0 c.kept) d c.why)

(** val size_of_class : int list -> int -> Integers.t **)

let size_of_class classes x =
  fold_right (fun y sum ->
    if Integers.equal_naturals y x then Integers.succ sum else sum)
    Integers.zero classes

(** val check_wrong_rows :
    similarity -> pattern -> int -> Integers.t -> int list -> int list ->
    fit_core list -> tree -> bool **)

let check_wrong_rows s s0 d most classes representatives cores t =
  (&&)
    ((&&)
      ((&&) (Integers.equal_naturals (length classes) (length s0))
        (forallb (fun rx ->
          same_row (fst rx) (nth (nth (snd rx) representatives 0) s0 []))
          (combine s0 classes))) (forallb (check_core s s0 d classes) cores))
    (check_tree (size_of_class classes) (map (fun f -> f.classes_of) cores)
      most t [] [])

(** val number_of :
    (entry -> entry -> bool) -> entry list -> entry list -> int **)

let rec number_of f row row' =
  match row with
  | [] -> 0
  | e :: row0 ->
    let rest = number_of f row0 (tl row') in
    if f e (hd Any row') then succ rest else rest

(** val kept0 : entry -> entry -> bool **)

let kept0 e e' =
  match e with
  | One -> (match e' with
            | One -> true
            | _ -> false)
  | _ -> false

(** val lost : entry -> entry -> bool **)

let lost e e' =
  match e with
  | One -> (match e' with
            | One -> false
            | _ -> true)
  | _ -> false

(** val ahead : entry -> entry -> bool **)

let ahead e e' =
  match e with
  | Zero -> (match e' with
             | Zero -> false
             | _ -> true)
  | _ -> false

(** val right_at : int -> entry list -> entry list -> bool **)

let right_at k row row' =
  (&&) (Integers.equal_naturals (number_of lost row row') 0)
    (Integers.at_most
      ((+) (number_of kept0 row row') (number_of ahead row row')) k)

(** val wrong_rows_at : int -> pattern -> pattern -> int **)

let rec wrong_rows_at k rows t =
  match rows with
  | [] -> 0
  | row :: rows0 ->
    let rest = wrong_rows_at k rows0 (tl t) in
    if right_at k row (hd [] t) then rest else succ rest

(** val check_few_wrong_rows_at :
    similarity -> pattern -> int -> int -> int -> pattern -> witness -> bool **)

let check_few_wrong_rows_at s s0 d most k t why0 =
  (&&) (Integers.at_most (wrong_rows_at k s0 t) most) (check_yes s t d why0)

(** val integer : int -> Integers.t **)

let rec integer n =
  (fun zero succ n -> if n = 0 then zero () else succ (n - 1))
    (fun _ -> Integers.zero)
    (fun n0 -> Integers.succ (integer n0))
    n

(** val recalled : int -> entry list -> entry list -> int **)

let recalled k row row' =
  let found = number_of kept0 row row' in
  if Integers.at_most ((+) found (number_of ahead row row')) k
  then found
  else 0

(** val sum_of_recalls :
    int -> Integers.t -> pattern -> pattern -> Integers.t list -> Integers.t
    option **)

let rec sum_of_recalls k scale rows t quotients =
  match rows with
  | [] -> Some Integers.zero
  | row :: rows0 ->
    (match quotients with
     | [] -> None
     | quotient :: quotients0 ->
       if Integers.equal
            (Integers.mul (integer (number_of kept0 row row)) quotient) scale
       then (match sum_of_recalls k scale rows0 (tl t) quotients0 with
             | Some sum ->
               Some
                 (Integers.add
                   (Integers.mul (integer (recalled k row (hd [] t)))
                     quotient) sum)
             | None -> None)
       else None)

(** val check_recall :
    similarity -> pattern -> int -> int -> Integers.t -> Integers.t ->
    Integers.t -> Integers.t list -> pattern -> witness -> bool **)

let check_recall s s0 d k p q scale quotients t why0 =
  (&&)
    ((&&) (Integers.lt Integers.zero scale)
      (match sum_of_recalls k scale s0 t quotients with
       | Some sum ->
         Integers.leq
           (Integers.mul (Integers.mul p (integer (length s0))) scale)
           (Integers.mul q sum)
       | None -> false)) (check_yes s t d why0)

(** val strictly :
    entry list -> Integers.t list list -> Integers.t list -> Integers.t ->
    bool **)

let strictly row right left t =
  forallb (fun ek ->
    let x = dot_integers left (snd ek) Integers.zero in
    (match fst ek with
     | One -> Integers.lt t x
     | Zero -> Integers.lt x t
     | Any -> true)) (combine row right)

(** val check_thresholds : thresholds_kind -> Integers.t list -> bool **)

let check_thresholds kind thresholds =
  match kind with
  | AllZero -> forallb (Integers.equal Integers.zero) thresholds
  | AllEqual ->
    (||)
      ((||) (forallb (Integers.lt Integers.zero) thresholds)
        (forallb (fun t -> Integers.lt t Integers.zero) thresholds))
      (forallb (Integers.equal Integers.zero) thresholds)
  | EachRow -> true

(** val check_factors :
    thresholds_kind -> pattern -> int -> Integers.t list list -> Integers.t
    list list -> Integers.t list -> bool **)

let check_factors kind s r left right thresholds =
  (&&)
    ((&&)
      ((&&) (Integers.equal_naturals (length left) (length s))
        (Integers.equal_naturals (length thresholds) (length s)))
      (check_thresholds kind thresholds))
    (forallb (fun x ->
      let (y, t) = x in
      let (row, u) = y in
      (&&)
        ((&&) (Integers.at_most (length u) r)
          (Integers.at_most (length row) (length right)))
        (strictly row right u t)) (combine (combine s left) thresholds))

(** val relative_entry : entry -> entry -> entry **)

let relative_entry first0 e =
  match first0 with
  | One -> e
  | Zero -> complement e
  | Any -> Any

(** val relative_rows : pattern -> pattern **)

let relative_rows = function
| [] -> []
| first0 :: rows ->
  map (fun row ->
    map (fun p -> relative_entry (fst p) (snd p)) (combine first0 row)) rows

(** val is_specified : entry -> bool **)

let is_specified = function
| Any -> false
| _ -> true

(** val doubled_rows : pattern -> pattern **)

let doubled_rows b =
  map (fun row -> app row (map complement row)) b

(** val widened_rows : entry -> pattern -> pattern **)

let widened_rows e b =
  map (fun row -> app row (e :: [])) b

type reduced = (int list * int list) * refutation

type rank_refutation =
| Relative of reduced
| Doubled of reduced
| WithZerosAndOnes of reduced * reduced
| Unchanged of reduced

(** val refuted :
    pattern -> int -> (pattern -> pattern) -> reduced -> bool **)

let refuted s d derive = function
| (p, why0) ->
  let (rows, columns) = p in
  check_no DotProduct (derive (submatrix s rows columns)) d why0

(** val check_rank_no :
    thresholds_kind -> pattern -> int -> rank_refutation -> bool **)

let check_rank_no kind s r proof =
  match kind with
  | AllZero ->
    (match proof with
     | Relative of0 ->
       let (p, why0) = of0 in
       let (rows, columns) = p in
       let b = submatrix s rows columns in
       (&&)
         ((&&)
           ((&&)
             ((&&) (Integers.at_most (succ (succ 0)) r)
               (Integers.less 0 (length columns)))
             (Integers.less 0 (length rows)))
           (forallb is_specified (nth 0 b [])))
         (check_no DotProduct (relative_rows b)
           (Integers.subtract_naturals r (succ 0)) why0)
     | Doubled of0 -> refuted s r doubled_rows of0
     | _ -> false)
  | AllEqual ->
    (match proof with
     | WithZerosAndOnes (zeros, ones) ->
       (&&) (refuted s r (widened_rows Zero) zeros)
         (refuted s r (widened_rows One) ones)
     | _ -> false)
  | EachRow ->
    (match proof with
     | Unchanged of0 -> refuted s r (fun b -> b) of0
     | _ -> false)
