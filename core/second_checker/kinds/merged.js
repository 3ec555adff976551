/* YES: the proof of a smaller pattern, in which equal lines and complementary rows are merged. */

defineKind("merged", {
  answer: "YES",
  members: {
    rows: asNumbers,
    columns: asNumbers,
    row_of: (value, place, depth) => asNumbers(value, place, depth, -1),
    flipped: asNumbers,
    column_of: asNumbers,
    proof: asWitness,
  },
  check(question, merged) {
    const { pattern } = question;
    ensureFree(question);
    ensureSmall(pattern);
    checkNames(pattern, merged);
    const flips = new Uint8Array(pattern.rows);
    for (const i of merged.flipped) flips[i] = 1;
    checkEqualRows(pattern, merged, flips);
    checkEqualColumns(pattern, merged);
    checkInner(merged.proof, mergedRows(pattern, merged, flips), question.d);
  },
});

function checkNames({ rows: m, columns: n }, { rows, columns, row_of, flipped, column_of }) {
  ensure(row_of.length === m && column_of.length === n, () => `it merges ${row_of.length} x ${column_of.length} entries, not ${m} x ${n}`);
  const below = (list, bound, name) => ensure(list.every((x) => x < bound), () => `${name} names more than ${bound}`);
  below(rows, m, "rows");
  below(flipped, m, "flipped");
  below(columns, n, "columns");
  below(row_of, rows.length, "row_of");
  below(column_of, columns.length, "column_of");
  ensure(rows.every((i, a) => row_of[i] === a), () => "rows and row_of do not agree");
  ensure(columns.every((j, b) => column_of[j] === b), () => "columns and column_of do not agree");
}

/** Refuse rows that differ from the row that stands for them, or its complement. */
function checkEqualRows(pattern, { rows, row_of }, flips) {
  const line = new Uint8Array(pattern.columns);
  const other = new Uint8Array(pattern.columns);
  for (let i = 0; i < pattern.rows; i++) {
    pattern.row(i, line);
    if (row_of[i] < 0) {
      ensure(!line.includes(0), () => `row ${i} has a 0 and is left out`);
      continue;
    }
    const representative = rows[row_of[i]];
    if (representative === i) continue;
    pattern.row(representative, other);
    const expected = flips[i] === flips[representative] ? other : complement(other);
    ensure(line.every((entry, j) => entry === expected[j]), () => `row ${i} is not row ${representative}, or its complement`);
  }
}

function complement(row) {
  return row.map((entry) => (entry === STAR ? STAR : 1 - entry));
}

function checkEqualColumns(pattern, { rows, columns, column_of }) {
  const line = new Uint8Array(pattern.columns);
  for (const i of rows) {
    pattern.row(i, line);
    for (let j = 0; j < line.length; j++) {
      const k = columns[column_of[j]];
      ensure(line[j] === line[k], () => `columns ${j} and ${k} differ in row ${i}`);
    }
  }
}

function mergedRows(pattern, { rows, columns }, flips) {
  return pattern.part(rows, columns).map((row, a) => (flips[rows[a]] ? complement(row) : row));
}

/** Refuse a proof that does not hold for these rows and the free question in d. */
function checkInner(proof, rows, d) {
  const empty = rows.findIndex((row) => !row.includes(1));
  ensure(rows.length > 0 && empty < 0, () => `row ${empty} of the smaller pattern has no 1`);
  checkProof(freeQuestion(patternOfRows(rows), d), proof);
}
