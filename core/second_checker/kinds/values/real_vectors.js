/* NO for a set of values: real vectors do not represent the pattern either. */

defineKind("real-vectors", {
  answer: "NO",
  similarities: VALUE_SETS,
  members: { proof: asRefutation },
  scope: ({ proof }) => scopeOf(proof),
  check({ pattern, d }, { proof }) {
    checkProof(freeQuestion(pattern, d), proof);
  },
});
