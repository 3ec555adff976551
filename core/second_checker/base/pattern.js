/* Patterns: their entries, and the forms in which they are read. */

const STAR = 2; // an entry that does not matter, beside 0 and 1
const MOST_LINES = 1 << 24;
const MOST_ROWS = 1 << 20; // each takes an array of its own while the pattern is read
const MOST_STORED = 1 << 27; // ones and don't-cares
const MOST_DENSE = 1 << 28; // entries of a part that is stored in full

/** Ascending column indices of some entries, row by row. */
class SparseRows {
  /** @param {Int32Array[]} rows */
  constructor(rows) {
    this.starts = new Float64Array(rows.length + 1);
    rows.forEach((row, i) => (this.starts[i + 1] = this.starts[i] + row.length));
    const stored = this.starts[rows.length];
    ensureSmallEnough(stored <= MOST_STORED, () => `the pattern has more than ${MOST_STORED} ones or don't-cares: too large to check`);
    this.indices = new Int32Array(stored);
    rows.forEach((row, i) => this.indices.set(row, this.starts[i]));
  }

  row(i) {
    return this.indices.subarray(this.starts[i], this.starts[i + 1]);
  }
}

/** A matrix of 0, 1 and `STAR`. */
class Pattern {
  /**
   * @param {number} columns
   * @param {Int32Array[]} ones ascending columns of each row
   * @param {Int32Array[]} stars the same for the don't-cares
   */
  constructor(columns, ones, stars) {
    this.rows = ones.length;
    this.columns = columns;
    if (!(this.rows >= 1 && columns >= 1)) throw new Unreadable("the pattern has no rows or no columns");
    if (this.rows > MOST_LINES || columns > MOST_LINES) {
      throw new Unreadable(`the pattern has more than ${MOST_LINES} rows or columns`);
    }
    this.ones = new SparseRows(ones);
    this.stars = new SparseRows(stars);
  }

  /** Return row i as an array of entries, in `into` if it is given. */
  row(i, into = new Uint8Array(this.columns)) {
    into.fill(0);
    for (const j of this.ones.row(i)) into[j] = 1;
    for (const j of this.stars.row(i)) into[j] = STAR;
    return into;
  }

  /** Return the first row without a 1, or -1. */
  emptyRow() {
    for (let i = 0; i < this.rows; i++) if (this.ones.row(i).length === 0) return i;
    return -1;
  }

  entry(i, j) {
    if (includesAscending(this.ones.row(i), j)) return 1;
    return includesAscending(this.stars.row(i), j) ? STAR : 0;
  }

  /** Return the entries of some rows and different columns, as one array for each row. */
  part(rows, columns) {
    const size = rows.length * columns.length;
    ensureSmallEnough(size <= MOST_DENSE, () => `a part of the pattern has more than ${MOST_DENSE} entries: too large to check here`);
    const places = new Map(columns.map((j, b) => [j, b]));
    return rows.map((i) => {
      const line = new Uint8Array(columns.length);
      for (const [lines, entry] of [[this.ones, 1], [this.stars, STAR]]) {
        for (const j of lines.row(i)) {
          const place = places.get(j);
          if (place !== undefined) line[place] = entry;
        }
      }
      return line;
    });
  }

  /** Return the SHA-256 that names the pattern. */
  fingerprint() {
    const hash = new Sha256();
    hash.addText("samapprox pattern 1");
    hash.addNumber(this.rows);
    hash.addNumber(this.columns);
    for (const { starts, indices } of [this.ones, this.stars]) {
      for (let i = 0; i < this.rows; i++) hash.addNumber(starts[i + 1] - starts[i]);
      for (const j of indices) hash.addNumber(j);
    }
    return hash.digest();
  }
}

/** Return whether the item is in the ascending list, by bisection. */
function includesAscending(list, item) {
  let [low, high] = [0, list.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (list[middle] < item) low = middle + 1;
    else high = middle;
  }
  return list[low] === item;
}

/** Return the columns in which a row has this entry. */
function columnsOf(row, entry) {
  const found = [];
  for (let j = 0; j < row.length; j++) if (row[j] === entry) found.push(j);
  return Int32Array.from(found);
}

/** Return the pattern that has these rows, as arrays of entries. */
function patternOfRows(rows) {
  return new Pattern(
    rows.length ? rows[0].length : 0,
    rows.map((row) => columnsOf(row, 1)),
    rows.map((row) => columnsOf(row, STAR)),
  );
}

function ensureFewRows(rows) {
  ensureSmallEnough(rows <= MOST_ROWS, () => `the pattern has more than ${MOST_ROWS} rows: too large to check here`);
}

const ENTRY_OF = new Map([["0", 0], ["1", 1], ["*", STAR]]);

/** Read one row a line, of 0, 1 and *, all separated or none; a line that begins with # is a comment. */
function patternOfText(text) {
  const rows = [];
  let number = -1;
  for (let start = 0, end; start < text.length; start = end + 1) {
    end = text.indexOf("\n", start);
    if (end < 0) end = text.length;
    number++;
    const trimmed = text.slice(start, end).trim();
    if (trimmed === "" || trimmed.startsWith("#")) continue;
    if (/^[,;]|[,;][ \t]*[,;]/.test(trimmed)) throw new Unreadable(`line ${number + 1} of the pattern: an entry is missing`);
    const words = trimmed.split(/[,; \t]+/).filter((word) => word !== "");
    const row = (words.length === 1 ? [...words[0]] : words).map((word) => ENTRY_OF.get(word));
    if (row.includes(undefined)) throw new Unreadable(`line ${number + 1} of the pattern: entries are 0, 1 and *; samapprox show PATTERN --text writes other formats so`);
    if (rows.length && row.length !== rows[0].length) {
      throw new Unreadable(`line ${number + 1} of the pattern has ${row.length} entries, the first row ${rows[0].length}`);
    }
    rows.push(Uint8Array.from(row));
    ensureFewRows(rows.length);
  }
  return patternOfRows(rows);
}

/**
 * Read `{"rows": m, "columns": n, "ones": [[..], ..], "unspecified": [[..], ..]}`: for each
 * row the columns of its ones and of its don't-cares, ascending; `unspecified` may be missing.
 */
function patternOfJson(document) {
  asObject(document, "the pattern", ["rows", "columns", "ones"], ["unspecified"]);
  const rows = asWhole(document.get("rows"), "rows");
  const columns = asWhole(document.get("columns"), "columns");
  const linesOf = (name) => {
    const lists = asList(document.get(name), name);
    ensureFewRows(lists.length);
    if (lists.length !== rows) throw new Unreadable(`${name} has ${lists.length} lists for ${rows} rows`);
    return lists.map((list, i) => {
      const last = asAscending(list, `${name}[${i}]`).at(-1);
      if (last >= columns) throw new Unreadable(`${name}[${i}] names column ${last} of ${columns}`);
      return Int32Array.from(list);
    });
  };
  const ones = linesOf("ones");
  const stars = document.has("unspecified") ? linesOf("unspecified") : ones.map(() => new Int32Array(0));
  ones.forEach((row, i) => {
    const found = new Set(row);
    const both = stars[i].find((j) => found.has(j));
    if (both !== undefined) throw new Unreadable(`entry (${i}, ${both}) is both in ones and in unspecified`);
  });
  return new Pattern(columns, ones, stars);
}

/** Read a pattern: JSON if the text begins with a brace, otherwise rows of 0, 1 and *. */
function readPattern(text) {
  return /^\s*\{/.test(text) ? patternOfJson(parseJson(text)) : patternOfText(text);
}
