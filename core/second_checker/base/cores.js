/* Cores: the rows and columns that a proof of NO is about. */

const LARGEST_CORE = 1 << 22;

/** Refuse a core beyond the pattern, a dimension below the question's, and too many entries to read: by default all of the core. */
function checkScope({ pattern, d }, rows, columns, dimension, entries = rows.length * columns.length) {
  const row = rows.find((i) => i >= pattern.rows);
  ensure(row === undefined, () => `it names row ${row} of ${pattern.rows}`);
  const column = columns.find((j) => j >= pattern.columns);
  ensure(column === undefined, () => `it names column ${column} of ${pattern.columns}`);
  ensure(dimension >= d, () => `it refutes dimension ${dimension}, not ${d}`);
  ensureSmallEnough(entries <= LARGEST_CORE, () => `it reads more than ${LARGEST_CORE} entries: too large to check`);
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
