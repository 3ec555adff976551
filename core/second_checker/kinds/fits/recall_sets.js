/* NO for mean recalls: rows have more than K ones, or so few sets of keys are cut off that rows must miss ones. */

defineKind("recall-sets", {
  answer: "NO",
  task: "recall",
  similarities: SIMILARITIES,
  members: { parts: asListOf(asRecord({ rows: asIndices, columns: asIndices })) },
  check({ pattern, d, at, numerator, denominator, similarity }, { parts }) {
    checkParts(pattern, "rows", parts);
    const totals = onesOfRows(pattern);
    const unit = leastMultiple(totals);
    const counted = new Set(parts.flatMap(({ rows }) => rows));
    const others = totals.filter((_, i) => !counted.has(i));
    let lost = others.reduce((sum, total) => sum + lostAnyway(total, at, unit), 0n); // in 1 / unit
    for (const { rows, columns } of parts) {
      lost += lostInPart(linesAt(at, pattern, rows, columns), { n: columns.length, at, d, similarity, unit });
    }
    const all = BigInt(pattern.rows) * unit;
    ensure((all - lost) * denominator <= numerator * all, () => "it does not show that the mean recall is so small");
  },
});

function onesOfRows(pattern) {
  return Array.from({ length: pattern.rows }, (_, i) => pattern.ones.row(i).length);
}

/** Return the least common multiple of numbers of ones. */
function leastMultiple(totals) {
  const divisor = (a, b) => (b === 0n ? a : divisor(b, a % b));
  return [...new Set(totals)].map(BigInt).reduce((unit, total) => (unit / divisor(unit, total)) * total, 1n);
}

/** Return what a row loses that has more than K ones, in 1 / unit. */
function lostAnyway(total, at, unit) {
  return total > at ? (BigInt(total - at) * unit) / BigInt(total) : 0n;
}

/** Return a lower bound on what the rows of a part lose together, in 1 / unit. */
function lostInPart(lines, { n, at, d, similarity, unit }) {
  const weightOf = ({ total }) => unit / BigInt(total);
  const possible = lines.filter(({ room }) => room >= 0);
  const weight = possible.reduce((sum, line) => sum + weightOf(line), 0n);
  const anyway = lines.reduce((sum, { total }) => sum + lostAnyway(total, at, unit), 0n);
  const lost = anyway + weight - weightAt(possible, weightOf, n, d, similarity);
  if (dimensionOfSplits(d, similarity) > 1) return lost;
  const onLine = n <= MOST_ORDERED ? lostInOrders(lines, n, at, weightOf) : lostBetweenEnds(lines, n, at, weightOf);
  return lost > onLine ? lost : onLine;
}

/** Return the least loss over all orders of n keys on a line. */
function lostInOrders(lines, n, at, weightOf) {
  const groups = new Map();
  for (const line of lines) {
    const name = `${line.row.join("")} ${line.total}`;
    if (!groups.has(name)) groups.set(name, { ...line, weight: 0n });
    groups.get(name).weight += weightOf(line);
  }
  let least = null;
  for (const order of ordersOf(n)) {
    let lost = 0n;
    for (const { row, ones, total, weight } of groups.values()) {
      const found = Math.max(foundFirst(row, order, total - ones.length, at), foundFirst(row, [...order].reverse(), total - ones.length, at));
      lost += weight * BigInt(total - found);
    }
    if (least === null || lost < least) least = lost;
  }
  return least;
}

/** Return how many ones can be among the first K: those before a cut of the order, and all elsewhere. */
function foundFirst(row, order, elsewhere, at) {
  let most = Math.min(elsewhere, at);
  let ones = 0;
  let zeros = 0;
  for (const j of order) {
    if (row[j] === 1) ones++;
    if (row[j] === 0) zeros++;
    most = Math.max(most, Math.min(ones + elsewhere, at - zeros));
  }
  return most;
}

/** Return what the rows lose at the keys that are far from both ends of a line, for the best choice of these keys. */
function lostBetweenEnds(lines, n, at, weightOf) {
  const stars = lines.reduce((most, { row }) => Math.max(most, columnsOf(row, STAR).length), 0);
  const degrees = Array.from({ length: n }, () => 0n);
  for (const line of lines) for (const j of line.ones) degrees[j] += weightOf(line);
  const ascending = degrees.sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  return ascending.slice(0, Math.max(0, n - 2 * (at + stars))).reduce((sum, degree) => sum + degree, 0n);
}
