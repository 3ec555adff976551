/* Questions: what a certificate answers about its pattern, the member `problem` of the document. */

const LARGEST_DIMENSION = 2 ** 24;
const MANNER = { dot: "", cosine: " with cosine similarity", l2: " with Euclidean distance" };
const SIMILARITIES = Object.keys(MANNER);
/** The entries that queries and keys may have, ascending, by the name of the set. */
const ENTRIES = {
  binary: [-1, 1],
  ternary: [-1, 0, 1],
  int2: integersFrom(-2, 1),
  int3: integersFrom(-4, 3),
  int4: integersFrom(-8, 7),
};
const FREE_QUERIES = Object.keys(ENTRIES).map((name) => `${name}-keys`); // of these sets, queries are real vectors
const VALUES = { ...ENTRIES, ...Object.fromEntries(Object.entries(ENTRIES).map(([name, values]) => [`${name}-keys`, values])) };
const VALUE_SETS = Object.keys(VALUES);
const THRESHOLDS = { sign: "", global: " with one threshold", row: " with a threshold for each row" };
const SINGULAR = { rows: "row", entries: "entry" };

/**
 * The tasks by name.
 *
 * Each is a record: `members` and `optional`, readers by name; `question`, which refuses what makes
 * no sense and returns what the checks need; and `claim`, which says what the answer states.
 */
const TASKS = {
  dimension: {
    members: { d: asAlone, d_hid: (value, place) => (value === null ? null : asAlone(value, place)) },
    optional: { similarity: asText },
    question(pattern, { d, d_hid, similarity = "dot" }) {
      ensureDimension(d);
      ensure(
        d_hid === null || (d_hid >= d && d_hid <= LARGEST_DIMENSION),
        () => `d_hid = ${d_hid} is not a hidden dimension for d = ${d}`,
      );
      const coupled = d_hid !== null && d_hid < 2 * d;
      ensure(!coupled || pattern.rows === pattern.columns, () => "queries and keys share X only if the pattern is square");
      ensureSimilarity(similarity, [...SIMILARITIES, ...VALUE_SETS]);
      ensure(similarity === "dot" || d_hid === null, () => `${similarity} has no hidden dimension`);
      return { d, hidden: d_hid, coupled, similarity };
    },
    claim: (answer, { d, d_hid, similarity = "dot" }) =>
      `${answer} for d = ${d}${d_hid === null ? "" : `, d_hid = ${d_hid}`}${MANNER[similarity] ?? ` with ${FREE_QUERIES.includes(similarity) ? similarity.replace("-", " ") : `${similarity} queries and keys`}`}`,
  },
  rank: {
    members: { rank: asAlone, kind: asText },
    question(pattern, { rank, kind }) {
      ensure(rank >= 1 && rank <= LARGEST_DIMENSION, () => `${rank} is not a rank`);
      ensure(Object.hasOwn(THRESHOLDS, kind), () => `${quote(kind)} is no kind of rank`);
      return { rank, thresholds: kind, similarity: "dot" };
    },
    claim: (answer, { rank, kind }) =>
      `${answer} for ${kind === "sign" ? "sign-rank" : "rank"} at most ${rank}${THRESHOLDS[kind]}`,
  },
  fit: {
    members: { d: asAlone, wrong: asAlone, unit: asText },
    optional: { similarity: asText, at: asAlone },
    question(pattern, { d, wrong, unit, similarity = "dot", at = null }) {
      ensureDimension(d);
      ensure(wrong >= 0, () => `${wrong} is not a number of wrong ${unit}`);
      ensure(Object.hasOwn(SINGULAR, unit), () => `${quote(unit)} are neither rows nor entries`);
      ensureSimilarity(similarity);
      ensure(at === null || at >= 1, () => `K = ${at} is less than 1`);
      ensure(at === null || unit === "rows", () => `${unit} are not right at K`);
      return { d, wrong, unit, similarity, at };
    },
    claim: (answer, { d, wrong, unit, similarity = "dot", at }) =>
      `${answer} for at most ${wrong} wrong ${wrong === 1 ? SINGULAR[unit] : unit}${at === undefined ? "" : ` at K = ${at}`} in d = ${d}${MANNER[similarity]}`,
  },
  recall: {
    members: { d: asAlone, at: asAlone, numerator: asAlone, denominator: asAlone },
    optional: { similarity: asText },
    question(pattern, { d, at, numerator, denominator, similarity = "dot" }) {
      ensureDimension(d);
      ensureSimilarity(similarity);
      ensure(at >= 1, () => `K = ${at} is less than 1`);
      return { d, at, ...fractionOf(numerator, denominator, "mean recall"), similarity };
    },
    claim: (answer, { d, at, numerator, denominator, similarity = "dot" }) =>
      `${answer === "YES" ? "a" : "no"} mean recall at ${at} ${answer === "YES" ? "of at least" : "above"} ` +
      `${fractionInWords(numerator, denominator)} in d = ${d}${MANNER[similarity]}`,
  },
  margin: {
    members: { numerator: asAlone, denominator: asAlone },
    optional: { d: asAlone },
    question(pattern, { numerator, denominator, d = null }) {
      ensure(d === null || d >= 1, () => `d = ${d} is not a dimension`);
      return { ...fractionOf(numerator, denominator, "margin"), d, similarity: "dot" };
    },
    claim: (answer, { numerator, denominator, d }) =>
      `${answer === "YES" ? "a margin of at least" : "no margin above"} ` +
      `${fractionInWords(numerator, denominator)}${d === undefined ? "" : ` in d = ${d}`}`,
  },
};

/** Read the member `problem`: its `task` is one of `TASKS`, by default `dimension`. */
function readProblem(value, place) {
  if (!(value instanceof Map)) throw new Unreadable(`${place} must be an object`);
  const task = value.has("task") ? asTask(value.get("task"), `${place}.task`) : "dimension";
  const { members, optional = {} } = TASKS[task];
  return { ...asRecord(members, { task: asTask, ...optional })(value, place), task };
}

const asTask = asChoice(...Object.keys(TASKS));

/** Return the question of a problem about a pattern; refuse one that makes no sense. */
function questionOf(pattern, problem) {
  return { task: problem.task, pattern, ...TASKS[problem.task].question(pattern, problem) };
}

/** Return the free question of a dimension: of all queries and keys, with this similarity. */
function freeQuestion(pattern, d, similarity = "dot") {
  return { task: "dimension", pattern, d, hidden: null, coupled: false, similarity };
}

/** Return the statement that a valid certificate with this answer proves. */
function claimOf(answer, problem) {
  return TASKS[problem.task].claim(answer, problem);
}

/** Return a fraction in lowest terms as two integers of any size. */
function fractionOf(numerator, denominator, name) {
  ensure(numerator >= 0 && denominator >= 1, () => `${numerator} / ${denominator} is not a ${name}`);
  ensure(greatestDivisor(numerator, denominator) === 1, () => `${numerator} / ${denominator} is not reduced`);
  return { numerator: BigInt(numerator), denominator: BigInt(denominator) };
}

/** Return a fraction as a decimal number if that is exact in millionths. */
function fractionInWords(numerator, denominator) {
  if (10 ** 6 % denominator !== 0) return `${numerator}/${denominator}`;
  const digits = (BigInt(numerator) * BigInt(10 ** 6 / denominator)).toString().padStart(7, "0");
  return `${digits.slice(0, -6)}.${digits.slice(-6)}`.replace(/\.?0+$/, "");
}

/** Require that every row has a 1, except in matrices of which a rank is asked. */
function requireOnes(pattern, { task }) {
  const empty = task === "rank" ? -1 : pattern.emptyRow();
  if (empty >= 0) throw new Unreadable(`row ${empty} of the pattern has no 1`);
}

function ensureDimension(d) {
  ensure(d >= 1 && d <= LARGEST_DIMENSION, () => `d = ${d} is not a dimension`);
}

function integersFrom(first, last) {
  return Array.from({ length: last - first + 1 }, (_, k) => first + k);
}

function ensureSimilarity(similarity, known = SIMILARITIES) {
  ensure(known.includes(similarity), () => `${quote(similarity)} is no similarity`);
}

function greatestDivisor(a, b) {
  return b === 0 ? a : greatestDivisor(b, a % b);
}
