/* YES for distances: each row contains the keys in a ball around a center, all in integers. */

defineKind("balls", {
  answer: "YES",
  similarities: ["l2"],
  members: {
    centers: asMatrix,
    weights: (value, place, depth) => asWeights(value, place, depth, 1),
    keys: asMatrix,
    thresholds: asVector,
  },
  form({ centers, weights, keys, thresholds }, place) {
    EMBEDDING.form({ queries: centers, keys, thresholds }, place);
    requireLength(weights, centers.length, `${place}.weights`);
  },
  check({ pattern, d }, { centers, weights, keys, thresholds }) {
    ensureAtMost(keys[0].length, d);
    const queries = centers.map((center, i) => [...center.map((x) => safest(2n * BigInt(x))), safest(-BigInt(weights[i]))]);
    const lifted = keys.map((key) => [...key, safest(exactExcess(key, key, 0))]);
    checkLogits(pattern, queries, lifted, thresholds);
  },
});
