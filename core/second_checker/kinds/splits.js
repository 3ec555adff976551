/* NO: the rows of a core split its columns in too many ways, or its columns are of too many kinds. */

defineKind("radon", {
  answer: "NO",
  members: { rows: asIndices, columns: asIndices },
  check(question, { rows, columns }) {
    checkScope(question, rows, columns, columns.length - 2);
    const splits = countSplits(specifiedCore(question.pattern, rows, columns));
    const all = 2 ** (columns.length - 1) - 1;
    ensure(splits === all, () => `its rows split the columns in ${splits} ways, not in all ${all}`);
  },
});

defineKind("shattering", {
  answer: "NO",
  members: { rows: asIndices, columns: asIndices },
  check(question, { rows, columns }) {
    checkScope(question, rows, columns, rows.length - 1);
    const core = specifiedCore(question.pattern, rows, columns);
    const found = new Set(columns.map((_, b) => core.map((row) => row[b]).join("")));
    const all = 2 ** rows.length;
    ensure(found.size === all, () => `its columns are of ${found.size} kinds, not of all ${all}`);
  },
});

defineKind("counting", {
  answer: "NO",
  members: { d: asWhole, rows: asIndices, columns: asIndices },
  check(question, { d, rows, columns }) {
    checkScope(question, rows, columns, d);
    ensure(columns.length >= 1, () => "its core has no columns");
    const splits = countSplits(specifiedCore(question.pattern, rows, columns));
    ensure(exceedsRegions(splits + 1, columns.length - 1, d), () => `${splits} splits and the trivial one are possible in dimension ${d}`);
  },
});

/** Count the ways in which rows split the columns into two nonempty parts. */
function countSplits(core) {
  const found = new Set();
  for (const row of core) {
    const split = row[0] === 1 ? row.map((entry) => 1 - entry) : row;
    if (split.includes(1)) found.add(split.join(""));
  }
  return found.size;
}

/** Return whether count > C(n, 0) + .. + C(n, d). The sum ends where it is large enough. */
function exceedsRegions(count, n, d) {
  let sum = 0n;
  let binomial = 1n;
  for (let k = 0; k <= Math.min(d, n); k++) {
    sum += binomial;
    if (sum >= BigInt(count)) return false;
    binomial = (binomial * BigInt(n - k)) / BigInt(k + 1);
  }
  return true;
}
