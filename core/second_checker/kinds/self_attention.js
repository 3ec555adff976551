/* YES: tokens X and the matrices W_Q and W_K. */

defineKind("self-attention", {
  answer: "YES",
  members: { X: asMatrix, W_Q: asMatrix, W_K: asMatrix, thresholds: asVector },
  form({ X, W_Q, W_K, thresholds }, place) {
    const hidden = X[0].length;
    if (W_Q.length !== hidden || W_K.length !== hidden || W_Q[0].length !== W_K[0].length) {
      throw new Unreadable(`${place}: the sizes of X, W_Q and W_K do not fit together`);
    }
    requireLength(thresholds, X.length, `${place}.thresholds`);
  },
  check({ pattern, d, hidden }, { X, W_Q, W_K, thresholds }) {
    ensureAtMost(W_Q[0].length, d);
    ensure(hidden === null || X[0].length <= hidden, () => `its tokens have ${X[0].length} numbers, more than d_hid = ${hidden}`);
    ensure(
      pattern.rows === X.length && pattern.columns === X.length,
      () => `it has ${X.length} tokens for ${pattern.rows} x ${pattern.columns} entries`,
    );
    checkLogits(pattern, product(X, W_Q), product(X, W_K), thresholds);
  },
});

/** Return the product of two matrices of integers, exactly. */
function product(left, right) {
  const count = left.length * right.length * right[0].length;
  ensureSmallEnough(count <= MOST_PRODUCTS, () => `it needs more than ${MOST_PRODUCTS} products: too large to check here`);
  const columns = right[0].map((_, k) => right.map((row) => row[k]));
  return left.map((row) => columns.map((column) => safest(exactExcess(row, column, 0))));
}
