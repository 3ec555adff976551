/* Subsets of elements 0 .. N - 1 and their numbers. */

/** Return the binomial coefficient C(n, k) as a number, exact below 2^53; k is small. */
function choose(n, k) {
  if (k < 0 || k > n) return 0;
  let found = 1n;
  for (let t = 0; t < k; t++) found = (found * BigInt(n - t)) / BigInt(t + 1);
  return Number(found);
}

/** Variables of the r-subsets of N elements: one more than the subset's colexicographic rank. */
class Variables {
  constructor(elements, rank) {
    this.rank = rank;
    this.count = choose(elements, rank);
    this.binomials = Array.from({ length: rank + 1 }, (_, k) => Float64Array.from({ length: elements }, (_, e) => choose(e, k)));
  }

  /** Return the variable of an ascending subset. */
  of(subset) {
    let number = 1;
    for (let k = 0; k < subset.length; k++) number += this.binomials[k + 1][subset[k]];
    return number;
  }

  /** Return the variable of a subset in any order. */
  ofUnordered(subset) {
    return this.of([...subset].sort((a, b) => a - b));
  }
}

/** Go through the k-subsets of 0 .. n - 1 in lexicographic order; the visitor must not keep them. */
function forEachSubset(n, k, visit) {
  if (k > n) return;
  const subset = Array.from({ length: k }, (_, t) => t);
  for (;;) {
    visit(subset);
    let t = k - 1;
    while (t >= 0 && subset[t] === n - k + t) t--;
    if (t < 0) return;
    subset[t]++;
    for (let u = t + 1; u < k; u++) subset[u] = subset[u - 1] + 1;
  }
}
