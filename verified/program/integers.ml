(* What the extracted checker uses of machine integers (natural numbers) and of zarith. *)

type t = Z.t

let zero = Z.zero
let add = Z.add
let mul = Z.mul
let lt = Z.lt
let equal = Z.equal
let leq = Z.leq
let succ = Z.succ
let subtract_naturals (m : int) (n : int) = if m < n then 0 else m - n
let larger (m : int) (n : int) = if m < n then n else m
let equal_naturals (m : int) (n : int) = m = n
let at_most (m : int) (n : int) = m <= n
let less (m : int) (n : int) = m < n
