/* YES for margins: queries and keys of norm at most 1, as integers and a scale. */

const MOST_LONG_PRODUCTS = 2 ** 25; // of numbers whose sums exceed 2^62

defineKind("unit-embedding", {
  answer: "YES",
  task: "margin",
  members: { query_scale: asWhole, key_scale: asWhole, queries: asMatrix, keys: asMatrix, thresholds: asVector },
  form: (proof, place) => EMBEDDING.form(proof, place),
  check({ pattern, numerator, denominator, d }, { query_scale, key_scale, queries, keys, thresholds }) {
    if (d !== null) ensureAtMost(queries[0].length, d);
    ensureSmallNumbers(pattern, queries, keys);
    checkNorms(queries, query_scale, "query");
    checkNorms(keys, key_scale, "key");
    const margin = numerator * BigInt(query_scale) * BigInt(key_scale);
    const scaled = queries.map((query) => query.map((x) => safest(denominator * BigInt(x))));
    const shifted = (shift) => thresholds.map((t) => safest(denominator * BigInt(t) + shift));
    checkExcess(pattern, scaled, keys, shifted(margin), (entry, sign) => entry === 0 || sign >= 0);
    checkExcess(pattern, scaled, keys, shifted(-margin), (entry, sign) => entry === 1 || sign <= 0);
  },
});

function checkNorms(vectors, scale, name) {
  const most = BigInt(scale) ** 2n;
  const long = vectors.findIndex((vector) => exactExcess(vector, vector, 0) > most);
  ensure(long < 0, () => `${name} ${long} is longer than 1`);
}

function ensureSmallNumbers({ rows, columns }, queries, keys) {
  const d = queries[0].length;
  const largest = [queries, keys].map((vectors) =>
    vectors.flat().reduce((most, x) => Math.max(most, Math.abs(Number(x))), 1),
  );
  ensureSmallEnough(
    rows * columns * d <= MOST_LONG_PRODUCTS || d * largest[0] * largest[1] < 2 ** 62,
    () => "its numbers are too large to check",
  );
}
