/* NO for ranks: patterns to which the question reduces are refuted. */

const asLines = (value, place) => {
  const lines = asIndices(value, place);
  requireAtLeast(lines, 1, place);
  return lines;
};

const asCase = asRecord({
  form: asChoice("relative", "doubled", "zeros", "ones", "plain"),
  rows: asLines,
  columns: asLines,
  proof: asRefutation,
});

/** The forms of the cases, sorted, that each kind of rank allows. */
const RANK_FORMS = { sign: ["relative", "doubled"], global: ["ones,zeros"], row: ["plain"] };

defineKind("rank-refutation", {
  answer: "NO",
  task: "rank",
  members: { cases: asListOf(asCase) },
  form({ cases }, place) {
    requireAtLeast(cases, 1, `${place}.cases`);
  },
  check({ pattern, rank, thresholds }, { cases }) {
    const forms = cases.map(({ form }) => form).sort().join();
    ensure(RANK_FORMS[thresholds].includes(forms), () => `cases of the forms ${forms} do not refute this kind of rank`);
    const entries = cases.map(({ form, rows, columns }) => rows.length * (form === "doubled" ? 2 * columns.length : columns.length + 1));
    const all = entries.reduce((sum, count) => sum + count, 0);
    for (const { rows, columns } of cases) checkCore(pattern, rows, columns, all);
    for (const { form, rows, columns, proof } of cases) {
      const reduced = REDUCTIONS[form](pattern.part(rows, columns));
      ensure(reduced.length > 0, () => "a relative case has a single row");
      const d = form === "relative" ? rank - 1 : rank;
      ensure(d >= 1, () => "a relative case does not refute rank 1");
      checkProof(freeQuestion(patternOfRows(reduced), d), proof);
    }
  },
});

const REDUCTIONS = {
  plain: (core) => core,
  zeros: (core) => core.map((row) => Uint8Array.of(...row, 0)),
  ones: (core) => core.map((row) => Uint8Array.of(...row, 1)),
  doubled: (core) => core.map((row) => Uint8Array.of(...row, ...complement(row))),
  relative([first, ...others]) {
    ensure(!first.includes(STAR), () => "the first row of a relative case has a don't-care");
    return others.map((row) => {
      const opposite = complement(row);
      return row.map((entry, b) => (first[b] === 1 ? entry : opposite[b]));
    });
  },
};
