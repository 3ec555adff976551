(* Subsets of 0 .. N - 1, and their numbers. *)

let choose n k =
  if k < 0 || k > n then Z.zero else Z.bin (Z.of_int n) k

(* The number of k-subsets; max_int if it is larger. *)
let count n k = let found = choose n k in if Z.fits_int found then Z.to_int found else max_int

type variables = { rank : int; total : int; binomials : int array array }

let variables elements rank =
  { rank; total = count elements rank;
    binomials = Array.init (rank + 1) (fun k -> Array.init (elements + 1) (fun e -> count e k)) }

(* The variable of an ascending subset. *)
let variable variables subset =
  let number = ref 1 in
  Array.iteri (fun k e -> number := !number + variables.binomials.(k + 1).(e)) subset;
  !number

(* The subset of a variable. *)
let subset_of variables elements number =
  let left = ref (number - 1) and e = ref (elements - 1) in
  let subset = Array.make variables.rank 0 in
  for k = variables.rank downto 1 do
    while variables.binomials.(k).(!e) > !left do decr e done;
    left := !left - variables.binomials.(k).(!e);
    subset.(k - 1) <- !e
  done;
  subset

(* Go through the k-subsets of 0 .. n - 1 in lexicographic order; the visitor must copy them. *)
let iter n k visit =
  if k <= n then begin
    let subset = Array.init k Fun.id in
    let rec go () =
      visit subset;
      let t = ref (k - 1) in
      while !t >= 0 && subset.(!t) = n - k + !t do decr t done;
      if !t >= 0 then begin
        subset.(!t) <- subset.(!t) + 1;
        for u = !t + 1 to k - 1 do subset.(u) <- subset.(u - 1) + 1 done;
        go ()
      end
    in
    go ()
  end

let without subset t = Array.init (Array.length subset - 1) (fun u -> subset.(if u < t then u else u + 1))
