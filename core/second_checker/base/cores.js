/* Cores: the rows and columns that a proof of NO is about. */

const LARGEST_CORE = 1 << 22;

/** Refuse a core as `checkCore` does, and a dimension below the question's. */
function checkScope(question, rows, columns, dimension, entries) {
  checkCore(question.pattern, rows, columns, entries);
  ensure(dimension >= question.d, () => `it refutes dimension ${dimension}, not ${question.d}`);
}

/** Refuse a core beyond the pattern, and too many entries to read: by default all of the core. */
function checkCore(pattern, rows, columns, entries = rows.length * columns.length) {
  const row = rows.find((i) => i >= pattern.rows);
  ensure(row === undefined, () => `it names row ${row} of ${pattern.rows}`);
  const column = columns.find((j) => j >= pattern.columns);
  ensure(column === undefined, () => `it names column ${column} of ${pattern.columns}`);
  ensureSmallEnough(entries <= LARGEST_CORE, () => `it reads more than ${LARGEST_CORE} entries: too large to check`);
}

/** Return the rows and columns that a proof of NO names, and the number of entries that its check reads. */
function scopeOf(proof) {
  const scope = proof.kind.scope?.(proof) ?? {};
  const { rows = proof.rows ?? [], columns = proof.columns ?? [] } = scope;
  return { rows, columns, entries: scope.entries ?? rows.length * columns.length };
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
