/* YES: proofs of parts, which share columns like a forest. */

defineKind("components", {
  answer: "YES",
  members: {
    columns: asWhole,
    parts: asListOf(asRecord({ proof: asWitness, rows: asNumberMatrix, columns: asNumberMatrix })),
  },
  form({ parts }, place) {
    requireAtLeast(parts, 1, `${place}.parts`);
    parts.forEach(({ rows, columns }, p) => {
      requireLength(columns, rows.length, `${place}.parts[${p}].columns`);
      requireAtLeast(rows[0], 1, `${place}.parts[${p}].rows[0]`);
      requireAtLeast(columns[0], 1, `${place}.parts[${p}].columns[0]`);
    });
  },
  check(question, proof) {
    const { pattern, d } = question;
    ensureFree(question);
    ensureSmall(pattern);
    checkCover(pattern, proof);
    const uses = columnUses(proof.parts);
    ensureAtMost([...uses.values()].some((count) => count > 2) ? 3 : 2, d);
    const isCut = (j) => uses.get(j) > 1;
    checkForest(proof.parts, isCut);
    checkOnes(pattern, proof.parts);
    for (const { proof: inner, rows, columns } of proof.parts) {
      const cuts = cutPlaces(columns, isCut);
      const first = pattern.part(rows[0], columns[0]);
      for (let x = 1; x < rows.length; x++) checkCopy(pattern, first, rows[x], columns[x]);
      checkInner(inner, withBorder(first, columns[0].length, cuts), d);
    }
  },
});

/** Return for every column the number of copies that contain it. */
function columnUses(parts) {
  const uses = new Map();
  for (const { columns } of parts) {
    for (const copy of columns) for (const j of copy) uses.set(j, (uses.get(j) ?? 0) + 1);
  }
  return uses;
}

/** Refuse parts that do not contain every row once, or lie beyond the pattern. */
function checkCover(pattern, { columns: n, parts }) {
  ensure(n === pattern.columns, () => `it has ${n} columns, not ${pattern.columns}`);
  const seen = new Uint8Array(pattern.rows);
  for (const { rows, columns } of parts) {
    for (const i of rows.flat()) {
      ensure(i < pattern.rows && !seen[i], () => `row ${i} is beyond the pattern or in two copies`);
      seen[i] = 1;
    }
    for (const copy of columns) {
      ensure(copy.every((j) => j < n), () => `a part has a column beyond ${n}`);
      ensure(new Set(copy).size === copy.length, () => "a part has a column twice");
    }
  }
  ensure(!seen.includes(0), () => `row ${seen.indexOf(0)} is in no part`);
}

/** Refuse copies that share columns along a cycle. */
function checkForest(parts, isCut) {
  const parent = new Map(); // of the copies, by their numbers, and of the cut columns, as "j"
  const root = (vertex) => {
    while (parent.has(vertex)) {
      const above = parent.get(vertex);
      if (parent.has(above)) parent.set(vertex, parent.get(above));
      vertex = above;
    }
    return vertex;
  };
  parts.flatMap(({ columns }) => columns).forEach((copy, number) => {
    for (const j of copy.filter(isCut)) {
      const [one, two] = [root(number), root(`${j}`)];
      ensure(one !== two, () => `parts and the columns they share form a cycle at column ${j}`);
      parent.set(one, two);
    }
  });
}

/** Refuse ones outside the columns of their row's copy. */
function checkOnes(pattern, parts) {
  for (const { rows, columns } of parts) {
    rows.forEach((copy, x) => {
      const inside = new Set(columns[x]);
      for (const i of copy) {
        const outside = pattern.ones.row(i).find((j) => !inside.has(j));
        ensure(outside === undefined, () => `the 1 in row ${i}, column ${outside} is outside its part`);
      }
    });
  }
}

/** Return the places of cut columns, which must be the same in all copies. */
function cutPlaces(columns, isCut) {
  const placesOf = (copy) => [...copy.keys()].filter((place) => isCut(copy[place]));
  const places = placesOf(columns[0]);
  for (const copy of columns) {
    ensure(placesOf(copy).join() === places.join(), () => "copies of a part share different columns");
  }
  return places;
}

function checkCopy(pattern, first, rows, columns) {
  pattern.part(rows, columns).forEach((row, a) => {
    ensure(row.every((entry, b) => entry === first[a][b]), () => `row ${rows[a]} differs from its row in the first copy`);
  });
}

/** Return the rows of a part and of its border. */
function withBorder(part, width, cuts) {
  const extra = Math.max(1, cuts.length);
  const bordered = part.map((row) => {
    const wider = new Uint8Array(width + extra);
    wider.set(row);
    return wider;
  });
  const addRow = (...ones) => {
    const row = new Uint8Array(width + extra);
    for (const b of ones) row[b] = 1;
    bordered.push(row);
  };
  if (cuts.length === 0) addRow(width);
  cuts.forEach((cut, y) => {
    addRow(cut, width + y);
    addRow(cut);
    addRow(width + y);
  });
  return bordered;
}
