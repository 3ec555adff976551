/* NO: sign patterns on d + 2 elements whose faces pair up, and of which oddly many alternate. */

const MOST_FACE_ELEMENTS = 2 ** 24;

defineKind("topological", {
  answer: "NO",
  members: { d: asWhole, rows: asIndices, columns: asIndices, elements: asChoice("rows", "columns"), members: asMatrix },
  scope: ({ members }) => ({ entries: members.length * (members[0].length - 1) }),
  reads({ rows, columns, elements: side, members }) {
    const places = members.flatMap(([covector, ...elements]) => elements.map((e) => (side === "columns" ? [covector, e] : [e, covector])));
    return places.filter(([row]) => row > 0).map(([row, b]) => [rows[row - 1], columns[b]]);
  },
  check(question, proof) {
    const { d, rows, columns, members } = proof;
    checkScope(question, rows, columns, d, scopeOf(proof).entries);
    ensureSmallEnough(members.length * (d + 2) * (d + 1) <= MOST_FACE_ELEMENTS, () => "its faces are too many to check");
    const core = sparseCore(question.pattern, proof);
    const seen = new Set();
    const odd = new Set(); // faces in an odd number of the members so far
    let alternating = 0;
    members.forEach((member, k) => {
      const { subset, signs } = signsOfMember(member, k, d + 2, core);
      const name = nameUpToFlip(subset, signs);
      ensure(!seen.has(name), () => `member ${k} repeats another one`);
      seen.add(name);
      if (signs.every((sign, t) => t === 0 || sign !== signs[t - 1])) alternating++;
      subset.forEach((_, t) => toggle(odd, nameUpToFlip(without(subset, t), without(signs, t))));
    });
    ensure(odd.size === 0, () => `${odd.size} faces lie in an odd number of members`);
    ensure(alternating % 2 === 1, () => `an even number of members alternate: ${alternating}`);
  },
});

/** Return the numbers of elements and covectors, and the sign of a covector at an element: a large core is never written out. */
function sparseCore(pattern, { rows, columns, elements }) {
  const entry = (row, column) => (row === 0 ? 1 : pattern.entry(rows[row - 1], columns[column])); // row 0 is +
  if (elements === "columns") return { elements: columns.length, covectors: rows.length + 1, sign: entry };
  return { elements: rows.length + 1, covectors: columns.length, sign: (c, e) => entry(e, c) };
}

/** Return the elements of a member [covector, elements ..] and their signs, 1 or 0. */
function signsOfMember([c, ...subset], k, size, { elements, covectors, sign }) {
  ensure(subset.length === size, () => `member ${k} has ${subset.length} elements, not ${size}`);
  ensure(c >= 0 && c < covectors, () => `member ${k} names covector ${c} of ${covectors}`);
  ensure(
    subset.every((e, t) => e > (t ? subset[t - 1] : -1) && e < elements),
    () => `member ${k} names elements that do not ascend from 0 to below ${elements}`,
  );
  const signs = subset.map((e) => sign(c, e));
  ensure(!signs.includes(STAR), () => `member ${k} reads a don't-care`);
  return { subset, signs };
}

function without(list, place) {
  return list.filter((_, t) => t !== place);
}

/** Return a text that names the signs on a subset, the same for the opposite signs. */
function nameUpToFlip(subset, signs) {
  return `${subset.join()}:${signs.map((sign) => sign ^ signs[0]).join("")}`;
}

function toggle(set, item) {
  if (!set.delete(item)) set.add(item);
}
