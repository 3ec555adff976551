/* YES: queries, keys and thresholds in integers. */

const MOST_ENTRIES = 2 ** 33;

const EMBEDDING = defineKind("embedding", {
  answer: "YES",
  members: { queries: asMatrix, keys: asMatrix, thresholds: asVector },
  form({ queries, keys, thresholds }, place) {
    if (queries[0].length !== keys[0].length) throw new Unreadable(`${place}: queries and keys differ in dimension`);
    requireLength(thresholds, queries.length, `${place}.thresholds`);
  },
  check(question, { queries, keys, thresholds }) {
    ensureFree(question);
    ensureAtMost(queries[0].length, question.d);
    checkLogits(question.pattern, queries, keys, thresholds);
  },
});

function ensureFree({ coupled, d, hidden }) {
  ensure(!coupled, () => `it holds where d_hid >= 2d, not for d = ${d}, d_hid = ${hidden}`);
}

function ensureAtMost(dimension, d) {
  ensure(dimension <= d, () => `it is in dimension ${dimension}, not ${d}`);
}

/** Refuse to read more entries than a minute allows. */
function ensureSmall({ rows, columns }) {
  ensureSmallEnough(rows * columns <= MOST_ENTRIES, () => `the pattern has more than ${MOST_ENTRIES} entries: too large to check here`);
}

/** Refuse logits queries[i] . keys[j] that are above thresholds[i] elsewhere than at the ones. */
function checkLogits(pattern, queries, keys, thresholds) {
  checkExcess(pattern, queries, keys, thresholds, (entry, sign) => (sign > 0) === (entry === 1));
}

/** Refuse specified entries that do not fit to the sign (1, 0, -1) of queries[i] . keys[j] - thresholds[i]. */
function checkExcess(pattern, queries, keys, thresholds, fits) {
  ensureCounts(pattern, queries, keys);
  const rounded = new RoundedLogits(queries, keys, thresholds);
  checkSigns(pattern, rounded, (i, j) => exactExcess(queries[i], keys[j], thresholds[i]), fits);
}

function ensureCounts(pattern, queries, keys) {
  ensureSmall(pattern);
  ensure(
    queries.length === pattern.rows && keys.length === pattern.columns,
    () => `it has ${queries.length} queries and ${keys.length} keys for ${pattern.rows} x ${pattern.columns} entries`,
  );
}

/** Refuse specified entries that do not fit to their sign; `exact` computes what the rounded excess leaves open. */
function checkSigns(pattern, rounded, exact, fits) {
  const entries = new Uint8Array(pattern.columns);
  for (let i = 0; i < pattern.rows; i++) {
    pattern.row(i, entries);
    const { excess, error } = rounded.row(i);
    for (let j = 0; j < pattern.columns; j++) {
      if (entries[j] === STAR) continue;
      const certain = error === 0 || Math.abs(excess[j]) > error;
      const found = certain ? excess[j] : exact(i, j);
      const sign = found > 0 ? 1 : found < 0 ? -1 : 0;
      ensure(fits(entries[j], sign), () => `entry (${i}, ${j}) is ${entries[j]}, but its logit is ${LEVELS[sign + 1]} the threshold`);
    }
  }
}

const LEVELS = ["below", "at", "above"];

function exactExcess(query, key, threshold) {
  let sum = -BigInt(threshold);
  for (let k = 0; k < query.length; k++) sum += BigInt(query[k]) * BigInt(key[k]);
  return sum;
}

/** Logits minus thresholds in double precision, with a bound on their errors. */
class RoundedLogits {
  /** Numbers with a fraction must not have more than two roundings behind them, and `integers` must be false. */
  constructor(queries, keys, thresholds, integers = true) {
    this.queries = queries.map((query) => Float64Array.from(query, Number));
    this.thresholds = thresholds.map(Number);
    this.exactInputs = integers && [...queries, ...keys, thresholds].every((line) => line.every((x) => typeof x === "number"));
    const d = keys[0].length;
    this.coordinates = Array.from({ length: d }, (_, k) => Float64Array.from(keys, (key) => Number(key[k])));
    this.largest = this.coordinates.map((line) => line.reduce((most, x) => Math.max(most, Math.abs(x)), 0));
    this.excess = new Float64Array(keys.length);
  }

  /**
   * Return the excess of row i's logits over its threshold.
   *
   * `error` is 0 if nothing is rounded, that is, all terms are integers and the sum of their absolute
   * values is below 2^53. Otherwise each term has at most five roundings and each sum d + 1, so
   * d + 8 units of 2^-52 of that sum, itself rounded, exceed the error. Infinities make it infinite.
   */
  row(i) {
    const query = this.queries[i];
    const { excess, coordinates } = this;
    excess.fill(-this.thresholds[i]);
    let size = Math.abs(this.thresholds[i]);
    for (let k = 0; k < query.length; k++) {
      const factor = query[k];
      if (factor === 0) continue;
      const line = coordinates[k];
      for (let j = 0; j < excess.length; j++) excess[j] += factor * line[j];
      size += Math.abs(factor) * this.largest[k];
    }
    const exact = this.exactInputs && size < 2 ** 53;
    return { excess, error: exact ? 0 : (query.length + 8) * 2 ** -52 * size };
  }
}
