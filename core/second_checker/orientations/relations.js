/* Three-term Grassmann-Pluecker relations. */

/** The places of the brackets of [A b c][A d e] - [A b d][A c e] + [A b e][A c d] among b, c, d, e. */
const BRACKETS = [[0, 1], [2, 3], [0, 2], [1, 3], [0, 3], [1, 2]];

/** Return the variables of a relation's six brackets, in the order of `BRACKETS`. */
function relationBrackets(variables, fixed, four) {
  return BRACKETS.map((pair) => variables.ofUnordered([...fixed, ...pair.map((k) => four[k])]));
}

function countRelations(elements, rank) {
  return choose(elements, rank + 2) * choose(rank + 2, 4);
}

/**
 * Add the clauses of the relations with these numbers, or of all.
 *
 * @param {Set<number> | true} numbers
 */
function addRelationClauses(variables, elements, numbers, propagation) {
  const { rank } = variables;
  const places = [];
  forEachSubset(rank + 2, 4, (four) => places.push([...four]));
  let number = 0;
  forEachSubset(elements, rank + 2, (union) => {
    for (const four of places) {
      if (numbers === true || numbers.has(number)) {
        const fixed = union.filter((_, place) => !four.includes(place));
        const brackets = relationBrackets(variables, fixed, four.map((place) => union[place]));
        for (const clause of relationClauses(brackets)) propagation.add(clause);
      }
      number++;
    }
  });
}

/** Return the 16 clauses against three terms of one sign. */
function relationClauses([x1, x2, x3, x4, x5, x6]) {
  const clauses = [];
  for (const s of [1, -1]) {
    for (const f of [1, -1]) {
      for (const g of [1, -1]) {
        for (const h of [1, -1]) clauses.push([-f * x1, -f * s * x2, -g * x3, g * s * x4, -h * x5, -h * s * x6]);
      }
    }
  }
  return clauses;
}
