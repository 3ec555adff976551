/* NO for cosines in dimension 2 and distances in dimension 1: forced steps lead from two keys to the same, exchanged. */

const MOST_WALKED = 2 ** 20;

defineKind("odd-cycle", {
  answer: "NO",
  similarities: ["cosine", "l2"],
  members: { curve: asChoice("circle", "line"), rows: asIndices, columns: asIndices, walk: asMatrix },
  scope: ({ walk }) => ({ entries: 4 * walk.length }),
  reads: ({ curve, rows, columns, walk }) =>
    walk.flatMap(([, , r], k) => {
      const { kept, before, after } = changeOf(walk, k);
      return [kept, before, after, ...(curve === "circle" ? [0] : [])].map((x) => [rows[r], columns[x]]);
    }),
  check(question, proof) {
    const { curve, rows, columns, walk } = proof;
    const circle = curve === "circle";
    ensure(question.similarity === (circle ? "cosine" : "l2"), () => `a ${curve} shows nothing for ${question.similarity}`);
    ensureSmallEnough(walk.length <= MOST_WALKED, () => `it has more than ${MOST_WALKED} steps: too large to check`);
    checkScope(question, rows, columns, circle ? 2 : 1, scopeOf(proof).entries);
    walk.forEach((step, k) => checkStep(step, k, rows.length, columns.length, circle));
    walk.forEach(([, , r], k) => {
      const entry = (x) => question.pattern.entry(rows[r], columns[x]);
      const { single, kept, before, after } = changeOf(walk, k);
      ensure(single, () => `step ${k} does not replace one of its two columns`);
      const first = circle ? entry(0) : 0;
      ensure(
        first !== STAR && entry(kept) === first && entry(before) === 1 - first && entry(after) === 1 - first,
        () => `step ${k}: row ${rows[r]} does not separate column ${columns[kept]} from ${columns[before]} and ${columns[after]}`,
      );
    });
  },
});

/** Return how the pair of a step differs from the next one: whether in one column, which is kept, and the column before and after. */
function changeOf(walk, k) {
  const [a, b] = walk[k];
  const [c, d] = k + 1 < walk.length ? walk[k + 1] : [walk[0][1], walk[0][0]];
  const [kept, before, after] = a === c ? [a, b, d] : [b, a, c];
  return { single: (a === c) !== (b === d), kept, before, after };
}

function checkStep(step, k, rows, columns, circle) {
  ensure(step.length === 3, () => `step ${k} has ${step.length} numbers, not 3`);
  const [a, b, r] = step;
  const least = circle ? 1 : 0;
  ensure(a !== b && [a, b].every((x) => x >= least && x < columns), () => `step ${k} does not name two columns`);
  ensure(r >= 0 && r < rows, () => `step ${k} names row ${r} of ${rows}`);
}
