/* YES for fits: a proof of the pattern without its wrong rows, or with its wrong entries changed. */

const MOST_ITEMS = 2 ** 26;

defineKind("partial-embedding", {
  answer: "YES",
  task: "fit",
  similarities: SIMILARITIES,
  members: { unit: asChoice("rows", "entries"), wrong: asElements, proof: asWitness },
  optional: { above: asElements },
  check({ pattern, d, wrong: most, unit, similarity, at }, { unit: stated, wrong, proof, above }) {
    ensure(stated === unit, () => `it is about wrong ${stated}, not ${unit}`);
    ensure(wrong.length <= most, () => `${wrong.length} of the ${unit} are wrong, more than ${most}`);
    const items = unit === "rows" ? pattern.rows : pattern.rows * pattern.columns;
    const beyond = wrong.find((item) => item >= items);
    ensure(beyond === undefined, () => `it names ${beyond} of ${items} ${unit}`);
    ensure(at !== null || above === undefined, () => "it lets zeros stand before ones");
    const whole = at === null ? pattern : relax(pattern, wrong, above ?? [], at);
    const right = unit === "rows" ? withoutRows(whole, wrong) : withoutEmptyRows(changeEntries(pattern, wrong));
    ensure(right.length > 0, () => "it leaves no row");
    const about = new Pattern(pattern.columns, right.map(({ ones }) => ones), right.map(({ stars }) => stars));
    checkProof(freeQuestion(about, d, similarity), proof);
  },
});

/** Return the pattern in which some zeros are don't-cares; no row may have more than K ones and such zeros, unless it is wrong. */
function relax(pattern, wrong, above, at) {
  const beyond = above.find((number) => number >= pattern.rows * pattern.columns);
  ensure(beyond === undefined, () => `it names the entry ${beyond}, which is none`);
  const zeros = columnsByRow(pattern, above);
  const skipped = new Set(wrong);
  for (const i of zeros.keys()) ensure(!skipped.has(i), () => `it names zeros of row ${i}, which is wrong`);
  const lines = sparseLines(pattern);
  for (let i = 0; i < pattern.rows; i++) {
    const columns = zeros.get(i) ?? [];
    const first = lines[i].ones.length + columns.length;
    ensure(skipped.has(i) || first <= at, () => `row ${i} has ${first} ones and zeros before them, more than ${at}`);
  }
  if (!above.length) return pattern;
  ensureSmallEnough(pattern.rows * pattern.columns <= MOST_ITEMS, () => "the pattern is too large to check");
  for (const [i, columns] of zeros) {
    const row = pattern.row(i);
    for (const j of columns) {
      ensure(row[j] === 0, () => `entry (${i}, ${j}) is no zero`);
      row[j] = STAR;
    }
    lines[i] = { ones: lines[i].ones, stars: columnsOf(row, STAR) };
  }
  return new Pattern(pattern.columns, lines.map(({ ones }) => ones), lines.map(({ stars }) => stars));
}

/** Return the rows that are not in the list, as { ones, stars }. */
function withoutRows(pattern, wrong) {
  const left = new Set(wrong);
  return sparseLines(pattern).filter((_, i) => !left.has(i));
}

function withoutEmptyRows(lines) {
  return lines.filter(({ ones }) => ones.length > 0);
}

function sparseLines(pattern) {
  return Array.from({ length: pattern.rows }, (_, i) => ({ ones: pattern.ones.row(i), stars: pattern.stars.row(i) }));
}

/** Return the rows with some specified entries (i n + j) changed from 1 to 0 or from 0 to 1. */
function changeEntries(pattern, numbers) {
  ensureSmallEnough(pattern.rows * pattern.columns <= MOST_ITEMS, () => "the pattern is too large to check");
  const lines = sparseLines(pattern);
  for (const [i, columns] of columnsByRow(pattern, numbers)) {
    const row = pattern.row(i);
    for (const j of columns) {
      ensure(row[j] !== STAR, () => `entry (${i}, ${j}) is a don't-care`);
      row[j] = 1 - row[j];
    }
    lines[i] = { ones: columnsOf(row, 1), stars: lines[i].stars };
  }
  return lines;
}

/** Return the columns of entries with these numbers, by row. */
function columnsByRow(pattern, numbers) {
  const found = new Map();
  for (const number of numbers) {
    const i = Math.floor(number / pattern.columns);
    if (!found.has(i)) found.set(i, []);
    found.get(i).push(number % pattern.columns);
  }
  return found;
}
