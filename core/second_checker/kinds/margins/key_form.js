/* NO for margins: weights for which the thresholds cancel, and a form in the keys that bounds the remaining sums. */

defineKind("key-form", {
  answer: "NO",
  task: "margin",
  members: { rows: asIndices, columns: asIndices, weights: asMatrix, diagonal: asWeights, factor: asMatrix },
  form({ rows, columns, weights, diagonal, factor }, place) {
    requireLength(weights, rows.length, `${place}.weights`);
    requireLength(weights[0], columns.length, `${place}.weights[0]`);
    requireLength(diagonal, columns.length, `${place}.diagonal`);
    requireLength(factor[0], columns.length, `${place}.factor[0]`);
  },
  check({ pattern, numerator, denominator }, { rows, columns, weights, diagonal, factor }) {
    checkCore(pattern, rows, columns);
    const flat = weights.flat().map(BigInt);
    const most = flat.reduce((high, x) => (x > high ? x : -x > high ? -x : high), 0n);
    checkFormSizes([...diagonal, most * most * BigInt(rows.length)], factor);
    const signed = signedWeights(pattern.part(rows, columns), weights);
    const gram = gramOf(signed.map((row) => row.map(safest)));
    const own = diagonal.map((b, x) => BigInt(b) - BigInt(gram(x, x)));
    checkDominance(own, (x, y) => -BigInt(gram(x, y)), factor);
    const sum = (numbers) => numbers.reduce((total, x) => total + BigInt(x), 0n);
    const squares = weights.reduce((total, row) => total + sum(row) ** 2n, 0n);
    ensure(squares > 0n, () => "its weights are all 0");
    ensure(denominator ** 2n * sum(diagonal) <= squares * numerator ** 2n, () => "its diagonal is too large for this margin");
  },
});
