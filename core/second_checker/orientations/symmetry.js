/*
 * Broken symmetries: clauses that hold for the orientations which come first, in the order of some
 * literals, among all images under automorphisms of the covectors and reflection.
 */

const MOST_IMAGES = 2 ** 28;
const MOST_COMPARISONS = 2 ** 25;

function asAutomorphism(value, place) {
  const found = asRecord({ permutation: asIndices, flipped: asIndices, clauses: asClauses })(value, place);
  const size = found.permutation.length;
  if (!found.permutation.every((e) => e < size)) throw new Unreadable(`${place}.permutation is not one of ${size} elements`);
  if (!found.flipped.every((e) => e < size)) throw new Unreadable(`${place}.flipped names more than ${size} elements`);
  return found;
}

const asSymmetry = asRecord({ order: asLiterals, automorphisms: asListOf(asAutomorphism) });

function countSymmetryClauses({ automorphisms }) {
  return automorphisms.reduce((sum, { clauses }) => sum + clauses.length, 0);
}

/** Refuse a symmetry that does not hold for the covectors; return its clauses. */
function symmetryClauses(variables, elements, covectors, { order, automorphisms }) {
  ensure(order[0] === 1, () => "the order of its symmetry does not begin with 1");
  const far = order.find((literal) => Math.abs(literal) > variables.count);
  ensure(far === undefined, () => `the order of its symmetry names a variable beyond ${variables.count}: ${far}`);
  checkSymmetrySize(variables, elements, covectors, order, automorphisms);
  const subsetOf = subsetsOfVariables(elements, variables, new Set(order.map(Math.abs)));
  const names = covectors.map(nameOfCovector);
  return automorphisms.flatMap(({ permutation, flipped, clauses }, number) => {
    ensure(permutation.length === elements, () => `automorphism ${number} permutes ${permutation.length} elements, not ${elements}`);
    const flips = new Uint8Array(elements);
    for (const e of flipped) flips[e] = 1;
    const images = new Set(covectors.map((covector) => nameOfCovector(moveCovector(covector, permutation, flips))));
    const lost = names.findIndex((name) => !images.has(name));
    ensure(lost < 0, () => `automorphism ${number} maps no covector to covector ${lost}`);
    const moved = order.map((literal) => imageOf(literal, subsetOf.get(Math.abs(literal)), variables, permutation, flips));
    const opposite = moved.map((literal) => -literal);
    checkRange(clauses, variables.count);
    clauses.forEach((clause, k) => {
      const literals = new Set(clause);
      ensure(
        putsFirst(literals, order, moved) || putsFirst(literals, order, opposite),
        () => `clause ${k} of automorphism ${number} does not follow from its images`,
      );
    });
    return clauses;
  });
}

function checkSymmetrySize({ rank }, elements, covectors, order, automorphisms) {
  const images = automorphisms.length * (elements * covectors.length + order.length * rank * rank);
  const literals = automorphisms.reduce((sum, { clauses }) => sum + clauses.length + clauses.flat().length, 0);
  ensureSmallEnough(images <= MOST_IMAGES && order.length * literals <= MOST_COMPARISONS, () => "its symmetry is too large to check");
}

/** Return the subsets that belong to the wanted variables. */
function subsetsOfVariables(elements, variables, wanted) {
  const found = new Map();
  forEachSubset(elements, variables.rank, (subset) => {
    const variable = variables.of(subset);
    if (wanted.has(variable)) found.set(variable, [...subset]);
  });
  return found;
}

/** Return the signs f(i) c(p(i)) of the covector c. */
function moveCovector(covector, permutation, flips) {
  return Uint8Array.from(permutation, (e, i) => (covector[e] === STAR ? STAR : covector[e] ^ flips[i]));
}

/** Return a text that names a covector, the same for the opposite signs. */
function nameOfCovector(covector) {
  const first = covector.find((entry) => entry !== STAR);
  return covector.map((entry) => (entry === STAR ? STAR : entry ^ first)).join("");
}

/** Return the literal that says, of the orientations before the move, what this one says after it. */
function imageOf(literal, subset, variables, permutation, flips) {
  const moved = subset.map((i) => permutation[i]);
  let sign = Math.sign(literal);
  subset.forEach((i, s) => {
    if (flips[i]) sign = -sign;
    for (let t = s + 1; t < moved.length; t++) if (moved[s] > moved[t]) sign = -sign;
  });
  return sign * variables.ofUnordered(moved);
}

/**
 * Return whether the clause only excludes orientations whose images come first: where it is false,
 * no literal before place k is truer than its image, and at k the image is true, the literal false.
 */
function putsFirst(clause, order, images) {
  for (let k = 0; k < order.length; k++) {
    if (order[k] === images[k]) continue;
    const [literal, image] = [clause.has(order[k]), clause.has(-images[k])];
    if (literal && image) return true;
    if (!literal && !image) return false;
  }
  return false;
}
