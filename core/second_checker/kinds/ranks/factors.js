/* YES for ranks: two factors of a matrix, and thresholds that no entry equals. */

defineKind("factors", {
  answer: "YES",
  task: "rank",
  members: { left: asMatrix, right: asMatrix, thresholds: asVector },
  form({ left, right, thresholds }, place) {
    EMBEDDING.form({ queries: left, keys: right, thresholds }, place);
  },
  check({ pattern, rank, thresholds: kind }, { left, right, thresholds }) {
    ensureAtMost(left[0].length, rank);
    const signs = new Set(thresholds.map((t) => (t > 0 ? 1 : t < 0 ? -1 : 0)));
    ensure(kind !== "sign" || (signs.size === 1 && signs.has(0)), () => "a threshold is not 0");
    ensure(kind !== "global" || signs.size === 1, () => "its thresholds differ in sign");
    checkExcess(pattern, left, right, thresholds, (entry, sign) => sign === (entry === 1 ? 1 : -1));
  },
});
