/* YES for cosines and distances: an order of the keys on a circle or line, in which each row is one run. */

defineKind("key-order", {
  answer: "YES",
  similarities: ["cosine", "l2"],
  members: { curve: asChoice("circle", "line"), places: asShort((value, place, depth) => asWeights(value, place, depth)) },
  check({ pattern, d, similarity }, { curve, places }) {
    const line = curve === "line";
    ensure(!line || similarity === "l2", () => `a line shows nothing for ${similarity}`);
    ensure(places.length === pattern.columns, () => `it has ${places.length} places for ${pattern.columns} columns`);
    const order = [...new Set(places)].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
    ensureAtMost(line || order.length <= 2 ? 1 : 2, d);
    const number = new Map(order.map((place, p) => [place, p]));
    const placeOf = Int32Array.from(places, (place) => number.get(place));
    const sizes = new Int32Array(order.length);
    for (const p of placeOf) sizes[p]++;
    for (let i = 0; i < pattern.rows; i++) {
      const values = valuesAtPlaces(pattern, i, placeOf, sizes);
      const runs = countRuns(values, order.length, line);
      ensure(runs <= 1, () => `row ${i} has ${runs} runs`);
    }
  },
});

/** Return [place, value] by ascending places, where a row has no zeros only: value 1, 0, or `STAR` if all its columns are. */
function valuesAtPlaces(pattern, i, placeOf, sizes) {
  const counts = new Map(); // place: its ones and its don't-cares
  for (const j of pattern.ones.row(i)) addCount(counts, placeOf[j], 0);
  for (const j of pattern.stars.row(i)) addCount(counts, placeOf[j], 1);
  const places = Int32Array.from(counts.keys()).sort();
  return Array.from(places, (p) => {
    const [ones, stars] = counts.get(p);
    ensure(ones === 0 || ones + stars === sizes[p], () => `row ${i} has a 1 and a 0 at one place`);
    return [p, ones > 0 ? 1 : stars === sizes[p] ? STAR : 0];
  });
}

function addCount(counts, place, which) {
  let count = counts.get(place);
  if (count === undefined) counts.set(place, (count = [0, 0]));
  count[which]++;
}

/** Count the ones whose predecessor is 0, around a circle or from a 0 in front of a line; places without a value are zeros. */
function countRuns(values, size, line) {
  const walk = (last) => {
    let runs = 0;
    let next = 0;
    for (const [place, value] of values) {
      if (place > next) last = 0;
      if (value === 1 && last === 0) runs++;
      if (value !== STAR) last = value;
      next = place + 1;
    }
    return { runs, last: next < size ? 0 : last };
  };
  return walk(line ? 0 : walk(STAR).last).runs;
}
