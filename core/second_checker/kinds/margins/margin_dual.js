/* NO for margins: weights of the entries whose matrix has a small norm, shown by a positive semidefinite matrix. */

const MOST_GRAM_PRODUCTS = 2 ** 30;
const FIRST_TOO_LARGE = 2n ** 60n;

defineKind("margin-dual", {
  answer: "NO",
  task: "margin",
  members: {
    rows: asIndices,
    columns: asIndices,
    weights: asMatrix,
    row_diagonal: asWeights,
    column_diagonal: asWeights,
    factor: asMatrix,
  },
  form({ rows, columns, weights, row_diagonal, column_diagonal, factor }, place) {
    const [r, c] = [rows.length, columns.length];
    requireLength(weights, r, `${place}.weights`);
    requireLength(weights[0], c, `${place}.weights[0]`);
    requireLength(row_diagonal, r, `${place}.row_diagonal`);
    requireLength(column_diagonal, c, `${place}.column_diagonal`);
    requireLength(factor[0], r + c, `${place}.factor[0]`);
  },
  check({ pattern, numerator, denominator }, { rows, columns, weights, row_diagonal, column_diagonal, factor }) {
    checkCore(pattern, rows, columns);
    checkNumberSizes([...weights, row_diagonal, column_diagonal], factor);
    const signed = signedWeights(pattern.part(rows, columns), weights);
    const diagonal = [...row_diagonal, ...column_diagonal].map(BigInt);
    checkDominance(diagonal, signed, factor);
    const total = signed.flat().reduce((sum, x) => sum + (x < 0n ? -x : x), 0n);
    ensure(total > 0n, () => "its weights are all 0");
    const trace = diagonal.reduce((sum, x) => sum + x, 0n);
    ensure(denominator * trace <= 2n * total * numerator, () => "its diagonal is too large for this margin");
  },
});

function checkNumberSizes(lines, factor) {
  const small = (x) => BigInt(x) < FIRST_TOO_LARGE;
  const height = BigInt(factor.length);
  ensureSmallEnough(
    lines.every((line) => line.every(small)) && factor.every((line) => line.every((x) => small(height * BigInt(x) ** 2n))),
    () => "its numbers are too large to check",
  );
  ensureSmallEnough(factor.length * factor[0].length ** 2 <= MOST_GRAM_PRODUCTS, () => "its factor is too large to check");
}

/** Return the weights with the signs of the entries; refuse negative ones, some at don't-cares, and rows that do not add up to 0. */
function signedWeights(core, weights) {
  return core.map((row, x) => {
    const signed = weights[x].map((weight, y) => {
      const exact = BigInt(weight);
      ensure(exact >= 0n && (exact === 0n || row[y] !== STAR), () => `the weight of entry (${x}, ${y}) of its core is negative, or of a don't-care`);
      return row[y] === 1 ? exact : -exact;
    });
    ensure(signed.reduce((sum, weight) => sum + weight, 0n) === 0n, () => `the weights of row ${x} of its core do not add up to 0`);
    return signed;
  });
}

/** Refuse a rest [diag(a), -M; -M^T, diag(b)] - F^T F that is not diagonally dominant. */
function checkDominance(diagonal, signed, factor) {
  const size = diagonal.length;
  const r = signed.length;
  const gram = gramOf(factor);
  const others = diagonal.map(() => 0n); // sums of absolute values beside the diagonal
  const rest = (x, y) => (x < r && y >= r ? -signed[x][y - r] : 0n) - BigInt(gram(x, y));
  for (let x = 0; x < size; x++) {
    for (let y = x + 1; y < size; y++) {
      const found = rest(x, y);
      const absolute = found < 0n ? -found : found;
      others[x] += absolute;
      others[y] += absolute;
    }
  }
  diagonal.forEach((entry, x) => {
    ensure(entry - BigInt(gram(x, x)) >= others[x], () => `line ${x} of its rest is not dominated by the diagonal`);
  });
}
