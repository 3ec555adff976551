/* NO for a set of values: more different rows or columns than d coordinates can tell apart. */

const MOST_DIFFERENT = 2 ** 13;

defineKind("distinct-lines", {
  answer: "NO",
  similarities: VALUE_SETS,
  members: { d: asWhole, elements: asChoice("rows", "columns"), rows: asIndices, columns: asIndices },
  check(question, { d, elements, rows, columns }) {
    checkScope(question, rows, columns, d);
    ensure(elements === "columns" || !FREE_QUERIES.includes(question.similarity), () => "its queries are real vectors, so rows prove nothing");
    const core = question.pattern.part(rows, columns);
    const lines = elements === "rows" ? core : columns.map((_, b) => core.map((row) => row[b]));
    ensureSmallEnough(lines.length <= MOST_DIFFERENT, () => `it compares more than ${MOST_DIFFERENT} ${elements}: too large to check`);
    const values = VALUES[question.similarity];
    const vectors = values.length ** d; // rounded only far beyond all lines
    const most = elements === "rows" ? vectors * d * stepsOf(values, values).width + 2 : vectors;
    ensure(lines.length > most, () => `${lines.length} ${elements} are no more than ${most}`);
    lines.forEach((line, a) => {
      for (let b = 0; b < a; b++) {
        const differ = line.some((entry, k) => entry !== STAR && lines[b][k] === 1 - entry);
        ensure(differ, () => `the ${elements} ${a} and ${b} of its core may be equal`);
      }
    });
  },
});
