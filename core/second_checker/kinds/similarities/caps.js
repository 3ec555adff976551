/* YES for cosines: queries, keys whose lengths do not matter, and thresholds in integers. */

defineKind("caps", {
  answer: "YES",
  similarities: ["cosine"],
  members: { queries: asMatrix, keys: asMatrix, thresholds: asVector },
  form(proof, place) {
    EMBEDDING.form(proof, place);
    proof.keys.forEach((key, j) => {
      if (key.every((x) => x === 0)) throw new Unreadable(`${place}.keys[${j}] is zero`);
    });
  },
  check({ pattern, d }, { queries, keys, thresholds }) {
    ensureAtMost(keys[0].length, d);
    ensureCounts(pattern, queries, keys);
    const squares = keys.map((key) => exactExcess(key, key, 0));
    const rounded = new RoundedLogits(
      queries.map((query, i) => [...query, -Number(thresholds[i])]),
      keys.map((key, j) => [...key, Math.sqrt(Number(squares[j]))]),
      thresholds.map(() => 0),
      false,
    );
    const exact = (i, j) => (exceedsRoot(exactExcess(queries[i], keys[j], 0), BigInt(thresholds[i]), squares[j]) ? 1 : -1);
    checkSigns(pattern, rounded, exact, (entry, sign) => (sign > 0) === (entry === 1));
  },
});

/** Return whether product > factor sqrt(square), of integers. */
function exceedsRoot(product, factor, square) {
  if (product > 0n) return factor < 0n || product * product > factor * factor * square;
  return factor < 0n && product * product < factor * factor * square;
}
