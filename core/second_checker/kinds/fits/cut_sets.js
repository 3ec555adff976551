/* How many rows can be right at K: their ones lie in sets of S keys that are cut off, and these are few. */

const MOST_ORDERED = 7; // columns, of which all orders are tried
const MOST_SAMPLED = 64; // keys of a cut set

/** Return the rows of a part as { row, ones, total, room }: the ones in all columns, and K less these. */
function linesAt(at, pattern, rows, columns) {
  return pattern.part(rows, columns).map((row, a) => {
    const total = pattern.ones.row(rows[a]).length;
    return { row, ones: columnsOf(row, 1), total, room: at - total };
  });
}

/** Return a limit on the number of rows that are right at K, by their entries in some columns. */
function rightAt(at, pattern, rows, columns, d, similarity) {
  const possible = linesAt(at, pattern, rows, columns).filter(({ room }) => room >= 0);
  if (dimensionOfSplits(d, similarity) === 1 && columns.length <= MOST_ORDERED) return rightInOrders(possible, columns.length);
  return Number(weightAt(possible, () => 1n, columns.length, d, similarity));
}

function dimensionOfSplits(d, similarity) {
  return similarity === "l2" ? d + 1 : d;
}

/** Return a limit on the weight of the rows that are right at K, none of which has more than K ones. */
function weightAt(lines, weightOf, n, d, similarity) {
  const most = ({ row, ones, room }) => ones.length + columnsOf(row, STAR).length + room;
  const isBound = (line) => line.ones.length > 0 && most(line) < n;
  const bound = lines.filter(isBound);
  let right = lines.filter((line) => !isBound(line)).reduce((sum, line) => sum + weightOf(line), 0n);
  if (bound.length === 0) return right;
  const cut = bound.reduce((largest, line) => Math.max(largest, most(line)), 0);
  const limitOf = (points, size) => limitOfSets(points, size, d, similarity);
  const bySize = new Map();
  for (const line of bound) {
    const { ones } = line;
    if (!bySize.has(ones.length)) bySize.set(ones.length, new Map());
    const weights = bySize.get(ones.length);
    const name = ones.join();
    if (!weights.has(name)) weights.set(name, { ones, weight: 0n });
    weights.get(name).weight += weightOf(line);
  }
  const samples = dimensionOfSplits(d, similarity) > 1 && cut <= MOST_SAMPLED;
  for (const [size, weights] of bySize) {
    right += weightOfSize([...weights.values()], { size, n, cut, rows: bound.length, samples, limitOf });
  }
  return right;
}

/** Return a limit on the weight of the right rows with so many ones, whose different sets of ones have weights. */
function weightOfSize(sets, { size, n, cut, rows, samples, limitOf }) {
  const enough = BigInt(rows);
  const cutSets = limitOf(n, cut);
  let most = smaller(enough, cutSets * chooseUpTo(cut, size, rows));
  if (cut === size) most = smaller(most, cutSets);
  else if (samples) {
    const all = falling(n, cut);
    const last = Math.min(n - 1, n - cut + size, 2 * rows); // larger samples have limits of at least u / 2
    for (let u = size + 1; u <= last; u++) {
      most = smaller(most, (limitOf(u, size) * all) / (falling(u, size) * falling(n - u, cut - size)));
    }
  }
  const right = sumOfLargest(sets.map(({ weight }) => weight), most);
  const byKey = Array.from({ length: n }, () => []);
  for (const { ones, weight } of sets) for (const j of ones) byKey[j].push(weight);
  const shares = byKey.map((weights) => sumOfLargest(weights, chooseUpTo(cut - 1, size - 1, rows)));
  const inCutSet = sumOfLargest(shares, BigInt(cut)) / BigInt(size);
  return smaller(right, cutSets * inCutSet);
}

function smaller(a, b) {
  return a < b ? a : b;
}

/** Return a limit on the number of sets of k of n points that are cut off, 1 <= k < n. */
function limitOfSets(n, k, d, similarity) {
  const size = Math.min(k, n - k);
  const sides = 2 * k === n ? 2 : 1;
  let most = Infinity;
  for (const limit of limitsOfSplits(n, d, similarity)) {
    if (limit.first <= size && size <= limit.last) most = Math.min(most, limit.most);
  }
  return BigInt(sides * most);
}

function sumOfLargest(numbers, count) {
  const descending = [...numbers].sort((a, b) => (a < b ? 1 : a > b ? -1 : 0));
  return descending.slice(0, Number(count)).reduce((sum, number) => sum + number, 0n);
}

function falling(n, count) {
  let product = 1n;
  for (let k = 0; k < count; k++) product *= BigInt(n - k);
  return product;
}

/** Return n choose k, or a smaller number of at least `enough`. */
function chooseUpTo(n, k, enough) {
  let product = 1;
  for (let a = 1; a <= Math.min(k, n - k) && product < enough; a++) product = (product * (n - a + 1)) / a;
  return BigInt(product);
}

/** Return the most rows that are right in one order of n keys on a line. */
function rightInOrders(lines, n) {
  const groups = new Map();
  for (const { row, room } of lines) {
    const name = `${row.join("")} ${Math.min(room, n)}`;
    if (!groups.has(name)) groups.set(name, { row, room, count: 0 });
    groups.get(name).count++;
  }
  let best = 0;
  for (const order of ordersOf(n)) {
    let right = 0;
    for (const { row, room, count } of groups.values()) {
      if (zerosBefore(row, order, 1) <= room || zerosBefore(row, order, -1) <= room) right += count;
    }
    best = Math.max(best, right);
  }
  return best;
}

const knownOrders = new Map();

/** Return all orders of 0, .., n - 1. */
function ordersOf(n) {
  if (!knownOrders.has(n)) {
    const last = n - 1;
    const orders = n === 0 ? [[]] : ordersOf(last).flatMap((order) => span(0, last).map((at) => [...order.slice(0, at), last, ...order.slice(at)]));
    knownOrders.set(n, orders);
  }
  return knownOrders.get(n);
}

/** Return the number of zeros before the last one, in the order or (direction -1) in reverse. */
function zerosBefore(row, order, direction) {
  let zeros = 0;
  let before = 0;
  const last = order.length - 1;
  for (let a = 0; a <= last; a++) {
    const entry = row[order[direction > 0 ? a : last - a]];
    if (entry === 0) zeros++;
    if (entry === 1) before = zeros;
  }
  return before;
}
