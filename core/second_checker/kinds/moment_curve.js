/* YES: an order of columns or rows along the moment curve. */

const asElements = asShort(asIndices);

defineKind("moment-curve", {
  answer: "YES",
  members: { d: asWhole, elements: asChoice("columns", "rows"), order: asElements, flipped: asElements },
  check(question, { d, elements, order, flipped }) {
    const { pattern } = question;
    ensureFree(question);
    ensureAtMost(d, question.d);
    ensureSmall(pattern);
    const number = elements === "columns" ? pattern.columns : pattern.rows + 1;
    ensure(order.length === number && order.every((e) => e < number), () => `its order is not one of ${number} elements`);
    ensure(flipped.every((e) => e < number), () => `it flips an element beyond ${number}`);
    const flips = new Uint8Array(number);
    for (const e of flipped) flips[e] = 1;
    if (elements === "columns") checkRows(pattern, d, order, flips);
    else checkColumns(pattern, d, order, flips);
  },
});

/** Refuse an order of the columns along which row 0 of +, or a row, changes its sign too often. */
function checkRows(pattern, d, order, flips) {
  const line = new Uint8Array(pattern.columns);
  for (let i = -1; i < pattern.rows; i++) {
    if (i < 0) line.fill(1);
    else pattern.row(i, line);
    let last = STAR;
    let changes = 0;
    for (const j of order) {
      if (line[j] === STAR) continue;
      const sign = line[j] ^ flips[j];
      if (last !== STAR && sign !== last) changes++;
      last = sign;
    }
    ensure(changes <= d, () => `${i < 0 ? "the row of +" : `row ${i}`} changes its sign ${changes} times along the order`);
  }
}

/** Refuse an order of row 0 of + (element 0) and the rows (1 + i) with too many changes in a column. */
function checkColumns(pattern, d, order, flips) {
  const last = new Uint8Array(pattern.columns).fill(STAR);
  const changes = new Float64Array(pattern.columns);
  const line = new Uint8Array(pattern.columns);
  for (const e of order) {
    if (e === 0) line.fill(1);
    else pattern.row(e - 1, line);
    for (let j = 0; j < line.length; j++) {
      if (line[j] === STAR) continue;
      const sign = line[j] ^ flips[e];
      if (last[j] !== STAR && sign !== last[j]) changes[j]++;
      last[j] = sign;
    }
  }
  const worst = changes.findIndex((count) => count > d);
  ensure(worst < 0, () => `column ${worst} changes its sign ${changes[worst]} times along the order`);
}
