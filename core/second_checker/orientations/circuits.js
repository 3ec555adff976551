/* Clauses against the signs of covectors on r + 1 elements, which have one linear dependence. */

/**
 * Add the clauses against all covectors on all (r + 1)-subsets.
 *
 * @param {Variables} variables of the r-subsets
 * @param {number} elements
 * @param {Uint8Array[]} covectors entries 1 (+), 0 (-) and `STAR` (not defined) on the elements
 * @param {Propagation} propagation
 */
function addCircuitClauses(variables, elements, covectors, propagation) {
  const size = variables.rank + 1;
  forEachSubset(elements, size, (subset) => {
    const brackets = bracketsOf(variables, subset);
    for (const signs of signsOn(covectors, subset)) {
      const clause = brackets.map((bracket, t) => (((signs >> t) & 1) === 1 ? -bracket : bracket));
      propagation.add(clause);
      propagation.add(clause.map((literal) => -literal));
    }
  });
}

/** Return (-1)^t times the variable of the subset without its element t, for each t. */
function bracketsOf(variables, subset) {
  return subset.map((_, t) => {
    const variable = variables.of(subset.filter((_, u) => u !== t));
    return t % 2 === 0 ? variable : -variable;
  });
}

/** Return the different signs of covectors on the subset, bit t for element t, up to a common sign. */
function signsOn(covectors, subset) {
  const found = new Set();
  const all = 2 ** subset.length - 1;
  for (const covector of covectors) {
    let signs = 0;
    let defined = true;
    for (let t = 0; t < subset.length && defined; t++) {
      const entry = covector[subset[t]];
      if (entry === STAR) defined = false;
      else signs |= entry << t;
    }
    if (defined) found.add(signs & 1 ? signs : all ^ signs);
  }
  return found;
}
