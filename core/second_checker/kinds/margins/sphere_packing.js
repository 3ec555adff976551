/* NO for margins in dimension d: vectors with sums of the others, so far apart that few fit into a ball. */

const MOST_ELEMENTS = 2 ** 12;
const ROOT_SCALE = 2n ** 20n;

defineKind("sphere-packing", {
  answer: "NO",
  task: "margin",
  members: {
    elements: asChoice("rows", "columns"),
    rows: asIndices,
    columns: asIndices,
    weights: asWeights,
    diagonal: asWeights,
    factor: asMatrix,
  },
  form({ elements, rows, columns, weights, diagonal, factor }, place) {
    const others = elements === "rows" ? columns.length : rows.length;
    requireLength(weights, others, `${place}.weights`);
    requireLength(diagonal, others, `${place}.diagonal`);
    requireLength(factor[0], others, `${place}.factor[0]`);
  },
  check({ pattern, numerator, denominator, d }, { elements, rows, columns, weights, diagonal, factor }) {
    checkCore(pattern, rows, columns);
    requireVolumes(d);
    const core = specifiedCore(pattern, rows, columns);
    const lines = elements === "rows" ? core.map((row) => [...row]) : columns.map((_, b) => core.map((row) => row[b]));
    ensureSmallEnough(lines.length <= MOST_ELEMENTS, () => "its elements are too many to check");
    ensure(lines.length >= 2, () => "it has a single element");
    checkSpreadSizes(lines, weights, diagonal, factor);
    const exact = weights.map(BigInt);
    const sums = lines.map((line) => line.reduce((sum, entry, k) => (entry === 1 ? sum + exact[k] : sum), 0n));
    ensure(elements === "columns" || sums.every((sum) => sum === sums[0]), () => "the ones of two rows weigh differently");
    const apart = leastDifference(lines, weights);
    ensure(apart > 0n, () => "two of its elements do not differ");
    checkSpread(lines, exact, diagonal, factor);
    const spread = diagonal.reduce((sum, x) => sum + BigInt(x), 0n);
    ensure(ballsFill(BigInt(lines.length), d, numerator * apart, denominator, spread), () => "its points may lie that far apart");
  },
});

function checkSpreadSizes(lines, weights, diagonal, factor) {
  const most = weights.reduce((high, x) => (BigInt(x) > high ? BigInt(x) : high), 1n);
  const size = BigInt(lines.length) * most;
  checkFormSizes([2n * size * size, most * BigInt(lines[0].length), ...diagonal], factor);
}

/** Return the least weight of the others in which two elements differ. */
function leastDifference(lines, weights) {
  const columns = weights.map((_, k) => lines.map((line) => line[k]));
  let least = null;
  const numbers = weights.map(Number); // sums below 2^53 are exact; else integers
  const isExact = numbers.reduce((sum, x) => sum + x, 0) < 2 ** 53;
  const exact = weights.map(BigInt);
  for (let a = 0; a < lines.length; a++) {
    for (let b = a + 1; b < lines.length; b++) {
      let sum = isExact ? 0 : 0n;
      for (let k = 0; k < columns.length; k++) {
        if (lines[a][k] !== lines[b][k]) sum += isExact ? numbers[k] : exact[k];
      }
      if (least === null || sum < least) least = sum;
    }
  }
  return BigInt(least);
}

/** Refuse a diagonal that does not bound N^2 times the covariance of the lines of weights. */
function checkSpread(lines, exact, diagonal, factor) {
  const size = BigInt(lines.length);
  const gram = gramOf(lines);
  const totals = exact.map((_, k) => BigInt(gram(k, k)));
  const covariance = (x, y) => exact[x] * exact[y] * (size * BigInt(gram(x, y)) - totals[x] * totals[y]);
  const own = diagonal.map((entry, x) => BigInt(entry) - covariance(x, x));
  checkDominance(own, (x, y) => -covariance(x, y), factor);
}

/** Return whether so many points, whose products of differences exceed 2 p / q, have too small a spread. */
function ballsFill(points, d, p, q, spread) {
  if (p <= 0n) return false;
  const top = 4n * spread * (ROOT_SCALE * q) ** 2n;
  const bottom = (p * points) ** 2n;
  const root = leastRoot((top + bottom - 1n) / bottom);
  const [e, f] = [BigInt(d), BigInt(d + 4)];
  // (2 points / (d + 2))^2 >= ((d + 2) / (2 d) (root / ROOT_SCALE + 2 d / (d + 4)))^d
  const least = (e + 2n) * (root * f + 2n * e * ROOT_SCALE);
  const below = 2n * e * ROOT_SCALE * f;
  return (2n * points) ** 2n * below ** e >= least ** e * (e + 2n) ** 2n;
}

/** Return the least positive integer whose square is at least n. */
function leastRoot(n) {
  if (n <= 1n) return 1n;
  let root = 1n << BigInt(Math.ceil(n.toString(2).length / 2));
  for (;;) {
    const next = (root + n / root) / 2n;
    if (next >= root) break; // the root, rounded down
    root = next;
  }
  return root * root < n ? root + 1n : root;
}
