/* Forms that are never negative, shown by a factor: the rest without its Gram matrix is diagonally dominant. */

const MOST_GRAM_PRODUCTS = 2 ** 30;
const FIRST_TOO_LARGE = 2n ** 60n;

/** Refuse numbers of at least 2^60, factors with such squares times their height, and factors of too many products. */
function checkFormSizes(numbers, factor) {
  const small = (x) => BigInt(x) < FIRST_TOO_LARGE;
  const height = BigInt(factor.length);
  ensureSmallEnough(
    numbers.every(small) && factor.every((line) => line.every((x) => small(height * BigInt(x) ** 2n))),
    () => "its numbers are too large to check",
  );
  ensureSmallEnough(factor.length * factor[0].length ** 2 <= MOST_GRAM_PRODUCTS, () => "its factor is too large to check");
}

/** Refuse a form, given by its diagonal and its entries (x, y) with x < y as a BigInt, whose rest is not diagonally dominant. */
function checkDominance(diagonal, entry, factor) {
  const gram = gramOf(factor);
  const others = diagonal.map(() => 0n); // sums of absolute values beside the diagonal
  for (let x = 0; x < diagonal.length; x++) {
    for (let y = x + 1; y < diagonal.length; y++) {
      const found = entry(x, y) - BigInt(gram(x, y));
      const absolute = found < 0n ? -found : found;
      others[x] += absolute;
      others[y] += absolute;
    }
  }
  diagonal.forEach((own, x) => {
    ensure(own - BigInt(gram(x, x)) >= others[x], () => `line ${x} of its rest is not dominated by the diagonal`);
  });
}
