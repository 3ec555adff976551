(* Generated from theories by theories/Extraction.v; not to be edited. *)

val xorb : bool -> bool -> bool

val option_map : ('a1 -> 'a2) -> 'a1 option -> 'a2 option

val fst : ('a1 * 'a2) -> 'a1

val snd : ('a1 * 'a2) -> 'a2

val length : 'a1 list -> int

val app : 'a1 list -> 'a1 list -> 'a1 list

type comparison =
| Eq
| Lt
| Gt

val compOpp : comparison -> comparison

val eqb : int -> int -> bool



type positive =
| XI of positive
| XO of positive
| XH



val eqb0 : bool -> bool -> bool

module Nat :
 sig
  val even : int -> bool

  val odd : int -> bool
 end

module Pos :
 sig
  val succ : positive -> positive

  val add : positive -> positive -> positive

  val add_carry : positive -> positive -> positive

  val pred_double : positive -> positive

  val mul : positive -> positive -> positive

  val compare_cont : comparison -> positive -> positive -> comparison

  val compare : positive -> positive -> comparison

  val eqb : positive -> positive -> bool
 end

module Z :
 sig
  val double : Integers.t -> Integers.t

  val succ_double : Integers.t -> Integers.t

  val pred_double : Integers.t -> Integers.t

  val pos_sub : positive -> positive -> Integers.t

  val compare : Integers.t -> Integers.t -> comparison
 end

val hd : 'a1 -> 'a1 list -> 'a1

val tl : 'a1 list -> 'a1 list

val nth : int -> 'a1 list -> 'a1 -> 'a1

val nth_error : 'a1 list -> int -> 'a1 option

val map : ('a1 -> 'a2) -> 'a1 list -> 'a2 list

val flat_map : ('a1 -> 'a2 list) -> 'a1 list -> 'a2 list

val fold_left : ('a1 -> 'a2 -> 'a1) -> 'a2 list -> 'a1 -> 'a1

val fold_right : ('a2 -> 'a1 -> 'a1) -> 'a1 -> 'a2 list -> 'a1

val existsb : ('a1 -> bool) -> 'a1 list -> bool

val forallb : ('a1 -> bool) -> 'a1 list -> bool

val combine : 'a1 list -> 'a2 list -> ('a1 * 'a2) list

val firstn : int -> 'a1 list -> 'a1 list

val skipn : int -> 'a1 list -> 'a1 list

val seq : int -> int -> int list

val repeat : 'a1 -> int -> 'a1 list

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

val entry_at : pattern -> int -> int -> entry

val core_of_columns : pattern -> int list -> int list -> pattern

val core_of_rows : pattern -> int list -> int list -> pattern

val core : bool -> pattern -> int list -> int list -> pattern

val erase_rows : pattern -> int list -> pattern

val erase_entries : pattern -> (int * int) list -> pattern

type 'a table =
| Leaf
| Node of 'a table * 'a option * 'a table

val get : 'a1 table -> positive -> 'a1 option

val set : 'a1 table -> positive -> 'a1 -> 'a1 table

type literal = bool * positive

type clause = literal list

val opposite : literal -> literal

val same_literal : literal -> literal -> bool

val contains : clause -> literal -> bool

type verdict =
| Conflict
| Unit of literal
| Nothing

val examine : bool table -> clause -> literal option -> verdict

val propagate : clause table -> bool table -> positive list -> bool

val follows : clause table -> clause -> positive list -> bool

val insert : int -> int list -> bool * int list

val sort : int list -> bool * int list

val same_list : int list -> int list -> bool

val sign_if_false : int list table -> literal -> int list -> bool option

val same_sign : bool option -> bool option -> bool

val all_same : bool option list -> bool

val no_literal : literal

val term_of_circuit :
  int list table -> entry list -> int list -> clause -> int -> bool option

val check_circuit :
  pattern -> int -> int list table -> int -> int list -> clause -> bool

type product = { first : literal; first_set : int list; second : literal;
                 second_set : int list }

type relation = { fixed : int list; e1 : int; e2 : int; e3 : int; e4 : 
                  int; l1 : literal; l2 : literal; l3 : literal;
                  l4 : literal; l5 : literal; l6 : literal }

val literals_of : relation -> literal list

val product_0 : relation -> product

val product_1 : relation -> product

val product_2 : relation -> product

val product_sign : int list table -> product -> bool option

val term : relation -> int -> product

val term_sign : int list table -> relation -> int -> bool option

val check_relation : int -> int list table -> relation -> clause -> bool

type inequality = { power : Integers.t; larger : int; smaller : int;
                    relation_of : relation }

val check_inequality : int -> int list table -> inequality -> bool

val exponent :
  (inequality -> int) -> positive -> inequality list -> Integers.t

val check_polynomial :
  int -> int list table -> inequality list -> clause -> bool

val dot_integers :
  Integers.t list -> Integers.t list -> Integers.t -> Integers.t

val row_of_integers :
  Integers.t list list -> Integers.t list -> Integers.t -> entry list

val pattern_of_integers :
  int -> Integers.t list list -> Integers.t list list -> Integers.t list ->
  pattern option

val complement : entry -> entry

val attach : entry list -> entry list list -> entry list list

val transpose : int -> pattern -> pattern

val copy_columns : pattern -> int list -> pattern

type source =
| Ones of bool
| Copy of bool * int

val copy_rows : pattern -> int -> source list -> pattern

val after_zeros : int -> entry list -> entry list

val has_border : bool -> int -> int -> pattern -> bool

val glue : bool -> int -> int -> pattern -> int -> int -> pattern -> pattern

type evidence =
| Integers of Integers.t list list * Integers.t list list * Integers.t list
| Copies of source list * int list * evidence
| Glued of bool * int * int * evidence * int * int * evidence

val represented : int -> evidence -> pattern option

val row_implies : entry list -> entry list -> bool

val implies : pattern -> pattern -> bool

val check_evidence : pattern -> int -> evidence -> bool

val exceeds_root : Integers.t -> Integers.t -> Integers.t -> bool

val entry_of : bool -> entry

val cap_entry : (Integers.t list * Integers.t) -> Integers.t list -> entry

val check_caps :
  pattern -> int -> Integers.t list list -> Integers.t list list ->
  Integers.t list -> bool

val ball_entry :
  ((Integers.t list * Integers.t) * Integers.t) -> Integers.t list -> entry

val check_balls :
  pattern -> int -> Integers.t list list -> Integers.t list -> Integers.t
  list list -> Integers.t list -> bool

val bits : entry list -> bool list option

val with_complements :
  entry list list -> bool list list -> bool list list option

val tails : bool -> bool list list -> bool list list

val all_vectors : int -> bool list list -> bool

val check_splits : pattern -> int -> bool -> int list -> int list -> bool

type automorphism = { permutation : int list; flips : bool list;
                      preimages : int list; images : literal list }

val distinct : int list -> bool

val matches : bool -> entry -> entry -> bool

val maps_covector : automorphism -> bool -> entry list -> entry list -> bool

val maps_covectors : pattern -> automorphism -> bool

val flip_of : automorphism -> int list -> bool

val is_image : int list table -> automorphism -> literal -> literal -> bool

val all_images :
  int list table -> automorphism -> literal list -> literal list -> bool

val check_automorphism :
  pattern -> int -> int list table -> literal list -> automorphism -> bool

val compares : literal list -> literal list -> clause -> bool

type reason =
| Circuit of int * int list
| ThreeTerms of relation
| Polynomial of inequality list
| First
| Least of int * bool
| Follows of positive list

val justified :
  pattern -> int -> int list table -> literal list -> automorphism list ->
  clause table -> clause -> reason -> bool

val refutes :
  pattern -> int -> int list table -> literal list -> automorphism list ->
  clause table -> positive -> (clause * reason) list -> bool

val ascending : int list -> bool

val number_sets :
  int -> int -> positive -> int list list -> int list table -> int list table
  option

val check_chirotope :
  pattern -> int -> bool -> int list -> int list -> int list list -> literal
  list -> automorphism list -> (clause * reason) list -> bool

type 't pred = 't -> bool

type 't rel = 't -> 't pred

val merge : 'a1 rel -> 'a1 list -> 'a1 list -> 'a1 list

val merge_sort_push : 'a1 rel -> 'a1 list -> 'a1 list list -> 'a1 list list

val merge_sort_pop : 'a1 rel -> 'a1 list -> 'a1 list list -> 'a1 list

val merge_sort_rec : 'a1 rel -> 'a1 list list -> 'a1 list -> 'a1 list

val sort0 : 'a1 rel -> 'a1 list -> 'a1 list

type signs = (int * bool) list

val signs_at : entry list -> int list -> signs option

val signs_of_members : pattern -> (int * int list) list -> signs list option

val normal : signs -> signs

val faces : signs -> signs list

val before : signs -> signs -> bool

val same_signs : signs -> signs -> bool

val in_pairs : signs list -> bool

val alternates : signs -> bool

val check_topological :
  pattern -> int -> bool -> int list -> int list -> (int * int list) list ->
  bool

val read_as : entry -> entry list -> entry list option

val common : entry -> entry -> entry

val common_rows : pattern -> pattern option

val others : entry list -> int option

val without_padding : pattern -> pattern option

val differ : pattern -> int -> int -> bool

val submatrix : pattern -> int list -> int list -> pattern

val extend : bool -> bool -> int -> pattern -> pattern

val separates : pattern -> int -> int -> int -> bool

val separates_all : pattern -> int -> (int * int) list -> bool

val check_opposite : pattern -> (int * int) list -> bool

val forces : pattern -> int option -> int -> int -> int -> int -> bool

val follows_step :
  pattern -> int option -> ((int * int) * int) -> int -> int -> bool

val follows_walk :
  pattern -> int option -> int -> int -> ((int * int) * int) list -> bool

val are_apart : pattern -> int option -> ((int * int) * int) list -> bool

val check_walk : pattern -> int option -> ((int * int) * int) list -> bool

type witness =
| OfProducts of evidence
| OfCaps of Integers.t list list * Integers.t list list * Integers.t list
| OfBalls of Integers.t list list * Integers.t list * Integers.t list list
   * Integers.t list

val check_yes : similarity -> pattern -> int -> witness -> bool

val check_few_wrong_rows :
  similarity -> pattern -> int -> int -> int list -> witness -> bool

val check_few_wrong_entries :
  similarity -> pattern -> int -> int -> (int * int) list -> witness -> bool

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

val check_no : similarity -> pattern -> int -> refutation -> bool

val products : Integers.t list list -> Integers.t list -> Integers.t list

val check_coupled :
  pattern -> int -> int -> Integers.t list list -> Integers.t list list ->
  Integers.t list list -> Integers.t list -> bool

val vector_among : Integers.t list -> int -> Integers.t list -> bool

val all_among : Integers.t list -> int -> Integers.t list list -> bool

val check_values :
  Integers.t list option -> Integers.t list -> pattern -> int -> int ->
  Integers.t list list -> Integers.t list list -> Integers.t list -> bool

val all_short : int -> Integers.t -> Integers.t list list -> bool

val far : Integers.t -> Integers.t -> Integers.t -> entry -> bool

val row_is_far :
  Integers.t -> Integers.t -> Integers.t -> Integers.t list -> entry list ->
  Integers.t list list -> bool

val rows_are_far :
  Integers.t -> Integers.t -> Integers.t list list -> pattern -> Integers.t
  list list -> Integers.t list -> bool

val check_margin :
  pattern -> int -> Integers.t -> Integers.t -> Integers.t -> Integers.t ->
  Integers.t list list -> Integers.t list list -> Integers.t list -> bool

type tree =
| Packing of (int * Integers.t) list * Integers.t
| Branch of int * tree * tree

val member : int -> int list -> bool

val total : (int -> Integers.t) -> int list -> Integers.t

val load : int list list -> (int * Integers.t) list -> int -> Integers.t

val sum_of : (int * Integers.t) list -> Integers.t

val check_packing :
  (int -> Integers.t) -> int list list -> Integers.t -> (int * Integers.t)
  list -> Integers.t -> int list -> int list -> bool

val check_tree :
  (int -> Integers.t) -> int list list -> Integers.t -> tree -> int list ->
  int list -> bool

val same_entry : entry -> entry -> bool

val same_row : entry list -> entry list -> bool

val only_rows : pattern -> bool list -> pattern

type fit_core = { classes_of : int list; kept : bool list; why : refutation }

val check_core : similarity -> pattern -> int -> int list -> fit_core -> bool

val size_of_class : int list -> int -> Integers.t

val check_wrong_rows :
  similarity -> pattern -> int -> Integers.t -> int list -> int list ->
  fit_core list -> tree -> bool

val number_of : (entry -> entry -> bool) -> entry list -> entry list -> int

val kept0 : entry -> entry -> bool

val lost : entry -> entry -> bool

val ahead : entry -> entry -> bool

val right_at : int -> entry list -> entry list -> bool

val wrong_rows_at : int -> pattern -> pattern -> int

val check_few_wrong_rows_at :
  similarity -> pattern -> int -> int -> int -> pattern -> witness -> bool

val integer : int -> Integers.t

val recalled : int -> entry list -> entry list -> int

val sum_of_recalls :
  int -> Integers.t -> pattern -> pattern -> Integers.t list -> Integers.t
  option

val check_recall :
  similarity -> pattern -> int -> int -> Integers.t -> Integers.t ->
  Integers.t -> Integers.t list -> pattern -> witness -> bool

val strictly :
  entry list -> Integers.t list list -> Integers.t list -> Integers.t -> bool

val check_thresholds : thresholds_kind -> Integers.t list -> bool

val check_factors :
  thresholds_kind -> pattern -> int -> Integers.t list list -> Integers.t
  list list -> Integers.t list -> bool

val relative_entry : entry -> entry -> entry

val relative_rows : pattern -> pattern

val is_specified : entry -> bool

val doubled_rows : pattern -> pattern

val widened_rows : entry -> pattern -> pattern

type reduced = (int list * int list) * refutation

type rank_refutation =
| Relative of reduced
| Doubled of reduced
| WithZerosAndOnes of reduced * reduced
| Unchanged of reduced

val refuted : pattern -> int -> (pattern -> pattern) -> reduced -> bool

val check_rank_no :
  thresholds_kind -> pattern -> int -> rank_refutation -> bool
