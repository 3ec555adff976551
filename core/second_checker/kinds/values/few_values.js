/*
 * NO for a set of values: the clauses that vectors with these entries satisfy if they represent the
 * core contradict each other. The number of steps of a product, of a sum of products and of a
 * threshold is a list of variables; the one at s - 1 says that there are at least s.
 */

const MOST_VALUE_CLAUSES = 1_000_000;
const MOST_DIMENSIONS = 10; // with real queries

defineKind("few-values", {
  answer: "NO",
  similarities: VALUE_SETS,
  members: { similarity: asChoice(...VALUE_SETS), d: asWhole, rows: asIndices, columns: asIndices, lemmas: asClauses },
  check(question, { similarity, d, rows, columns, lemmas }) {
    ensure(similarity === question.similarity, () => `it is about ${similarity} vectors, not ${question.similarity}`);
    checkScope(question, rows, columns, d);
    const values = VALUES[similarity];
    ensureSmallEnough(d <= MOST_DIMENSIONS || !FREE_QUERIES.includes(similarity), () => "its queries are too large to check");
    const ofQueries = queryValues(similarity, d);
    const pairs = ofQueries.length * values.length;
    const { width } = stepsOf(ofQueries, values);
    const sums = (width * (width + 1) * d * (d + 1)) / 2 + d * (2 * width + pairs);
    const most = (rows.length + 1) * columns.length * sums + (rows.length + columns.length) * d * (2 + 2 * pairs + width);
    ensureSmallEnough(most <= MOST_VALUE_CLAUSES, () => "its clauses are too many to check");
    const { variables, clauses } = new ValueClauses(question.pattern.part(rows, columns), columns.length, ofQueries, values, d);
    checkRange(lemmas, variables);
    const propagation = new Propagation(variables);
    for (const clause of clauses) propagation.add(clause);
    checkLemmas(propagation, lemmas);
  },
});

/** Return the values of queries: integers up to sqrt((d + 1)^(d + 1) / 4^d) in place of real numbers. */
function queryValues(similarity, d) {
  if (!FREE_QUERIES.includes(similarity)) return VALUES[similarity];
  let most = 0;
  while (BigInt(most + 1) ** 2n * 4n ** BigInt(d) <= BigInt(d + 1) ** BigInt(d + 1)) most++;
  return integersFrom(-most, most);
}

/** Return the smallest product of two values, the unit of their differences, and the most units. */
function stepsOf(ofQueries, ofKeys) {
  const products = ofQueries.flatMap((a) => ofKeys.map((b) => a * b));
  const least = Math.min(...products);
  const unit = products.reduce((divisor, product) => greatestDivisor(product - least, divisor), 0);
  return { least, unit, width: (Math.max(...products) - least) / unit };
}

class ValueClauses {
  constructor(core, columns, ofQueries, ofKeys, d) {
    Object.assign(this, { ofQueries, ofKeys, d, steps: stepsOf(ofQueries, ofKeys), variables: 0, clauses: [] });
    const vector = (values) => Array.from({ length: d }, () => this.#entry(values));
    const keys = Array.from({ length: columns }, () => vector(ofKeys));
    const queries = core.map(() => vector(ofQueries));
    core.forEach((row, i) => this.#represent(row, queries[i], keys));
    if (columns > 0) this.#breakSymmetries(core, keys);
  }

  #new(count) {
    return Array.from({ length: count }, () => ++this.variables);
  }

  /** Add a clause of literals, some of which may be known to be true or false. */
  #add(...literals) {
    if (!literals.includes(true)) this.clauses.push(literals.filter((literal) => literal !== false));
  }

  /** Return the literals that an entry has each value. */
  #entry(values) {
    if (values.length === 2) {
      const [high] = this.#new(1);
      return [-high, high];
    }
    const entry = this.#new(values.length);
    this.#add(...entry);
    return entry;
  }

  /** Return new variables for a number of at most so many steps. */
  #number(most) {
    const number = this.#new(most);
    for (let s = 1; s < most; s++) this.#add(-number[s], number[s - 1]);
    return number;
  }

  #represent(row, query, keys) {
    if (!row.includes(1) || !row.includes(0)) return;
    const most = this.d * this.steps.width;
    const threshold = this.#number(most);
    this.#add(threshold[0]);
    keys.forEach((key, j) => {
      if (row[j] === STAR) return;
      const total = this.#sum(query, key, row[j] === 1);
      for (let s = 1; s <= most; s++) {
        if (row[j] === 1) this.#add(-atLeast(threshold, s), atLeast(total, s));
        else this.#add(-atLeast(total, s), atLeast(threshold, s + 1));
      }
    });
  }

  #sum(query, key, isOne) {
    const { width } = this.steps;
    let total = [];
    for (let k = 0; k < this.d; k++) {
      const product = this.#product(query[k], key[k], isOne);
      const before = total;
      total = this.#new((k + 1) * width);
      for (let s = 1; s <= total.length; s++) {
        for (let r = 0; r <= width; r++) {
          if (isOne) this.#add(-atLeast(total, s), atLeast(before, s - r), atLeast(product, r + 1));
          else this.#add(atLeast(total, s), not(atLeast(before, s - r)), not(atLeast(product, r)));
        }
      }
    }
    return total;
  }

  #product(query, key, isOne) {
    const { least, unit, width } = this.steps;
    const product = this.#number(width);
    this.ofQueries.forEach((a, u) =>
      this.ofKeys.forEach((b, v) => {
        const steps = (a * b - least) / unit;
        this.#add(-query[u], -key[v], isOne ? not(atLeast(product, steps + 1)) : atLeast(product, steps));
      }),
    );
    return product;
  }

  #breakSymmetries(core, keys) {
    const { ofKeys: values, d } = this;
    if (values.every((value) => values.includes(-value))) {
      for (const entry of keys[0]) values.forEach((value, u) => value < 0 && this.#add(-entry[u]));
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
        for (let v = u + 1; v < a.length; v++) this.#add(not(equal), -a[u], -b[v]);
      }
      if (place === first.length - 1) return;
      const [still] = this.#new(1);
      for (let u = 0; u < a.length; u++) this.#add(not(equal), -a[u], -b[u], still);
      equal = still;
    });
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
