(* Unit propagation that remembers why: the search for hints, which the verified checker follows.

   A literal v or -v has the code 2 v or 2 v + 1. Each clause watches its first two literals; as long
   as neither is false, it cannot become unit. *)

(* Integers in an array that grows. *)
module Growing = struct
  type t = { mutable values : int array; mutable length : int }

  let create () = { values = Array.make 1024 0; length = 0 }

  let push growing value =
    if growing.length = Array.length growing.values then begin
      let larger = Array.make (2 * growing.length) 0 in
      Array.blit growing.values 0 larger 0 growing.length;
      growing.values <- larger
    end;
    growing.values.(growing.length) <- value;
    growing.length <- growing.length + 1
end

type t = {
  truth : Bytes.t; (* of each code: '+' true, '-' false, '0' open *)
  reason : int array; (* of each variable: the clause that forced it, -1 for an assumption *)
  fixed : Bytes.t; (* of each variable: whether it is forced without assumptions *)
  mark : Bytes.t;
  trail : int array;
  mutable assigned : int;
  mutable propagated : int;
  literals : Growing.t; (* clause after clause *)
  starts : Growing.t; (* of each clause: the place of its first literal; -1 if it is always true *)
  ends : Growing.t;
  watchers : int array; (* of each code: the first watch, 2 c + slot *)
  next : Growing.t; (* of each watch *)
  mutable conflict : int list option; (* without assumptions: the reasons, see [explain] *)
}

let code_of literal = if literal > 0 then 2 * literal else (-2 * literal) + 1

let create variables = {
  truth = Bytes.make ((2 * variables) + 2) '0';
  reason = Array.make (variables + 1) (-1);
  fixed = Bytes.make (variables + 1) '0';
  mark = Bytes.make (variables + 1) '0';
  trail = Array.make (variables + 1) 0;
  assigned = 0;
  propagated = 0;
  literals = Growing.create ();
  starts = Growing.create ();
  ends = Growing.create ();
  watchers = Array.make ((2 * variables) + 2) (-1);
  next = Growing.create ();
  conflict = None;
}

let truth state code = Bytes.get state.truth code

let assign state code reason =
  Bytes.set state.truth code '+';
  Bytes.set state.truth (code lxor 1) '-';
  state.reason.(code lsr 1) <- reason;
  state.trail.(state.assigned) <- code;
  state.assigned <- state.assigned + 1

(* Visit the clauses that watch a literal which has become false; the clause in conflict, or -1. *)
let visit state falsified =
  let literals = state.literals.values and next = state.next.values in
  let conflict = ref (-1) and kept = ref (-1) in
  let watch = ref state.watchers.(falsified) in
  while !watch >= 0 && !conflict < 0 do
    let w = !watch in
    let following = next.(w) and slot = w land 1 and clause = w lsr 1 in
    let start = state.starts.values.(clause) in
    let other = literals.(start + 1 - slot) in
    let moved = ref false in
    if truth state other <> '+' then begin
      let stop = state.ends.values.(clause) in
      let place = ref (start + 2) in
      while !place < stop && truth state literals.(!place) = '-' do incr place done;
      if !place < stop then begin
        let code = literals.(!place) in
        literals.(!place) <- falsified;
        literals.(start + slot) <- code;
        next.(w) <- state.watchers.(code);
        state.watchers.(code) <- w;
        if !kept < 0 then state.watchers.(falsified) <- following else next.(!kept) <- following;
        moved := true
      end
      else if truth state other = '-' then conflict := clause
      else assign state other clause
    end;
    if not !moved then kept := w;
    watch := following
  done;
  !conflict

let propagate state =
  let conflict = ref (-1) in
  while !conflict < 0 && state.propagated < state.assigned do
    let code = state.trail.(state.propagated) in
    state.propagated <- state.propagated + 1;
    conflict := visit state (code lxor 1)
  done;
  !conflict

let literals_of state clause =
  let start = state.starts.values.(clause) in
  Array.sub state.literals.values start (state.ends.values.(clause) - start)

(* Why a clause is false: in the order of propagation, [-v] for a variable v that is forced without
   assumptions, and the numbers of clauses that force others; the false clause comes last. *)
let explain state clause first_assumption =
  let units = ref [] and marked = ref [] in
  let mark_literals clause =
    Array.iter
      (fun code ->
         let v = code lsr 1 in
         if Bytes.get state.mark v = '0' then begin
           Bytes.set state.mark v '1';
           marked := v :: !marked;
           if Bytes.get state.fixed v = '1' then units := -v :: !units
         end)
      (literals_of state clause)
  in
  mark_literals clause;
  let reasons = ref [ clause ] in
  for place = state.assigned - 1 downto first_assumption do
    let v = state.trail.(place) lsr 1 in
    if Bytes.get state.mark v = '1' && state.reason.(v) >= 0 then begin
      reasons := state.reason.(v) :: !reasons;
      mark_literals state.reason.(v)
    end
  done;
  List.iter (fun v -> Bytes.set state.mark v '0') !marked;
  List.rev_append !units !reasons

(* Fix what has been assigned since [first]. *)
let fix state first =
  for place = first to state.assigned - 1 do Bytes.set state.fixed (state.trail.(place) lsr 1) '1' done

(* Add a clause, without assumptions, and propagate. Its number is the number of those before. *)
let add state clause =
  let number = state.starts.length in
  let codes = List.sort_uniq compare (List.map code_of clause) in
  let always = List.exists (fun code -> List.mem (code lxor 1) codes) codes in
  if always || state.conflict <> None || List.exists (fun code -> truth state code = '+') codes then begin
    Growing.push state.starts (-1);
    Growing.push state.ends (-1);
    Growing.push state.next (-1);
    Growing.push state.next (-1)
  end
  else begin
    let is_open code = truth state code = '0' in
    let opened, closed = List.partition is_open codes in
    Growing.push state.starts state.literals.length;
    List.iter (Growing.push state.literals) opened;
    List.iter (Growing.push state.literals) closed;
    Growing.push state.ends state.literals.length;
    Growing.push state.next (-1);
    Growing.push state.next (-1);
    match opened with
    | [] -> state.conflict <- Some (explain state number state.assigned)
    | [ code ] ->
      let first = state.assigned in
      assign state code number;
      let conflict = propagate state in
      fix state first;
      if conflict >= 0 then state.conflict <- Some (explain state conflict state.assigned)
    | one :: two :: _ ->
      List.iteri
        (fun slot code ->
           state.next.values.((2 * number) + slot) <- state.watchers.(code);
           state.watchers.(code) <- (2 * number) + slot)
        [ one; two ]
  end

type implied =
  | No
  | Always (* by what is forced without assumptions: nothing new *)
  | Because of int list

(* Whether the clause follows by unit propagation. *)
let implies state clause =
  if state.conflict <> None then Always
  else begin
    let first = state.assigned in
    let trivial = ref false in
    List.iter
      (fun literal ->
         let code = code_of (-literal) in
         match truth state code with
         | '-' -> trivial := true
         | '0' -> assign state code (-1)
         | _ -> ())
      clause;
    let found =
      if !trivial then Always
      else
        let conflict = propagate state in
        if conflict >= 0 then Because (explain state conflict first) else No
    in
    while state.assigned > first do
      state.assigned <- state.assigned - 1;
      let code = state.trail.(state.assigned) in
      Bytes.set state.truth code '0';
      Bytes.set state.truth (code lxor 1) '0'
    done;
    state.propagated <- first;
    found
  end
