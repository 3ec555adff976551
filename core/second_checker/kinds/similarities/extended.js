/* NO for cosines and distances: for inner products, a pattern with more rows and columns is refuted. */

defineKind("extended", {
  answer: "NO",
  similarities: ["cosine", "l2"],
  members: { similarity: asChoice("cosine", "l2"), rows: asIndices, columns: asIndices, proof: asRefutation },
  scope({ similarity, rows, columns, proof }) {
    const [m, n, x] = [rows.length, columns.length, extraDimensions(similarity)];
    return { entries: namesOnly(proof, m, n) ? m * n : (m + n + x) * (n + x) };
  },
  check({ pattern, d, similarity }, extended) {
    const { rows, columns, proof } = extended;
    const extra = extraDimensions(similarity);
    const inner = { task: "dimension", similarity: "dot" };
    ensure(similarity === extended.similarity, () => `it is about ${extended.similarity}, not ${similarity}`);
    checkAnswers(inner, proof);
    checkCore(pattern, rows, columns, scopeOf(extended).entries);
    ensure(rows.length > 0 && columns.length > 0, () => "its core is empty");
    const core = pattern.part(rows, columns);
    const empty = core.findIndex((row) => !row.includes(1));
    ensure(empty < 0, () => `row ${rows[empty]} has no 1 in its core`);
    const plain = namesOnly(proof, rows.length, columns.length);
    const about = plain ? core : extendedRows(core, columns.length, extra, d + extra >= 2);
    checkProof(freeQuestion(patternOfRows(about), d + extra), proof);
  },
});

function extraDimensions(similarity) {
  return similarity === "l2" ? 1 : 0;
}

/** Return whether a proof names only the first rows and columns. */
function namesOnly(proof, firstRows, firstColumns) {
  const { rows, columns } = scopeOf(proof);
  return rows.every((i) => i < firstRows) && columns.every((j) => j < firstColumns);
}

/** Return the core, one row for each key alone, and for distances a row and a column for the point at infinity. */
function extendedRows(core, columns, extra, distinct) {
  const widen = (row) => {
    const wider = new Uint8Array(columns + extra);
    wider.set(row);
    return wider;
  };
  const units = Array.from({ length: columns }, (_, a) => {
    const row = new Uint8Array(columns).fill(distinct ? 0 : STAR);
    row[a] = 1;
    return row;
  });
  for (const row of core) {
    units.forEach((unit, a) => {
      if (row[a] === STAR) return;
      for (let b = 0; b < columns; b++) if (row[b] === 1 - row[a]) unit[b] = 0;
    });
  }
  const rows = [...core, ...units].map(widen);
  if (extra) {
    const last = new Uint8Array(columns + 1);
    last[columns] = 1;
    rows.push(last);
  }
  return rows;
}
