(* The outcomes other than a valid certificate. *)

exception Unreadable of string (* exit status 2 *)

exception Refused of string (* exit status 1 *)

exception Not_covered of string (* exit status 3: not proven, so never accepted *)

let unreadable words = raise (Unreadable words)
let refuse words = raise (Refused words)
let not_covered words = raise (Not_covered words)
let ensure condition words = if not condition then refuse words
