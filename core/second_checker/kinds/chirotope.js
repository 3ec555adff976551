/* NO: no orientations of d + 1 elements satisfy the clauses of the core. */

const LARGEST_RANK = 32;
const MOST_SIGNS = 2 ** 30;
const MOST_KINDS = 2 ** 29;
const MOST_CLAUSES = 10 ** 6;

const CHIROTOPE = defineKind("chirotope", {
  answer: "NO",
  members: {
    d: asWhole,
    rows: asIndices,
    columns: asIndices,
    elements: asChoice("rows", "columns"),
    relations: asRelations,
    lemmas: asClauses,
    polynomials: asListOf(asPolynomial),
  },
  optional: { symmetry: asSymmetry },
  check(question, proof) {
    const { d, rows, columns, lemmas, polynomials, symmetry } = proof;
    checkScope(question, rows, columns, d);
    const { elements, covectors } = configuration(question.pattern, proof);
    const relations = usedRelations(proof, elements, covectors.length);
    const variables = new Variables(elements, d + 1);
    checkRange(lemmas, variables.count);
    const propagation = new Propagation(variables.count);
    propagation.add([1]);
    for (const polynomial of polynomials) propagation.add(polynomialClause(variables, elements, polynomial));
    if (symmetry) {
      for (const clause of symmetryClauses(variables, elements, covectors, symmetry)) propagation.add(clause);
    }
    addCircuitClauses(variables, elements, covectors, propagation);
    if (relations) addRelationClauses(variables, elements, relations, propagation);
    checkLemmas(propagation, lemmas);
  },
});

function asRelations(value, place) {
  return typeof value === "boolean" ? value : asAscending(value, place);
}

/** Return the number of elements, and the signs of the covectors on them, row 0 of + included. */
function configuration(pattern, { rows, columns, elements }) {
  const lines = [new Uint8Array(columns.length).fill(1), ...pattern.part(rows, columns)];
  if (elements === "columns") return { elements: columns.length, covectors: lines };
  return { elements: lines.length, covectors: columns.map((_, b) => Uint8Array.from(lines, (line) => line[b])) };
}

/** Refuse what is too large to check; return the numbers of the relations, `true` for all, `false` for none. */
function usedRelations({ d, relations, symmetry }, elements, covectors) {
  const rank = d + 1;
  ensure(elements > rank && covectors > 0, () => `${elements} elements and ${covectors} covectors have no circuits in rank ${rank}`);
  const small = (holds) => ensureSmallEnough(holds, () => "its clauses are too many to check");
  small(rank <= LARGEST_RANK);
  const subsets = choose(elements, rank + 1);
  small(subsets * 2 ** rank <= MOST_KINDS && subsets * (rank + 1) * covectors <= MOST_SIGNS);
  const all = countRelations(elements, rank);
  if (Array.isArray(relations)) {
    const last = relations.at(-1) ?? -1;
    ensure(last < all, () => `it names relation ${last} of ${all}`);
    small(all <= MOST_CLAUSES);
  }
  const used = relations === true ? all : relations === false ? 0 : relations.length;
  const broken = symmetry ? countSymmetryClauses(symmetry) : 0;
  small(2 * subsets * Math.min(2 ** rank, covectors) + 16 * used + broken <= MOST_CLAUSES);
  if (typeof relations === "boolean") return relations;
  return new Set(relations);
}

/** Refuse lemmas with variables that do not exist. */
function checkRange(lemmas, variables) {
  lemmas.forEach((lemma, k) => {
    const far = lemma.find((literal) => Math.abs(literal) > variables);
    ensure(far === undefined, () => `lemma ${k} names a variable beyond ${variables}: ${far}`);
  });
}
