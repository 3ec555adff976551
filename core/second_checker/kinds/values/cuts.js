/* The sets of keys with few values that a query cuts off. */

/**
 * Return the different sets of keys that a query cuts off, but the empty set and that of all keys, as
 * { query, level, isAbove }: the keys with at least so many levels, or those with fewer.
 */
function listCuts(ofQueries, values, d) {
  const { width, least, unit } = stepsOf([1], values);
  const keys = vectorsOf(values.map((value) => (value - least) / unit), d);
  const queries = vectorsOf(ofQueries, d); // in lexicographic order, which the sort keeps
  queries.sort((a, b) => sumOfAbsolutes(a) - sumOfAbsolutes(b));
  const known = new Set();
  const cuts = [];
  for (const query of queries) {
    const levels = keys.map((key) => levelsOf(query, key, width));
    const most = width * sumOfAbsolutes(query);
    const isPositive = query.find((entry) => entry !== 0) > 0;
    for (let level = 1; level <= most; level++) {
      const name = levels.map((number) => (number >= level ? "1" : "0")).join("");
      if (known.has(name)) continue;
      known.add(name);
      if (isPositive) cuts.push({ query, level, isAbove: true });
      else cuts.push({ query: query.map((entry) => 0 - entry), level: most + 1 - level, isAbove: false });
    }
  }
  return cuts;
}

/** Return the number of levels of a key, whose entries are given in steps. */
function levelsOf(query, steps, width) {
  return query.reduce((sum, entry, k) => sum + Math.abs(entry) * (entry > 0 ? steps[k] : width - steps[k]), 0);
}

/** Return all vectors of d of the values, in lexicographic order. */
function vectorsOf(values, d) {
  let vectors = [[]];
  for (let k = 0; k < d; k++) vectors = vectors.flatMap((vector) => values.map((value) => [...vector, value]));
  return vectors;
}

function sumOfAbsolutes(query) {
  return query.reduce((sum, entry) => sum + Math.abs(entry), 0);
}

/** Return the lists of the first entries of the queries of cuts, each once, in the order in which they occur. */
function beginningsOf(cuts) {
  const found = new Map();
  for (const { query } of cuts) {
    for (let k = 1; k <= query.length; k++) {
      const beginning = query.slice(0, k);
      if (!found.has(beginning.join())) found.set(beginning.join(), beginning);
    }
  }
  return [...found.values()];
}
