/* NO for cosines in dimension 1: an odd cycle of keys, each of which some row separates from the next. */

defineKind("opposite-keys", {
  answer: "NO",
  similarities: ["cosine"],
  members: { rows: asIndices, columns: asIndices, by: asNumbers },
  form({ columns, by }, place) {
    requireLength(by, columns.length, `${place}.by`);
  },
  scope: ({ columns }) => ({ entries: 2 * columns.length }),
  reads: ({ rows, columns, by }) => columns.flatMap((column, k) => [column, columns[(k + 1) % columns.length]].map((j) => [rows[by[k]], j])),
  check(question, proof) {
    const { rows, columns, by } = proof;
    checkScope(question, rows, columns, 1, scopeOf(proof).entries);
    ensure(columns.length % 2 === 1, () => `its cycle has ${columns.length} keys, which is even`);
    columns.forEach((column, k) => {
      const next = columns[(k + 1) % columns.length];
      ensure(by[k] < rows.length, () => `step ${k} names row ${by[k]} of ${rows.length}`);
      const row = rows[by[k]];
      const [one, other] = [question.pattern.entry(row, column), question.pattern.entry(row, next)];
      ensure(one !== STAR && other === 1 - one, () => `step ${k}: row ${row} does not separate columns ${column} and ${next}`);
    });
  },
});
