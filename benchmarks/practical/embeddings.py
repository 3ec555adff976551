"""Evaluation of given embeddings: time against a product of matrices, memory, and exactness.

Ratios are of wall seconds of processes that run one after the other.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse
from shared.child import Child, run
from shared.rows import Row

from samapprox import Pattern
from samapprox.similarities import SIMILARITIES
from samapprox.solvers.questions.evaluation.evaluate import evaluate_all

QUERIES, KEYS, D = 10_000, 100_000, 384
MOST_SECONDS = 900.0
SAMPLES = 2_000
"""Embeddings that are compared with fractions."""

_PRODUCT = """
import sys, numpy as np
queries, keys = (np.load(name) for name in sys.argv[1:])
for start in range(0, len(queries), 256):
    queries[start : start + 256] @ keys.T
"""


def embeddings() -> Iterator[Row]:
    """Evaluate judgements of few documents a query, and small embeddings with many near ties."""
    with tempfile.TemporaryDirectory() as folder:
        files = write_instance(Path(folder), np.random.default_rng(0))
        yield from _measure(files)
    wrong = sum(count_wrong(np.random.default_rng(seed)) for seed in range(SAMPLES))
    yield f"{SAMPLES:,} small embeddings with ties against fractions", f"{wrong} wrong", "0 wrong"


def write_instance(folder: Path, rng: np.random.Generator) -> list[str]:
    """Write judgements with 1 to 3 ones a row, and embeddings that get most of them right."""
    keys = rng.standard_normal((KEYS, D)).astype(np.float32)
    ones = [np.sort(rng.choice(KEYS, rng.integers(1, 4), replace=False)) for _ in range(QUERIES)]
    spreads = np.where(np.arange(QUERIES) % 3, 0.9, 6.0)[:, None]
    means = np.stack([keys[own].mean(axis=0) for own in ones])
    queries = (means + spreads * rng.standard_normal((QUERIES, D))).astype(np.float32)
    starts, columns = np.cumsum([0, *map(len, ones)]), np.concatenate(ones)
    matrix = scipy.sparse.csr_array((np.ones(len(columns)), columns, starts), (QUERIES, KEYS))
    names = [str(folder / name) for name in ("pattern.npz", "queries.npy", "keys.npy")]
    scipy.sparse.save_npz(names[0], matrix)
    np.save(names[1], queries)
    np.save(names[2], keys)
    return names


def _measure(files: Sequence[str]) -> Iterator[Row]:
    pattern, queries, keys = files
    start = time.perf_counter()
    subprocess.run([sys.executable, "-c", _PRODUCT, queries, keys], check=True)
    product = time.perf_counter() - start
    for similarity in (*SIMILARITIES, "all"):
        child = run(
            [
                *("fit", pattern, "--embeddings", f"{queries},{keys}"),
                *("--similarity", similarity, "--time-limit", "0.1"),
            ],
            most_seconds=MOST_SECONDS,
        )
        what = f"{QUERIES:,} x {KEYS:,}, d = {D}, float32, {similarity}"
        yield what, _describe(child, product), "20 s, 2 GB" if similarity != "all" else "-"


def _describe(child: Child, product: float) -> str:
    if child.status:
        return f"exit status {child.status}: {child.errors.strip()[-200:]}"
    ratio = child.seconds / product
    return f"{child.seconds:.1f} s ({ratio:.2f} x Q @ K.T in numpy), {child.gigabytes:.2f} GB"


def count_wrong(rng: np.random.Generator) -> int:
    """Count the wrong rows of one evaluation under all similarities."""
    rows, columns, d = (int(rng.integers(1, most)) for most in (6, 12, 6))
    kind = (np.float16, np.float32, np.float64)[int(rng.integers(3))]
    queries, keys = (
        (np.ldexp(rng.integers(-9, 10, (count, d)), rng.integers(-8, 6, (count, 1)))).astype(kind)
        for count in (rows, columns)
    )
    queries[:, 0], keys[:, 0] = 1, np.where(keys[:, 0] == 0, 1, keys[:, 0])
    keys = np.where(rng.random((columns, 1)) < 0.3, keys[0], keys)
    moved = np.nextafter(keys, kind(0))
    keys = np.where(rng.random((columns, d)) < 0.1, moved, keys).astype(kind)
    entries = rng.random((rows, columns)) < 0.4
    entries[np.arange(rows), rng.integers(0, columns, rows)] = True
    found = evaluate_all(Pattern(entries), queries, keys, list(SIMILARITIES))
    exact = [[Fraction(entry) for entry in key] for key in keys.tolist()]
    wrong = 0
    for row, query in enumerate(queries.tolist()):
        for similarity, result in found.items():
            ranks = [_rank([Fraction(entry) for entry in query], key, similarity) for key in exact]
            lowest = min(rank for rank, one in zip(ranks, entries[row], strict=True) if one)
            above = sum(
                rank >= lowest for rank, one in zip(ranks, entries[row], strict=True) if not one
            )
            wrong += above != result.zeros_above[row]
    return wrong


def _rank(query: list[Fraction], key: list[Fraction], similarity: str) -> Any:
    """Return a number in the order of the similarity with one query."""
    product = sum((a * b for a, b in zip(query, key, strict=True)), Fraction(0))
    if similarity == "dot":
        return product
    if similarity == "l2":
        return -sum(((a - b) ** 2 for a, b in zip(query, key, strict=True)), Fraction(0))
    return product * abs(product) / sum((entry * entry for entry in key), Fraction(0))
