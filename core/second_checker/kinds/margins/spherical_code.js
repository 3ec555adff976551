/* NO for margins in dimension d: rows that cross pairwise, around whose queries too many caps would lie on a sphere. */

const MOST_POINTS = 2 ** 12;
const TERMS = 64;

defineKind("spherical-code", {
  answer: "NO",
  task: "margin",
  members: { rows: asIndices, columns: asIndices, signs: asVector },
  form({ rows, signs }, place) {
    requireLength(signs, rows.length, `${place}.signs`);
    if (!signs.every((sign) => sign === 1 || sign === 0 || sign === -1)) {
      throw new Unreadable(`${place}.signs must be 1, 0 or -1`);
    }
  },
  check({ pattern, numerator, denominator, d }, { rows, columns, signs }) {
    checkCore(pattern, rows, columns);
    requireVolumes(d);
    const points = codePoints(pattern.part(rows, columns), signs);
    ensureSmallEnough(points.length <= MOST_POINTS, () => "its points are too many to check");
    ensure(points.length >= 2, () => "it has a single point");
    points.forEach((one, a) => {
      for (const other of points.slice(a + 1)) {
        ensure((one.ones & other.zeros) !== 0n && (one.zeros & other.ones) !== 0n, () => `point ${a} of its code does not cross another one`);
      }
    });
    ensure(capsCover(points.length, d, numerator, denominator), () => "its points may lie that far apart");
  },
});

/** Refuse bounds on a margin in a dimension without a dimension, or in too large a one. */
function requireVolumes(d) {
  ensure(d !== null, () => "it is about a dimension, which the question does not state");
  ensureSmallEnough(d <= 2 ** 10, () => `dimension ${d} is too large to check`);
}

/** Return the columns of the ones and of the zeros of each point, as bits. */
function codePoints(core, signs) {
  const maskOf = (row, value) => BigInt(`0b0${Array.from(row, (entry) => Number(entry === value)).join("")}`);
  const halves = core.map((row) => ({ ones: maskOf(row, 1), zeros: maskOf(row, 0) }));
  const turned = halves.map(({ ones, zeros }) => ({ ones: zeros, zeros: ones }));
  return [...halves.filter((_, x) => signs[x] >= 0), ...turned.filter((_, x) => signs[x] <= 0)];
}

/** Return whether so many caps of angular radius arcsin(p / q) have at least the measure of the sphere. */
function capsCover(points, d, p, q) {
  if (d === 1) return points > 2;
  let [top, bottom] = d % 2 ? [2n, 1n] : [355n, 113n]; // of the sphere
  for (let factor = 2 + (d % 2); factor <= d - 2; factor += 2) {
    top *= BigInt(factor - 1);
    bottom *= BigInt(factor);
  }
  let [sum, under] = [0n, 1n]; // the series, over 4^(TERMS - 1) q^(2 (TERMS - 1))
  let binomial = 1n;
  for (let k = 0; k < TERMS; k++) {
    const rest = BigInt(TERMS - 1 - k);
    const term = binomial * p ** BigInt(2 * k) * (4n * q * q) ** rest;
    const divisor = BigInt(d - 1 + 2 * k);
    sum = sum * divisor + term * under;
    under *= divisor;
    binomial = (binomial * BigInt(2 * (2 * k + 1))) / BigInt(k + 1);
  }
  const cap = sum * p ** BigInt(d - 1);
  const whole = under * (4n * q * q) ** BigInt(TERMS - 1) * q ** BigInt(d - 1);
  return BigInt(points) * cap * bottom >= top * whole;
}
