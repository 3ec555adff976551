/* NO for fits: so few points are cut off from n others in so many ways that rows must be wrong. */

const MOST_PARTS = 2 ** 13;

defineKind("k-sets", {
  answer: "NO",
  task: "fit",
  similarities: SIMILARITIES,
  members: { parts: asListOf(asRecord({ rows: asIndices, columns: asIndices })) },
  check({ pattern, d, wrong, unit, similarity, at }, { parts }) {
    checkParts(pattern, unit, parts);
    let least = 0; // wrong items
    for (const { rows, columns } of parts) {
      least += rows.length - (at === null ? rightInSplits(pattern, rows, columns, d, similarity) : rightAt(at, pattern, rows, columns, d, similarity));
    }
    ensure(least > wrong, () => `it shows ${least} wrong ${unit}, not more than ${wrong}`);
  },
});

function rightInSplits(pattern, rows, columns, d, similarity) {
  const core = specifiedCore(pattern, rows, columns);
  return mostRight(multiplicities(core), columns.length, limitsOfSplits(columns.length, d, similarity));
}

/** Refuse parts that are too large or too many, or that share what is counted. */
function checkParts(pattern, unit, parts) {
  ensureSmallEnough(parts.length <= MOST_PARTS, () => `it has more than ${MOST_PARTS} parts: too large to check`);
  const entries = parts.reduce((sum, { rows, columns }) => sum + rows.length * columns.length, 0);
  for (const { rows, columns } of parts) checkCore(pattern, rows, columns, entries);
  checkDisjoint(pattern, unit, parts);
}

function checkDisjoint(pattern, unit, parts) {
  const seen = new Set();
  const visit = (item) => {
    ensure(!seen.has(item), () => `two parts share one of the ${unit}`);
    seen.add(item);
  };
  for (const { rows, columns } of parts) {
    for (const i of rows) {
      if (unit === "rows") visit(i);
      else for (const j of columns) visit(i * pattern.columns + j);
    }
  }
}

/** Return [multiplicity, size] of the different splits that rows make. */
function multiplicities(core) {
  const found = new Map();
  for (const row of core) {
    const split = row[0] === 1 ? complement(row) : row;
    const name = split.join("");
    if (!found.has(name)) {
      const ones = split.reduce((sum, entry) => sum + entry, 0);
      found.set(name, { count: 0, size: Math.min(ones, row.length - ones) });
    }
    found.get(name).count++;
  }
  return [...found.values()];
}

/** Return records { first, last, most }: at most so many splits have sizes from first to last. */
function limitsOfSplits(n, d, similarity) {
  const dimension = dimensionOfSplits(d, similarity);
  const half = n / 2;
  const below = span(1, Math.ceil(half) - 1); // the sizes k with 1 <= k < n/2
  const limits = [{ first: 1, last: half, most: countRegions(n - 1, dimension) }];
  const limit = (first, last, most) => {
    if (last >= 1) limits.push({ first, last, most });
  };
  if (dimension === 1) {
    for (const k of below) limit(k, k, 2);
    if (n % 2 === 0) limit(half, half, 1);
  } else if (dimension === 2 && similarity !== "dot") {
    for (const k of below) limit(k, k, n);
    if (n % 2 === 0) limit(half, half, half);
  } else if (dimension === 2) {
    for (const k of below) limit(1, k, k * n);
    if (n >= 5) limit(2, 2, Math.floor((3 * n) / 2));
  } else if (dimension === 3) {
    let sum = 0;
    for (let k = 1; k <= half - 1; k++) {
      sum += 2 * k * (n - k) - n + 2;
      limit(1, k, sum);
    }
    if (n >= 6) limit(2, 2, 3 * n - 6);
  }
  return limits;
}

/** Return C(n, 1) + .. + C(n, min(d, n)), or any number beyond all cores if the sum is. */
function countRegions(n, d) {
  let sum = 0;
  let binomial = 1;
  for (let k = 1; k <= Math.min(d, n) && sum <= LARGEST_CORE; k++) {
    binomial = (binomial * (n - k + 1)) / k; // exact: below 2^23 times n
    sum += binomial;
  }
  return sum;
}

/** Return the most rows that make splits within the limits, whose ranges are nested or disjoint: greedily. */
function mostRight(splits, n, allLimits) {
  const limits = allLimits.filter(({ most }) => most < splits.length);
  const left = limits.map(({ most }) => most);
  const limitsOf = Array.from({ length: Math.floor(n / 2) + 1 }, () => []);
  limits.forEach(({ first, last }, t) => {
    for (let size = first; size <= last; size++) limitsOf[size].push(t);
  });
  let right = 0;
  for (const { count, size } of splits.sort((a, b) => b.count - a.count)) {
    const all = limitsOf[size];
    if (!all.every((t) => left[t] > 0)) continue;
    for (const t of all) left[t]--;
    right += count;
  }
  return right;
}
