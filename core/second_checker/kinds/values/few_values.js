/*
 * NO for a set of values: the clauses that vectors with these entries satisfy if they represent the
 * core contradict each other. A number of steps or levels is a list of variables; the one at s - 1
 * says that there are at least s.
 */

const MOST_VALUE_CLAUSES = 1_000_000;
const MOST_DIMENSIONS = 10; // with real queries
const LARGEST_QUERY = 1_000; // the largest integer in place of a real number
const MOST_LEVELS_COMPARED = 2 ** 24; // of keys under all queries with all levels

defineKind("few-values", {
  answer: "NO",
  similarities: VALUE_SETS,
  members: { similarity: asChoice(...VALUE_SETS), d: asWhole, rows: asIndices, columns: asIndices, lemmas: asClauses },
  optional: { clauses: asChoice("cuts") },
  check(question, { similarity, d, rows, columns, lemmas, clauses: kind }) {
    ensure(similarity === question.similarity, () => `it is about ${similarity} vectors, not ${question.similarity}`);
    checkScope(question, rows, columns, d);
    const values = VALUES[similarity];
    ensureSmallEnough(hasFewQueries(similarity, d), () => "its queries are too large to check");
    const ofQueries = queryValues(similarity, d);
    const count = kind === "cuts" ? countCutClauses : countValueClauses;
    const most = count(rows.length, columns.length, ofQueries, values, d);
    ensureSmallEnough(most <= MOST_VALUE_CLAUSES, () => "its clauses are too many to check");
    const Clauses = kind === "cuts" ? CutClauses : ValueClauses;
    const formula = new Clauses(ofQueries, values, d);
    formula.build(question.pattern.part(rows, columns), columns.length);
    const { variables, clauses } = formula;
    checkRange(lemmas, variables);
    const propagation = new Propagation(variables);
    for (const clause of clauses) propagation.add(clause);
    checkLemmas(propagation, lemmas);
  },
});

/** Return whether integers in place of real numbers are small enough to be listed. */
function hasFewQueries(similarity, d) {
  if (!FREE_QUERIES.includes(similarity)) return true;
  return d <= MOST_DIMENSIONS && !isEnough(LARGEST_QUERY + 1, similarity, d);
}

/** Return the values of queries: integers up to s^(d - 1) sqrt((d + 1)^(d + 1) / 4^d) in place of real numbers. */
function queryValues(similarity, d) {
  if (!FREE_QUERIES.includes(similarity)) return VALUES[similarity];
  let most = 0;
  while (isEnough(most + 1, similarity, d)) most++;
  return integersFrom(-most, most);
}

/** Return whether an integer does not exceed the bound for real queries. */
function isEnough(integer, similarity, d) {
  const span = BigInt(stepsOf([1], VALUES[similarity]).width);
  return BigInt(integer) ** 2n * 4n ** BigInt(d) <= span ** BigInt(2 * d - 2) * BigInt(d + 1) ** BigInt(d + 1);
}

/** Return the smallest product of two values, the unit of their differences, and the most units. */
function stepsOf(ofQueries, ofKeys) {
  const products = ofQueries.flatMap((a) => ofKeys.map((b) => a * b));
  const least = Math.min(...products);
  const unit = products.reduce((divisor, product) => greatestDivisor(product - least, divisor), 0);
  return { least, unit, width: (Math.max(...products) - least) / unit };
}

/** Return a number that the clauses with thresholds do not exceed. */
function countValueClauses(rows, columns, ofQueries, values, d) {
  const { width } = stepsOf(ofQueries, values);
  const ofEntry = (width * (width + 1) * d * (d + 1)) / 2 + d * (2 * width + ofQueries.length * values.length);
  const ofKey = d * (2 + values.length * (values.length + 1)); // with both orders that it is in
  return rows * (columns * ofEntry + d * (width + 1) + 1) + columns * ofKey;
}

/** Return a number that the clauses with cuts do not exceed. */
function countCutClauses(rows, columns, ofQueries, values, d) {
  const { width } = stepsOf([1], values);
  const levels = d * width * Math.max(...ofQueries.map(Math.abs));
  if ((ofQueries.length * values.length) ** d * levels > MOST_LEVELS_COMPARED) return Infinity;
  const cuts = listCuts(ofQueries, values, d);
  let sizes = 0;
  for (const query of beginningsOf(cuts)) if (query.at(-1) !== 0) sizes += width * sumOfAbsolutes(query);
  const ofKeys = sizes * (1 + 2 * values.length) + d * (2 + 3 * values.length ** 2);
  return columns * ofKeys + rows * (cuts.length * (columns + d) + 1);
}

/** What clauses with thresholds and those with cuts share: variables, keys, symmetries. */
class Formula {
  constructor(ofQueries, ofKeys, d) {
    Object.assign(this, { ofQueries, ofKeys, d, variables: 0, clauses: [] });
  }

  /** Add all clauses of a core. */
  build(core, columns) {
    const keys = Array.from({ length: columns }, () => this.vector(this.ofKeys));
    this.representRows(core, keys);
    if (columns > 0) this.#breakSymmetries(core, keys);
  }

  /** Return new variables. */
  new(count) {
    return Array.from({ length: count }, () => ++this.variables);
  }

  /** Add a clause of literals, some of which may be known to be true or false. */
  add(...literals) {
    if (!literals.includes(true)) this.clauses.push(literals.filter((literal) => literal !== false));
  }

  /** Return the entries of a new vector: for each, the literals that it has each value. */
  vector(values) {
    return Array.from({ length: this.d }, () => {
      if (values.length === 2) {
        const [high] = this.new(1);
        return [-high, high];
      }
      const entry = this.new(values.length);
      this.add(...entry);
      return entry;
    });
  }

  /** Return new variables for a number of at most so many steps. */
  number(most) {
    const number = this.new(most);
    for (let s = 1; s < most; s++) this.add(-number[s], number[s - 1]);
    return number;
  }

  #breakSymmetries(core, keys) {
    const { ofKeys: values, d } = this;
    if (values.every((value) => values.includes(-value))) {
      for (const entry of keys[0]) values.forEach((value, u) => value < 0 && this.add(-entry[u]));
    }
    for (let k = 0; k + 1 < d; k++) {
      this.#order(keys.map((key) => key[k]), keys.map((key) => key[k + 1]));
    }
    for (let a = 0; a < keys.length; a++) {
      const b = keys.findIndex((_, j) => j > a && areInterchangeable(core, a, j));
      if (b >= 0) this.#order(keys[a], keys[b]);
    }
  }

  /** Forbid that the first list of entries is less than the second at the first place that differs. */
  #order(first, second) {
    let equal = true;
    first.forEach((a, place) => {
      const b = second[place];
      for (let u = 0; u < a.length; u++) {
        for (let v = u + 1; v < a.length; v++) this.add(not(equal), -a[u], -b[v]);
      }
      if (place === first.length - 1) return;
      const [still] = this.new(1);
      for (let u = 0; u < a.length; u++) this.add(not(equal), -a[u], -b[u], still);
      equal = still;
    });
  }
}

/** Each row has a query and a threshold. */
class ValueClauses extends Formula {
  representRows(core, keys) {
    this.steps = stepsOf(this.ofQueries, this.ofKeys);
    const queries = core.map(() => this.vector(this.ofQueries));
    core.forEach((row, i) => this.#represent(row, queries[i], keys));
  }

  #represent(row, query, keys) {
    if (!row.includes(1) || !row.includes(0)) return;
    const most = this.d * this.steps.width;
    const threshold = this.number(most);
    this.add(threshold[0]);
    keys.forEach((key, j) => {
      if (row[j] === STAR) return;
      const total = this.#sum(query, key, row[j] === 1);
      for (let s = 1; s <= most; s++) {
        if (row[j] === 1) this.add(-atLeast(threshold, s), atLeast(total, s));
        else this.add(-atLeast(total, s), atLeast(threshold, s + 1));
      }
    });
  }

  #sum(query, key, isOne) {
    const { width } = this.steps;
    let total = [];
    for (let k = 0; k < this.d; k++) {
      const product = this.#product(query[k], key[k], isOne);
      const before = total;
      total = this.new((k + 1) * width);
      for (let s = 1; s <= total.length; s++) {
        for (let r = 0; r <= width; r++) {
          if (isOne) this.add(-atLeast(total, s), atLeast(before, s - r), atLeast(product, r + 1));
          else this.add(atLeast(total, s), not(atLeast(before, s - r)), not(atLeast(product, r)));
        }
      }
    }
    return total;
  }

  #product(query, key, isOne) {
    const { least, unit, width } = this.steps;
    const product = this.number(width);
    this.ofQueries.forEach((a, u) =>
      this.ofKeys.forEach((b, v) => {
        const steps = (a * b - least) / unit;
        this.add(-query[u], -key[v], isOne ? not(atLeast(product, steps + 1)) : atLeast(product, steps));
      }),
    );
    return product;
  }
}

/** Each row chooses one of all cuts. */
class CutClauses extends Formula {
  representRows(core, keys) {
    const cuts = listCuts(this.ofQueries, this.ofKeys, this.d);
    const beginnings = beginningsOf(cuts);
    const levels = keys.map((key) => this.#levels(key, beginnings));
    for (const row of core) this.#represent(row, cuts, levels);
  }

  /** Return the number of levels of a key for each beginning of a query. */
  #levels(key, beginnings) {
    const { least, unit, width } = stepsOf([1], this.ofKeys);
    const levels = new Map([["", []]]);
    for (const beginning of beginnings) {
      const k = beginning.length - 1;
      const before = levels.get(beginning.slice(0, k).join());
      const number = beginning[k] === 0 ? before : this.number(before.length + Math.abs(beginning[k]) * width);
      levels.set(beginning.join(), number);
      if (beginning[k] === 0) continue;
      for (let x = 1; x <= number.length; x++) {
        this.ofKeys.forEach((value, u) => {
          const steps = (value - least) / unit;
          const more = Math.abs(beginning[k]) * (beginning[k] > 0 ? steps : width - steps);
          this.add(-key[k][u], not(atLeast(before, x - more)), number[x - 1]);
          this.add(-key[k][u], atLeast(before, x - more), -number[x - 1]);
        });
      }
    }
    return levels;
  }

  #represent(row, cuts, levels) {
    if (!row.includes(1) || !row.includes(0)) return;
    const choices = this.new(cuts.length);
    cuts.forEach(({ query, level, isAbove }, c) => {
      row.forEach((entry, j) => {
        if (entry === STAR) return;
        const above = levels[j].get(query.join())[level - 1];
        this.add(-choices[c], (entry === 1) === isAbove ? above : -above);
      });
    });
    this.#choose(cuts, choices);
  }

  /** Have a row choose a query entry by entry, and then a cut. */
  #choose(cuts, choices) {
    let lists = new Map();
    const include = (query, literal) => {
      const name = query.join();
      if (!lists.has(name)) lists.set(name, { query, literals: [] });
      lists.get(name).literals.push(literal);
    };
    cuts.forEach(({ query, isAbove }, c) => include(isAbove ? query : query.map((entry) => 0 - entry), choices[c]));
    for (let k = this.d; k > 0; k--) {
      const longer = lists;
      lists = new Map();
      for (const { query, literals } of longer.values()) include(query.slice(0, -1), this.#anyOf(literals));
    }
    this.add(...lists.get("").literals);
  }

  /** Return a literal that holds only if one of these does. */
  #anyOf(literals) {
    if (literals.length === 1) return literals[0];
    const [some] = this.new(1);
    this.add(-some, ...literals);
    return some;
  }
}

/** Return the literal, or the truth, that a number has at least s steps. */
function atLeast(number, s) {
  if (s <= 0) return true;
  return s <= number.length ? number[s - 1] : false;
}

function not(literal) {
  return typeof literal === "boolean" ? !literal : -literal;
}

/** Return whether the rows of a core are the same, in some order, after two columns are exchanged. */
function areInterchangeable(core, a, b) {
  const sorted = (rows) => rows.map((row) => row.join("")).sort().join();
  const exchanged = core.map((row) => row.map((entry, j) => (j === a ? row[b] : j === b ? row[a] : entry)));
  return sorted(core) === sorted(exchanged);
}
