/* YES for mean recalls: a proof of the pattern in which missed ones and zeros before ones are don't-cares. */

defineKind("recall-embedding", {
  answer: "YES",
  task: "recall",
  similarities: SIMILARITIES,
  members: { missed: asElements, above: asElements, proof: asWitness },
  check({ pattern, d, at, numerator, denominator, similarity }, { missed, above, proof }) {
    const stars = [...missed, ...above];
    const beyond = stars.find((number) => number >= pattern.rows * pattern.columns);
    ensure(beyond === undefined, () => `it names the entry ${beyond}, which is none`);
    const lines = sparseLines(pattern);
    const [ones, zeros] = [missed, above].map((numbers) => columnsByRow(pattern, numbers));
    for (const [i, columns] of ones) {
      const own = new Set(lines[i].ones);
      for (const j of columns) ensure(own.has(j), () => `entry (${i}, ${j}) is no one`);
    }
    for (const [i, columns] of zeros) {
      const specified = new Set([...lines[i].ones, ...lines[i].stars]);
      for (const j of columns) ensure(!specified.has(j), () => `entry (${i}, ${j}) is no zero`);
    }
    const unit = leastMultiple(lines.map((line) => line.ones.length));
    let recall = 0n; // in 1 / unit
    lines.forEach((line, i) => {
      const found = line.ones.length - (ones.get(i)?.length ?? 0);
      const before = zeros.get(i)?.length ?? 0;
      ensure(found === 0 || found + before <= at, () => `row ${i} has ${found + before} ones and zeros before them, more than ${at}`);
      recall += (BigInt(found) * unit) / BigInt(line.ones.length);
    });
    const least = numerator * BigInt(pattern.rows) * unit;
    ensure(recall * denominator >= least, () => "its mean recall is too small");
    const changed = lines.map((line, i) => {
      const left = new Set(ones.get(i) ?? []);
      const added = [...(ones.get(i) ?? []), ...(zeros.get(i) ?? [])];
      return { ones: line.ones.filter((j) => !left.has(j)), stars: [...line.stars, ...added].sort((a, b) => a - b) };
    });
    const right = withoutEmptyRows(changed);
    ensure(right.length > 0, () => "it misses all ones");
    const about = new Pattern(pattern.columns, right.map((line) => line.ones), right.map((line) => line.stars));
    checkProof(freeQuestion(about, d, similarity), proof);
  },
});
