/* YES for a set of values: queries, keys and thresholds in integers, with entries of the set alone. */

defineKind("value-embedding", {
  answer: "YES",
  similarities: VALUE_SETS,
  members: { queries: asMatrix, keys: asMatrix, thresholds: asVector },
  form: (proof, place) => EMBEDDING.form(proof, place),
  check({ pattern, d, similarity }, { queries, keys, thresholds }) {
    ensureAtMost(queries[0].length, d);
    for (const vector of FREE_QUERIES.includes(similarity) ? keys : [...queries, ...keys]) {
      const strange = vector.find((entry) => !VALUES[similarity].includes(entry));
      ensure(strange === undefined, () => `an entry is ${strange}, which is no value of ${similarity} vectors`);
    }
    checkLogits(pattern, queries, keys, thresholds);
  },
});
