/* NO where queries and keys share X: no orientations of tokens satisfy the clauses of the core. */

defineKind("shared-chirotope", {
  answer: "NO",
  members: { d_hid: asWhole, rows: asAscending, columns: asAscending, relations: asFlag, lemmas: asClauses },
  optional: { d: asWhole },
  form({ d_hid, d = d_hid }, place) {
    if (!(d <= d_hid && d_hid < 2 * d)) throw new Unreadable(`${place}: d <= d_hid < 2d is needed`);
  },
  check(question, proof) {
    const { d_hid, d = d_hid, rows, columns, relations, lemmas } = proof;
    checkScope(question, rows, columns, d);
    ensure(question.coupled && question.hidden <= d_hid, () => `it refutes d_hid = ${d_hid} for d = ${d}, not ${question.hidden}`);
    ensureSmallEnough(d_hid < LARGEST_RANK, () => `d_hid = ${d_hid} is too large to check`);
    ensure(Math.max(rows.length, columns.length) + d_hid - d > d, () => "its core has no circuits");
    const sizes = tokenSizes(proof);
    ensureSmallEnough(countTokenClauses(sizes, relations) <= MOST_CLAUSES, () => "its clauses are too many to check");
    const tokens = new Tokens(proof, sizes);
    checkRange(lemmas, tokens.last);
    const propagation = new Propagation(tokens.last);
    propagation.add([1]);
    const core = question.pattern.part(rows, columns);
    addCovectorClauses(tokens.chi, tokens.keys, keyCovectors(tokens, core), propagation);
    addCovectorClauses(tokens.psi, tokens.queries, queryCovectors(tokens, core), propagation);
    if (relations) {
      addRelationClauses(tokens.chi, tokens.keys, true, propagation);
      addRelationClauses(tokens.psi, tokens.queries, true, propagation);
    }
    checkLemmas(propagation, lemmas);
  },
});
