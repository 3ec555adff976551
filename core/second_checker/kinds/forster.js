/* NO: a matrix with the signs of the core whose norm is too small. */

const MOST_PRODUCTS = 2 ** 28;

defineKind("forster", {
  answer: "NO",
  members: {
    d: asWhole,
    rows: asIndices,
    columns: asIndices,
    row_weights: asWeights,
    column_weights: asWeights,
    matrix: asMatrix,
    padding: asMatrixOrEmpty,
  },
  form({ rows, columns, row_weights, column_weights, matrix, padding }, place) {
    const [u, c] = [rows.length + 1, columns.length];
    requireLength(row_weights, u, `${place}.row_weights`);
    requireLength(column_weights, c, `${place}.column_weights`);
    requireLength(matrix, u, `${place}.matrix`);
    requireLength(matrix[0], c, `${place}.matrix[0]`);
    if (padding.length) requireLength(padding[0], Math.min(u, c), `${place}.padding[0]`);
  },
  check(question, proof) {
    const { d, rows, columns, matrix, padding } = proof;
    checkScope(question, rows, columns, d);
    const [x, y] = [proof.row_weights.map(BigInt), proof.column_weights.map(BigInt)];
    const core = [new Uint8Array(columns.length).fill(1), ...question.pattern.part(rows, columns)];
    const unspecified = checkEntries(core, x, y, matrix);
    const squares = (weights) => weights.reduce((sum, weight) => sum + weight * weight, 0n);
    const total = squares(x) * squares(y);
    const r = BigInt(d) + 1n;
    const excess = total - r * unspecified;
    ensure(excess > 0n, () => "too many entries are don't-cares");
    const high = matrix.length >= columns.length;
    const upright = high ? matrix : columns.map((_, b) => matrix.map((row) => row[b]));
    const norm = squaredNormBound([...upright, ...padding]);
    ensure(excess * excess > r * r * total * norm, () => `the norm of its matrix is not small enough to refute d = ${d}`);
  },
});

/** Refuse entries of wrong sign or too small; return the sum of x^2 y^2 over the don't-cares. */
function checkEntries(core, x, y, matrix) {
  let unspecified = 0n;
  core.forEach((row, a) => {
    row.forEach((entry, b) => {
      const found = BigInt(matrix[a][b]);
      const least = x[a] * y[b];
      if (entry === STAR) {
        ensure(found === 0n, () => `entry (${a}, ${b}) of its matrix is a don't-care, not 0`);
        unspecified += least * least;
      } else {
        ensure((entry === 1 ? found : -found) >= least, () => `entry (${a}, ${b}) of its matrix is too small`);
      }
    });
  });
  return unspecified;
}

/** Return the largest absolute row sum of Z^T Z, which is at least the square of Z's norm. */
function squaredNormBound(rows) {
  const width = rows[0].length;
  ensureSmallEnough(rows.length * width * width <= MOST_PRODUCTS, () => "its matrix is too large to check");
  const gram = gramOf(rows);
  let largest = 0n;
  for (let a = 0; a < width; a++) {
    let sum = 0n;
    for (let b = 0; b < width; b++) {
      const product = BigInt(gram(a, b));
      sum += product < 0n ? -product : product;
    }
    if (sum > largest) largest = sum;
  }
  return largest;
}
