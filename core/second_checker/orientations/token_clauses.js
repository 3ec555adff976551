/*
 * Clauses of tokens: orientations chi of keys and psi of queries that share coordinates, and signs
 * s, y, z and w that covectors have on some elements.
 */

const UNDEFINED = null; // a covector's sign at a don't-care; others are 1, -1, 0 or { variable }

/** Return the sizes of a core and of its configurations. */
function tokenSizes({ rows, columns, d_hid, d = d_hid }) {
  const extra = d_hid - d; // unit vectors on each side
  return {
    rows: rows.length,
    columns: columns.length,
    rank: d + 1,
    extra,
    keys: 1 + extra + columns.length,
    queries: 1 + extra + rows.length,
  };
}

/** The variables of a core: orientations of keys and of queries, and unknown signs. */
class Tokens {
  constructor({ rows, columns }, sizes) {
    const { rows: m, columns: n, extra: x } = Object.assign(this, sizes);
    this.chi = new Variables(this.keys, this.rank);
    this.psi = new TiedVariables(this.queries, this.chi, x, keyOfQuery(rows, columns, x));
    const first = 1 + this.chi.count + this.psi.count;
    this.s = (a) => first + a;
    this.y = (a, k) => first + m + a * x + k - 1;
    this.z = (b, k) => first + m + m * x + b * x + k - 1;
    this.w = (l, k) => first + m + m * x + n * x + (l - 1) * x + k - 1;
    this.last = first - 1 + m + m * x + n * x + x * x;
  }
}

/** Return the key of the same token for every query that is a row, where there is one. */
function keyOfQuery(rows, columns, extra) {
  const place = new Map(columns.map((j, b) => [j, b]));
  const found = new Map();
  rows.forEach((i, a) => {
    if (place.has(i)) found.set(1 + extra + a, 1 + extra + place.get(i));
  });
  return found;
}

/** Variables of psi: those of chi where a subset contains what both sides share. */
class TiedVariables extends Variables {
  constructor(elements, chi, extra, keyOf) {
    super(elements, chi.rank);
    Object.assign(this, { chi, extra, keyOf });
  }

  of(subset) {
    const tokens = subset.slice(this.extra + 1);
    const shared = subset.slice(0, this.extra + 1);
    const tied = shared.every((e, k) => e === k) && tokens.every((e) => this.keyOf.has(e));
    return tied ? this.chi.ofUnordered([...shared, ...tokens.map((e) => this.keyOf.get(e))]) : this.chi.count + super.of(subset);
  }
}

const signOfEntry = (entry) => (entry === STAR ? UNDEFINED : entry === 1 ? 1 : -1);

/** Return the integers first .. last. */
function span(first, last) {
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, k) => first + k);
}

/** Return the covectors of the keys: the origin, the unit vectors, the columns. */
function keyCovectors(tokens, core) {
  const [units, rows, columns] = [span(1, tokens.extra), span(0, tokens.rows - 1), span(0, tokens.columns - 1)];
  return [
    [1, ...units.map(() => 0), ...columns.map(() => 1)],
    ...rows.map((a) => [
      { variable: tokens.s(a) },
      ...units.map((k) => ({ variable: tokens.y(a, k) })),
      ...columns.map((b) => signOfEntry(core[a][b])),
    ]),
    ...units.map((l) => [
      0,
      ...units.map((k) => ({ variable: tokens.w(l, k) })),
      ...columns.map((b) => ({ variable: tokens.z(b, l) })),
    ]),
  ];
}

/** Return the covectors of the queries: the additional query, the unit vectors, the rows. */
function queryCovectors(tokens, core) {
  const [units, rows, columns] = [span(1, tokens.extra), span(0, tokens.rows - 1), span(0, tokens.columns - 1)];
  return [
    ...columns.map((b) => [
      1,
      ...units.map((k) => ({ variable: tokens.z(b, k) })),
      ...rows.map((a) => signOfEntry(core[a][b])),
    ]),
    [1, ...units.map(() => 0), ...rows.map((a) => ({ variable: tokens.s(a) }))],
    ...units.map((k) => [
      0,
      ...units.map((l) => ({ variable: tokens.w(l, k) })),
      ...rows.map((a) => ({ variable: tokens.y(a, k) })),
    ]),
  ];
}

/** Add the clauses of covectors on all subsets of r + 1 elements on which they are defined. */
function addCovectorClauses(variables, elements, covectors, propagation) {
  forEachSubset(elements, variables.rank + 1, (subset) => {
    const brackets = bracketsOf(variables, subset);
    for (const covector of covectors) {
      const signs = subset.map((e) => covector[e]);
      if (!signs.includes(UNDEFINED)) addClausesAgainst(brackets, signs, propagation);
    }
  });
}

function addClausesAgainst(brackets, signs, propagation) {
  const unknown = [...signs.keys()].filter((t) => typeof signs[t] === "object");
  for (let choice = 0; choice < 2 ** unknown.length; choice++) {
    const chosen = [...signs];
    const conditions = unknown.map((t, k) => {
      chosen[t] = (choice >> k) & 1 ? 1 : -1;
      return -chosen[t] * signs[t].variable;
    });
    const literals = brackets.map((bracket, t) => -chosen[t] * bracket).filter((literal) => literal !== 0);
    propagation.add([...literals, ...conditions]);
    propagation.add([...literals.map((literal) => -literal), ...conditions]);
  }
}

/** Return the number of clauses that the core would have without don't-cares. */
function countTokenClauses({ rows: m, columns: n, extra: x, rank: r, keys, queries }, relations) {
  const count = (known, unknown) => {
    let sum = 0;
    for (let k = 0; k <= r + 1; k++) sum += 2 * choose(unknown, k) * 2 ** k * choose(known, r + 1 - k);
    return sum;
  };
  return (
    count(keys, 0) + m * count(n, 1 + x) + n * count(m + 1, x) + count(1 + x, m) + x * count(1, n + x) +
    x * count(1, m + x) + (relations ? 16 * (countRelations(keys, r) + countRelations(queries, r)) : 0)
  );
}
