/* NO: a pattern in which each row occurs with and without one more key is as hard as the pattern without it. */

defineKind("padded", {
  answer: "NO",
  members: { rows: asIndices, columns: asIndices, proof: asRefutation },
  form({ rows, columns }, place) {
    requireAtLeast(rows, 3, `${place}.rows`);
    requireAtLeast(columns, 2, `${place}.columns`);
    if (rows.length % 2 === 0) throw new Unreadable(`${place}.rows has a row without a partner`);
  },
  check(question, { rows, columns, proof }) {
    checkAnswers({ task: "dimension", similarity: "dot" }, proof);
    checkCore(question.pattern, rows, columns);
    const core = question.pattern.part(rows, columns);
    core.forEach((row, a) => ensure(row[0] !== STAR, () => `row ${rows[a]} does not specify column ${columns[0]}`));
    const [level, ...others] = core;
    level.forEach((entry, b) => {
      ensure(b === 0 || entry === 1 - level[0], () => `row ${rows[0]} does not separate columns ${columns[0]} and ${columns[b]}`);
    });
    const smaller = [];
    for (let a = 0; a < others.length; a += 2) {
      const upper = readAs(1, others[a]);
      const lower = readAs(0, others[a + 1]);
      const row = upper.map((entry, b) => (entry === lower[b] ? entry : STAR)).slice(1);
      ensure(row.includes(1), () => `rows ${rows[a + 1]} and ${rows[a + 2]} have no 1 in common`);
      smaller.push(row);
    }
    checkProof(freeQuestion(patternOfRows(smaller), Math.max(1, question.d - 1)), proof);
  },
});

/** Return a row, or its complement, such that its first entry is the given one. */
function readAs(first, row) {
  return row[0] === first ? row : row.map((entry) => (entry === STAR ? STAR : 1 - entry));
}
