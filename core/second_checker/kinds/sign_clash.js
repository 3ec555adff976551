/* NO for d = d_hid = 1: two claims about the sign of c in the logits c x_i x_j. */

const asThree = (value, place) => {
  const numbers = asNumbers(value, place);
  requireLength(numbers, 3, place);
  return numbers;
};

const asPair = (value, place) => {
  const pair = asIndices(value, place);
  requireLength(pair, 2, place);
  return pair;
};

defineKind("sign-clash", {
  answer: "NO",
  members: { positive: asThree, negative: asThree, splits: asListOf(asRecord({ rows: asPair, columns: asPair })) },
  scope({ positive, negative, splits }) {
    const claims = [positive, negative];
    const rows = [...claims.map((claim) => claim[0]), ...splits.flatMap((split) => split.rows)];
    const columns = [...claims.flatMap((claim) => claim.slice(1)), ...splits.flatMap((split) => split.columns)];
    return { rows: [...new Set(rows)], columns: [...new Set(columns)] };
  },
  check(question, proof) {
    const { positive, negative, splits } = proof;
    const { rows, columns } = scopeOf(proof);
    checkScope(question, rows, columns, 1);
    ensure(question.hidden === 1, () => `it refutes d = d_hid = 1, not d_hid = ${question.hidden}`);
    const { pattern } = question;
    const same = sameSigns(pattern, splits);
    checkClaim(pattern, positive, same, [1, 0]);
    checkClaim(pattern, negative, same, [0, 1]);
  },
});

/** Return for pairs of tokens, as "p,q" in both orders, whether they have the same sign. */
function sameSigns(pattern, splits) {
  const same = new Map();
  for (const { rows: [p, q], columns } of splits) {
    const [pj, pk, qj, qk] = [p, q].flatMap((row) => columns.map((column) => pattern.entry(row, column)));
    ensure(
      pj + pk === 1 && qj + qk === 1 && ![pj, pk, qj, qk].includes(STAR),
      () => `columns ${columns.join(" and ")} are not split by both of the rows ${p} and ${q}`,
    );
    same.set(`${p},${q}`, pj === qj).set(`${q},${p}`, pj === qj);
  }
  return same;
}

function checkClaim(pattern, [u, a, b], same, [entryA, entryB]) {
  ensure(a === u || same.get(`${u},${a}`) === true, () => `nothing shows that tokens ${u} and ${a} have the same sign`);
  ensure(same.get(`${u},${b}`) === false, () => `nothing shows that tokens ${u} and ${b} have opposite signs`);
  ensure(
    pattern.entry(u, a) === entryA && pattern.entry(u, b) === entryB,
    () => `row ${u} should have ${entryA} in column ${a} and ${entryB} in column ${b}`,
  );
}
