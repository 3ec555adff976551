/* Exact inner products of the columns of a matrix of integers. */

const PIECE = 2 ** 20; // products of smaller integers, 2^13 of them, add up without rounding

/** Return a function of two column numbers, whose value is their inner product: a number if it is small, or a BigInt. */
function gramOf(rows) {
  const columns = rows[0].map((_, b) => rows.map((row) => row[b]));
  const size = rows.reduce((most, row) => row.reduce((high, x) => Math.max(high, Math.abs(Number(x))), most), 0);
  if (size * size * rows.length < 2 ** 53) return gramOfNumbers(columns);
  if (size < PIECE ** 2 && rows.length <= 2 ** 12) return gramOfPieces(columns);
  return gramOfIntegers(columns);
}

/** Return the inner product of two typed arrays, no sum of which rounds. */
function dotOfNumbers(one, two) {
  let sum = 0;
  for (let k = 0; k < one.length; k++) sum += one[k] * two[k];
  return sum;
}

function gramOfNumbers(columns) {
  const typed = columns.map((column) => Float64Array.from(column, Number));
  return (a, b) => dotOfNumbers(typed[a], typed[b]);
}

/** Split integers below 2^40 into two pieces, which double precision multiplies and adds exactly. */
function gramOfPieces(columns) {
  const high = columns.map((column) => Float64Array.from(column, (x) => Math.floor(x / PIECE)));
  const low = columns.map((column, b) => Float64Array.from(column, (x, k) => x - high[b][k] * PIECE));
  const unit = BigInt(PIECE);
  return (a, b) => {
    const mixed = dotOfNumbers(high[a], low[b]) + dotOfNumbers(low[a], high[b]);
    const top = BigInt(dotOfNumbers(high[a], high[b]));
    return (top * unit + BigInt(mixed)) * unit + BigInt(dotOfNumbers(low[a], low[b]));
  };
}

function gramOfIntegers(columns) {
  const exact = columns.map((column) => column.map(BigInt));
  return (a, b) => exact[a].reduce((sum, entry, k) => sum + entry * exact[b][k], 0n);
}
