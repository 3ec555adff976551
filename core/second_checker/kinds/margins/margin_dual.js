/* NO for margins: weights of the entries whose matrix has a small norm, shown by a positive semidefinite matrix. */

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
    checkFormSizes([...weights.flat(), ...row_diagonal, ...column_diagonal], factor);
    const signed = signedWeights(pattern.part(rows, columns), weights);
    const diagonal = [...row_diagonal, ...column_diagonal].map(BigInt);
    const r = signed.length;
    checkDominance(diagonal, (x, y) => (x < r && y >= r ? -signed[x][y - r] : 0n), factor);
    const total = signed.flat().reduce((sum, x) => sum + (x < 0n ? -x : x), 0n);
    ensure(total > 0n, () => "its weights are all 0");
    const trace = diagonal.reduce((sum, x) => sum + x, 0n);
    ensure(denominator * trace <= 2n * total * numerator, () => "its diagonal is too large for this margin");
  },
});

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
