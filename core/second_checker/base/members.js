/* Typed members of JSON objects, as `parseJson` returns them. */

const LARGEST_ALONE = 2 ** 40; // of integers that are members themselves

/** Return the value if it is an object with all `needed` members and no others but `optional`. */
function asObject(value, place, needed, optional = []) {
  if (!(value instanceof Map)) throw new Unreadable(`${place} must be an object`);
  for (const name of needed) {
    if (!value.has(name)) throw new Unreadable(`${place} lacks the member ${quote(name)}`);
  }
  for (const name of value.keys()) {
    if (!needed.includes(name) && !optional.includes(name)) {
      throw new Unreadable(`${place} has a member that does not belong there: ${quote(name)}`);
    }
  }
  return value;
}

function asList(value, place) {
  if (!Array.isArray(value)) throw new Unreadable(`${place} must be a list`);
  return value;
}

function isInteger(value) {
  return typeof value === "number" || typeof value === "bigint";
}

/** Return the value if it is an integer that may stand alone. */
function asAlone(value, place) {
  if (!isInteger(value)) throw new Unreadable(`${place} must be an integer`);
  if (value > LARGEST_ALONE || value < -LARGEST_ALONE) throw new Unreadable(`${place} is beyond 2^40`);
  return value;
}

function asWhole(value, place) {
  if (asAlone(value, place) < 1) throw new Unreadable(`${place} must be at least 1`);
  return value;
}

function asText(value, place) {
  if (typeof value !== "string") throw new Unreadable(`${place} must be a text`);
  return value;
}

function asFlag(value, place) {
  if (typeof value !== "boolean") throw new Unreadable(`${place} must be true or false`);
  return value;
}

/** Return a reader of members that are one of the given words or numbers. */
function asChoice(...choices) {
  return (value, place) => {
    if (!choices.includes(value)) throw new Unreadable(`${place} must be one of ${choices.join(", ")}`);
    return value;
  };
}

/**
 * Return a list of integers >= least, which may repeat.
 *
 * Integers beyond 2^53 lose digits here: all of them lie beyond every pattern.
 */
function asNumbers(value, place, depth, least = 0) {
  return asVector(value, place).map((item, k) => {
    if (item < least) throw new Unreadable(`${place}[${k}] is less than ${least}`);
    return Number(item);
  });
}

/** Return a list of integers of any size, which are at least `least`. */
function asWeights(value, place, depth, least = 0) {
  asVector(value, place).forEach((item, k) => {
    if (item < least) throw new Unreadable(`${place}[${k}] is less than ${least}`);
  });
  return value;
}

const FIRST_BEYOND = 2n ** 62n; // of some numbers that a document may state

/** Return a reader that also refuses lists with an integer >= 2^62. */
function asShort(read) {
  return (value, place, depth) => {
    const found = read(value, place, depth);
    if (value.some((item) => item >= FIRST_BEYOND)) throw new Unreadable(`${place} has a number beyond 2^62`);
    return found;
  };
}

/** Return a list of distinct integers >= 0. */
function asIndices(value, place) {
  const indices = asNumbers(value, place);
  requireDistinct(value, place);
  return indices;
}

/** Return a list of ascending integers >= 0. */
function asAscending(value, place) {
  const indices = asNumbers(value, place);
  requireAscending(value, place);
  return indices;
}

function requireDistinct(list, place) {
  const seen = new Set();
  for (const item of list) {
    if (seen.has(item)) throw new Unreadable(`${place} names ${item} twice`);
    seen.add(item);
  }
}

/** Return a list of integers of any sign and size. */
function asVector(value, place) {
  asList(value, place).forEach((item, k) => {
    if (!isInteger(item)) throw new Unreadable(`${place}[${k}] must be an integer`);
  });
  return value;
}

/** Return at least one list of integers, all of the same length. */
function asMatrix(value, place) {
  if (asList(value, place).length === 0) throw new Unreadable(`${place} has no rows`);
  value.forEach((row, i) => {
    if (asVector(row, `${place}[${i}]`).length !== value[0].length) {
      throw new Unreadable(`${place} has rows of different lengths`);
    }
  });
  return value;
}

function asMatrixOrEmpty(value, place) {
  return asList(value, place).length ? asMatrix(value, place) : [];
}

/** Return at least one list of integers >= 0, all of the same length; see `asNumbers`. */
function asNumberMatrix(value, place) {
  return asMatrix(value, place).map((row, i) => asNumbers(row, `${place}[${i}]`));
}

/** Return a list of integers other than 0, which may repeat; see `asNumbers` for large ones. */
function asClause(value, place) {
  return asList(value, place).map((item, k) => {
    if (!isInteger(item) || item === 0) throw new Unreadable(`${place}[${k}] must be an integer other than 0`);
    return Number(item);
  });
}

function asClauses(value, place) {
  return asList(value, place).map((clause, k) => asClause(clause, `${place}[${k}]`));
}

/** Return a list of integers other than 0 with different absolute values. */
function asLiterals(value, place) {
  const literals = asClause(value, place);
  requireDistinct(value.map((item) => (item < 0 ? -item : item)), place);
  return literals;
}

/** Return a reader of lists whose items are read by `read`. */
function asListOf(read) {
  return (value, place, depth) => asList(value, place).map((item, k) => read(item, `${place}[${k}]`, depth));
}

/** Return a reader of objects with exactly these members, and perhaps the optional ones, as plain objects. */
function asRecord(readers, optional = {}) {
  return (value, place, depth) => {
    asObject(value, place, Object.keys(readers), Object.keys(optional));
    return readMembers(value, place, { ...readers, ...optional }, depth);
  };
}

/** Read the members for which there are readers; `depth` is the number of proofs around them. */
function readMembers(value, place, readers, depth) {
  const found = {};
  for (const [name, read] of Object.entries(readers)) {
    if (value.has(name)) found[name] = read(value.get(name), `${place}.${name}`, depth);
  }
  return found;
}

/** Require the lengths of lists that a form prescribes. */
function requireLength(list, length, place) {
  if (list.length !== length) throw new Unreadable(`${place} has ${list.length} items, not ${length}`);
}

function requireAtLeast(list, length, place) {
  if (list.length < length) throw new Unreadable(`${place} has ${list.length} items, fewer than ${length}`);
}

function requireAscending(list, place) {
  list.forEach((item, k) => {
    if (k && item <= list[k - 1]) throw new Unreadable(`${place} does not ascend`);
  });
}
