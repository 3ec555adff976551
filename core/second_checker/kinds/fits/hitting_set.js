/* NO for fits: cores, each of which contains a wrong item, are too many to be hit by few. */

const MOST_READ = 2 ** 20; // entries of cores, if entries are wrong
const MOST_IGNORED = 2 ** 28;
const MOST_PACKED = 2 ** 24;
const MOST_CORE_ELEMENTS = 2 ** 10;
const MOST_CORE_CLAUSES = 2 ** 24;

const asHeavy = (value, place, depth) => asWeights(value, place, depth, 1);

defineKind("hitting-set", {
  answer: "NO",
  task: "fit",
  similarities: SIMILARITIES,
  members: {
    cores: asListOf(asRecord({ proof: asRefutation }, { ignored: asIndices })),
    tree: (value, place, depth) => asNumbers(value, place, depth, -1),
    packings: asListOf(asRecord({ cores: asIndices, weights: asHeavy, denominator: asWhole })),
  },
  form({ cores, packings }, place) {
    requireAtLeast(cores, 1, `${place}.cores`);
    requireAtLeast(packings, 1, `${place}.packings`);
    packings.forEach((packing, l) => requireLength(packing.weights, packing.cores.length, `${place}.packings[${l}].weights`));
  },
  check(question, { cores, tree, packings }) {
    const { pattern, d, unit, similarity, at } = question;
    ensure(at === null, () => "a core is not about rows that are right at K");
    for (const { proof } of cores) checkAnswers({ task: "dimension", similarity }, proof);
    checkSizes(question, cores);
    for (const { proof, ignored } of cores) {
      ensure(ignored === undefined || unit === "entries", () => "only entries can be ignored");
      const about = ignored === undefined ? pattern : ignoreEntries(pattern, ignored);
      checkProof(freeQuestion(about, d, similarity), proof);
    }
    const items = unit === "rows" ? rowItems(pattern) : entryItems(pattern);
    const classes = cores.map((core) => items.classesOf(core));
    checkPackedSizes(packings, classes);
    checkTree(tree, items, packings, (packing, state) => checkPacking(packing, state, items, classes, question.wrong));
  },
});

/** Refuse cores that are too large, all together. */
function checkSizes({ pattern, unit }, cores) {
  const entries = cores.reduce((sum, { proof }) => sum + scopeOf(proof).entries, 0);
  const most = unit === "rows" ? LARGEST_CORE : MOST_READ;
  ensureSmallEnough(entries <= most, () => `its cores have more than ${most} entries: too large to check`);
  const ignoring = cores.filter(({ ignored }) => ignored !== undefined).length;
  ensureSmallEnough(ignoring * pattern.rows * pattern.columns <= MOST_IGNORED, () => "it ignores too much to check");
  let clauses = 0;
  for (const core of cores) {
    let innermost = core.proof;
    while (innermost.proof !== undefined) innermost = innermost.proof;
    if (innermost.kind === CHIROTOPE) clauses += countCoreClauses(innermost);
  }
  ensureSmallEnough(clauses <= MOST_CORE_CLAUSES, () => "the clauses of its cores are too many to check");
}

function checkPackedSizes(packings, classes) {
  const packed = packings.flatMap(({ cores }) => cores);
  const beyond = packed.find((c) => c >= classes.length);
  ensure(beyond === undefined, () => `a packing names core ${beyond} of ${classes.length}`);
  const size = packed.reduce((sum, c) => sum + classes[c].size, 0);
  ensureSmallEnough(size <= MOST_PACKED, () => "its packings are too large to check");
}

/** Return the most clauses that the circuits of a chirotope proof can have. */
function countCoreClauses({ d, rows, columns, elements: side }) {
  const lines = [columns.length, rows.length + 1];
  const [elements, covectors] = side === "columns" ? lines : lines.reverse();
  ensureSmallEnough(elements <= MOST_CORE_ELEMENTS && d <= LARGEST_RANK, () => "a core is too large to check");
  return 2 * choose(elements, d + 2) * Math.min(covectors, 2 ** (d + 1));
}

/** Return the pattern in which some entries are don't-cares; every row must keep a 1. */
function ignoreEntries(pattern, numbers) {
  const beyond = numbers.find((number) => number >= pattern.rows * pattern.columns);
  ensure(beyond === undefined, () => `it ignores the entry ${beyond}, which is none`);
  const lines = sparseLines(pattern);
  for (const [i, columns] of columnsByRow(pattern, numbers)) {
    const row = pattern.row(i);
    for (const j of columns) row[j] = STAR;
    lines[i] = { ones: columnsOf(row, 1), stars: columnsOf(row, STAR) };
  }
  const changed = new Pattern(pattern.columns, lines.map(({ ones }) => ones), lines.map(({ stars }) => stars));
  const empty = changed.emptyRow();
  ensure(empty < 0, () => `row ${empty} has no 1 beside what is ignored`);
  return changed;
}

/** Return the rows as items: their number, the class of each, and the weights and cores of classes. */
function rowItems(pattern) {
  const rows = equalLines(sparseLines(pattern));
  return {
    count: pattern.rows,
    classOf: (i) => rows.classes[i],
    weightOf: (x) => rows.sizes[x],
    classesOf: ({ proof }) => new Set(scopeOf(proof).rows.map((i) => rows.classes[i])),
  };
}

/** Return the entries as items; a class is a class of rows and one of columns. */
function entryItems(pattern) {
  const rows = equalLines(sparseLines(pattern));
  const columns = equalLines(sparseColumns(pattern));
  const count = columns.sizes.length;
  const classOf = (i, j) => rows.classes[i] * count + columns.classes[j];
  return {
    count: pattern.rows * pattern.columns,
    classOf: (item) => classOf(Math.floor(item / pattern.columns), item % pattern.columns),
    weightOf: (x) => rows.sizes[Math.floor(x / count)] * columns.sizes[x % count],
    classesOf({ proof, ignored = [] }) {
      const left = new Set(ignored);
      const read = entriesRead(proof).filter(([i, j]) => !left.has(i * pattern.columns + j));
      return new Set(read.map(([i, j]) => classOf(i, j)));
    },
  };
}

/** Return the class of each line, and the sizes of the classes; lines are equal if their ones and don't-cares are. */
function equalLines(lines) {
  const numbers = new Map();
  const sizes = [];
  const classes = lines.map(({ ones, stars }) => {
    const name = `${ones.join()}|${stars.join()}`;
    if (!numbers.has(name)) numbers.set(name, sizes.push(0) - 1);
    const number = numbers.get(name);
    sizes[number]++;
    return number;
  });
  return { classes, sizes };
}

function sparseColumns(pattern) {
  const columns = Array.from({ length: pattern.columns }, () => ({ ones: [], stars: [] }));
  for (let i = 0; i < pattern.rows; i++) {
    for (const j of pattern.ones.row(i)) columns[j].ones.push(i);
    for (const j of pattern.stars.row(i)) columns[j].stars.push(i);
  }
  return columns;
}

/** Return the entries [i, j] that a refutation reads. */
function entriesRead(proof) {
  if (proof.kind.reads !== undefined) return proof.kind.reads(proof);
  const { rows, columns } = scopeOf(proof);
  return rows.flatMap((i) => columns.map((j) => [i, j]));
}

/** Go through a tree in preorder, of which each node makes a class wrong, then right; visit its leaves. */
function checkTree(tree, items, packings, visit) {
  const state = { wrong: new Set(), right: new Set(), weight: 0 }; // weight: of the wrong classes
  const open = []; // classes on the way from the root: wrong at first, then right
  let leaves = 0;
  let ended = false;
  for (const node of tree) {
    ensure(!ended, () => "its tree goes on after the last leaf");
    if (node >= 0) {
      ensure(node < items.count, () => `its tree names item ${node} of ${items.count}`);
      const x = items.classOf(node);
      ensure(!state.wrong.has(x) && !state.right.has(x), () => `its tree names item ${node} again`);
      state.wrong.add(x);
      state.weight += items.weightOf(x);
      open.push(x);
      continue;
    }
    ensure(leaves < packings.length, () => `it has ${packings.length} packings, fewer than leaves`);
    visit(packings[leaves++], state);
    while (open.length && state.right.has(open.at(-1))) state.right.delete(open.pop());
    if (open.length) {
      const x = open.at(-1);
      state.wrong.delete(x);
      state.weight -= items.weightOf(x);
      state.right.add(x);
    } else ended = true;
  }
  ensure(ended, () => "its tree ends before the last leaf");
  ensure(leaves === packings.length, () => `it has ${packings.length} packings for ${leaves} leaves`);
}

/** Refuse cores that few more wrong items may hit. */
function checkPacking({ cores, weights, denominator }, { wrong, right, weight }, items, classes, most) {
  const loads = new Map();
  let sum = 0n;
  cores.forEach((c, a) => {
    const y = BigInt(weights[a]);
    sum += y;
    for (const x of classes[c]) {
      ensure(!wrong.has(x), () => `core ${c} of a packing contains what is wrong already`);
      if (!right.has(x)) loads.set(x, (loads.get(x) ?? 0n) + y);
    }
  });
  const unit = BigInt(denominator);
  for (const [x, load] of loads) {
    ensure(load <= unit * BigInt(items.weightOf(x)), () => "a packing counts a class more than its weight allows");
  }
  ensure(sum > unit * BigInt(most - weight), () => `a packing does not show more than ${most} wrong items`);
}
