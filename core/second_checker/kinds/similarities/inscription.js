/* NO for cosines in dimension 3 and distances in dimension 2: no polytope with these edges is inscribed in a sphere. */

const MOST_SUMS = 2 ** 22;

defineKind("inscription", {
  answer: "NO",
  similarities: ["cosine", "l2"],
  members: { d: asWhole, rows: asIndices, columns: asIndices, vertices: asVector, cuts: asMatrixOrEmpty },
  check(question, { d, rows, columns, vertices, cuts }) {
    const most = question.similarity === "cosine" ? 3 : 2;
    ensure(d <= most, () => `it refutes at most dimension ${most}, not ${d}`);
    checkScope(question, rows, columns, d);
    const v = columns.length;
    ensure(vertices.length === v, () => `it has ${vertices.length} vertices for ${v} columns`);
    const edges = edgesOfRows(specifiedCore(question.pattern, rows, columns), rows);
    checkDegrees(edges, v);
    const exact = cuts.map((cut, k) => exactCut(cut, k, v));
    const simplicial = edges.size === 3 * v - 6;
    const pairs = simplicial ? edges.size : (v * (v - 1)) / 2;
    ensureSmallEnough(pairs * (1 + cuts.length) <= MOST_SUMS, () => "its sums are too many to check");
    checkSums(vertices.map(BigInt), exact, edges, simplicial);
  },
});

/** Return the edges a * v + b with a < b: the two ones of a row, or its two zeros. */
function edgesOfRows(core, rows) {
  const edges = new Set();
  core.forEach((row, k) => {
    const ends = [1, 0].map((entry) => [...row.keys()].filter((b) => row[b] === entry)).find((found) => found.length === 2);
    ensure(ends !== undefined, () => `row ${rows[k]} has neither two ones nor two zeros in its core`);
    edges.add(ends[0] * row.length + ends[1]);
  });
  return edges;
}

function checkDegrees(edges, v) {
  const degrees = new Int32Array(v);
  for (const edge of edges) {
    degrees[Math.floor(edge / v)]++;
    degrees[edge % v]++;
  }
  ensure(degrees.every((degree) => degree >= 2), () => "a vertex lies in fewer than two edges");
  ensure(degrees.some((degree) => degree >= 3), () => "no vertex lies in three edges");
}

/** Return a cut's multiplier and sides; refuse one that has fewer than two vertices on a side. */
function exactCut(cut, k, v) {
  ensure(cut.length === 1 + v, () => `cut ${k} has ${cut.length} numbers, not ${1 + v}`);
  const [multiplier, ...sides] = cut;
  ensure(multiplier >= 1, () => `cut ${k} has a multiplier below 1`);
  ensure(
    [0, 1].every((side) => sides.filter((u) => u === side).length >= 2) && sides.every((u) => u === 0 || u === 1),
    () => `cut ${k} does not have two vertices on each side`,
  );
  return { multiplier: BigInt(multiplier), sides };
}

/** Refuse sums over the pairs that do not contradict the angles of an inscribed polytope. */
function checkSums(y, cuts, edges, simplicial) {
  const v = y.length;
  const total = [...y, ...cuts.map(({ multiplier }) => multiplier)].reduce((sum, x) => sum + x, 0n);
  let positive = 0n;
  let strict = cuts.length > 0;
  for (let a = 0; a < v; a++) {
    for (let b = a + 1; b < v; b++) {
      const isEdge = edges.has(a * v + b);
      if (simplicial && !isEdge) continue;
      let sum = y[a] + y[b];
      for (const { multiplier, sides } of cuts) if (sides[a] !== sides[b]) sum += multiplier;
      if (sum > 0n) positive += sum;
      if (sum > 0n || (isEdge && sum < 0n)) strict = true;
    }
  }
  ensure(positive <= 2n * total, () => "its sums do not contradict the angles");
  ensure(strict, () => "its sums are all zero");
}
