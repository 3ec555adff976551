/*
 * Refutations by unit propagation. Each clause watches two of its literals; as long as neither is
 * false, the clause cannot become unit. A literal v or -v has the code 2 v or 2 v + 1.
 */

const MOST_STEPS = 2 ** 34;

/** Integers in a typed array that grows. */
class Growing {
  constructor(capacity = 1024) {
    this.values = new Int32Array(capacity);
    this.length = 0;
  }

  push(value) {
    if (this.length === this.values.length) {
      const larger = new Int32Array(2 * this.length);
      larger.set(this.values);
      this.values = larger;
    }
    this.values[this.length++] = value;
  }
}

const codeOf = (literal) => (literal > 0 ? 2 * literal : -2 * literal + 1);

/** A set of clauses, and the literals that follow from it by unit propagation. */
class Propagation {
  constructor(variables) {
    this.truth = new Int8Array(2 * variables + 2); // of each code: 1 true, -1 false, 0 open
    this.trail = new Int32Array(variables + 1);
    this.assigned = 0;
    this.propagated = 0;
    this.literals = new Growing(); // clause after clause, each behind its length
    this.watchers = new Int32Array(2 * variables + 2).fill(-1); // of each code: the first watch
    this.next = new Growing(); // of each watch, 2 c + slot: the next watch of the same literal
    this.starts = new Growing(); // of each clause with a number: the place of its first literal
    this.conflict = false; // without assumptions
    this.steps = 0;
  }

  /** Add a clause and propagate; only without assumptions. */
  add(clause) {
    if (this.conflict) return;
    const codes = [...new Set(clause.map(codeOf))];
    const different = new Set(codes);
    if (codes.some((code) => this.truth[code] > 0 || different.has(code ^ 1))) return;
    const open = codes.filter((code) => this.truth[code] === 0);
    if (open.length === 0) this.conflict = true;
    else if (open.length === 1) {
      this.#assign(open[0]);
      this.conflict = this.#propagate();
    } else this.#store(open);
  }

  /** Return whether the clause follows by unit propagation from those that were added. */
  implies(clause) {
    if (this.conflict) return true;
    const before = this.assigned;
    let conflict = false;
    for (const literal of clause) {
      const code = codeOf(-literal);
      if (this.truth[code] < 0) conflict = true;
      else if (this.truth[code] === 0) this.#assign(code);
    }
    conflict ||= this.#propagate();
    while (this.assigned > before) {
      const code = this.trail[--this.assigned];
      this.truth[code] = 0;
      this.truth[code ^ 1] = 0;
    }
    this.propagated = before;
    return conflict;
  }

  /** Literals that are false without assumptions remain so: a clause is stored without them. */
  #store(codes) {
    const number = this.starts.length;
    this.literals.push(codes.length);
    this.starts.push(this.literals.length);
    for (const code of codes) this.literals.push(code);
    for (const slot of [0, 1]) {
      this.next.push(this.watchers[codes[slot]]);
      this.watchers[codes[slot]] = 2 * number + slot;
    }
  }

  #assign(code) {
    this.truth[code] = 1;
    this.truth[code ^ 1] = -1;
    this.trail[this.assigned++] = code;
  }

  /** Assign what clauses force, and return whether one of them became false. */
  #propagate() {
    while (this.propagated < this.assigned) {
      if (this.#visit(this.trail[this.propagated++] ^ 1)) return true;
    }
    return false;
  }

  /** Visit the clauses that watch a literal which has become false. */
  #visit(falsified) {
    const { truth, watchers } = this;
    const literals = this.literals.values;
    const starts = this.starts.values;
    const next = this.next.values;
    let steps = 0;
    let kept = -1; // the last watch that stays with this literal
    let watch = watchers[falsified];
    while (watch >= 0) {
      const following = next[watch];
      const slot = watch & 1;
      const start = starts[watch >> 1];
      const other = literals[start + 1 - slot];
      steps++;
      if (truth[other] <= 0) {
        const end = start + literals[start - 1];
        let place = start + 2;
        while (place < end && truth[literals[place]] < 0) place++;
        steps += place - start - 2;
        if (place < end) {
          const code = literals[place];
          literals[place] = falsified;
          literals[start + slot] = code;
          next[watch] = watchers[code];
          watchers[code] = watch;
          if (kept < 0) watchers[falsified] = following;
          else next[kept] = following;
          watch = following;
          continue;
        }
        if (truth[other] < 0) {
          this.#count(steps);
          return true;
        }
        this.#assign(other);
      }
      kept = watch;
      watch = following;
    }
    this.#count(steps);
    return false;
  }

  #count(steps) {
    this.steps += steps;
    ensureSmallEnough(this.steps <= MOST_STEPS, () => "its lemmas need too many steps of propagation: too large to check");
  }
}

/** Refuse lemmas that do not follow one after another, or do not end in a contradiction. */
function checkLemmas(propagation, lemmas) {
  lemmas.forEach((lemma, k) => {
    ensure(propagation.implies(lemma), () => `lemma ${k} does not follow by unit propagation`);
    propagation.add(lemma);
  });
  ensure(propagation.conflict, () => "its lemmas end without a contradiction");
}
