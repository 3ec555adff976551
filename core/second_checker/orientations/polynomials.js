/* Biquadratic final polynomials: inequalities between terms that multiply to a contradiction. */

const asTerm = asChoice(0, 1, 2);

function asFour(value, place) {
  const four = asAscending(value, place);
  requireLength(four, 4, place);
  return four;
}

const asStep = asRecord({ power: asWhole, larger: asTerm, smaller: asTerm, fixed: asIndices, four: asFour });

/** Read a final polynomial. */
function asPolynomial(value, place) {
  const polynomial = asRecord({ signs: asLiterals, steps: asListOf(asStep) })(value, place);
  polynomial.steps.forEach(({ larger, smaller, fixed, four }, k) => {
    if (larger === smaller) throw new Unreadable(`${place}.steps[${k}] compares a term with itself`);
    if (fixed.some((e) => four.includes(e))) throw new Unreadable(`${place}.steps[${k}] has an element in fixed and in four`);
  });
  return polynomial;
}

/** Refuse a final polynomial that does not contradict its signs; return the clause against them. */
function polynomialClause(variables, elements, { signs, steps }) {
  ensure(steps.length > 0, () => "a final polynomial has no steps");
  const far = signs.find((literal) => Math.abs(literal) > variables.count);
  ensure(far === undefined, () => `a final polynomial names the orientation ${far} of ${variables.count}`);
  const signOf = new Map(signs.map((literal) => [Math.abs(literal), Math.sign(literal)]));
  const balance = new Map();
  steps.forEach((step, k) => {
    const terms = termsOfStep(variables, elements, step, k);
    ensure(isLarger(terms, step.larger, signOf), () => `step ${k} of a final polynomial does not follow from its signs`);
    const power = BigInt(step.power);
    for (const variable of terms[step.larger]) balance.set(variable, (balance.get(variable) ?? 0n) + power);
    for (const variable of terms[step.smaller]) balance.set(variable, (balance.get(variable) ?? 0n) - power);
  });
  ensure([...balance.values()].every((sum) => sum === 0n), () => "the two sides of a final polynomial differ");
  return signs.map((literal) => -literal);
}

/** Return the pairs of variables of the three terms. */
function termsOfStep(variables, elements, { fixed, four }, k) {
  ensure(
    fixed.length === variables.rank - 2 && [...fixed, ...four].every((e) => e < elements),
    () => `step ${k} of a final polynomial is no relation of ${elements} elements in rank ${variables.rank}`,
  );
  const brackets = relationBrackets(variables, fixed, four);
  return [brackets.slice(0, 2), brackets.slice(2, 4), brackets.slice(4, 6)];
}

/** Return whether the signs make this term differ in sign from both others, so that it is larger than each. */
function isLarger(terms, larger, signOf) {
  if (!terms.flat().every((variable) => signOf.has(variable))) return false;
  const signs = terms.map(([one, two], k) => signOf.get(one) * signOf.get(two) * (k === 1 ? -1 : 1));
  return signs.every((sign, k) => (k === larger ? sign === signs[larger] : sign === -signs[larger]));
}
