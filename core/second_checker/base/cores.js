/* Cores: the rows and columns that a proof of NO is about. */

const LARGEST_CORE = 1 << 22;

/** Refuse a core beyond the pattern, a dimension below the question's, and a core too large to check. */
function checkScope({ pattern, d }, rows, columns, dimension) {
  const row = rows.find((i) => i >= pattern.rows);
  ensure(row === undefined, () => `it names row ${row} of ${pattern.rows}`);
  const column = columns.find((j) => j >= pattern.columns);
  ensure(column === undefined, () => `it names column ${column} of ${pattern.columns}`);
  ensure(dimension >= d, () => `it refutes dimension ${dimension}, not ${d}`);
  ensureSmallEnough(rows.length * columns.length <= LARGEST_CORE, () => `its core has more than ${LARGEST_CORE} entries: too large to check`);
}

/** Return the core's entries, one array a row, all of which must be specified. */
function specifiedCore(pattern, rows, columns) {
  const core = pattern.part(rows, columns);
  core.forEach((row, k) => {
    const star = row.indexOf(STAR);
    ensure(star < 0, () => `entry (${rows[k]}, ${columns[star]}) is a don't-care`);
  });
  return core;
}
