"""Orders of keys on circles and lines: seconds to decide and to check 100,000 x 100,000 entries.

One core; half a minute. Compiled code is loaded first. Then small patterns with don't-cares, for
which finding an order is NP-hard.
"""

from __future__ import annotations

import statistics
import time
from collections import Counter
from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np
import scipy.sparse
from shared.rows import Row

from samapprox import Pattern, Problem, Status, decide
from samapprox.proofs import KeyOrder, OddCycle, check
from samapprox.solvers.engine.search import Search
from samapprox.solvers.similarity.circular import find_proof

__all__ = ["circular"]

SIZE = 100_000
LONGEST = 19
"""Arcs have 1 to 19 ones: a million in all."""

MOST_SECONDS = 3.0

SHARES = (0.3, 0.5, 0.7)
KEYS = (8, 10, 12, 14)
LIMIT = 30.0  # seconds for a pattern with don't-cares

QUESTIONS: tuple[tuple[str, Any, int], ...] = (
    ("cosine", "cosine", 2),
    ("l2", "l2", 1),
)


def circular() -> Iterator[Row]:
    """Measure planted orders, the same with one entry moved, and one long cycle."""
    for _, similarity, d in QUESTIONS:
        decide(np.eye(3), d, similarity=similarity)
        decide(1 - np.eye(3), d, similarity=similarity)
    random = np.random.default_rng(0)
    instances = {
        "planted arcs": arcs(random, changes=0),
        "one entry moved": arcs(random, changes=1),
        "a hundred entries moved": arcs(random, changes=100),
        "one cycle through all keys": cycle(random),
    }
    for name, pattern in instances.items():
        for label, similarity, d in QUESTIONS:
            yield measure(
                f"{name}, {label} d = {d}, {pattern.count:,} ones", pattern, similarity, d
            )
    for label, similarity, d in QUESTIONS:
        yield with_dont_cares(label, similarity, d)


def with_dont_cares(label: str, similarity: Any, d: int) -> Row:
    """Count the answers for random patterns of 8 to 14 keys, 30 to 70 % of them don't-cares."""
    answers = Counter[Status]()
    seconds = []
    for share, keys, seed in product(SHARES, KEYS, range(3)):
        pattern = _open_pattern(np.random.default_rng([keys, seed, round(10 * share)]), keys, share)
        started = time.process_time()
        verdict = decide(pattern, d, similarity=similarity, time_limit=LIMIT)
        seconds.append(time.process_time() - started)
        answers[verdict.status] += 1
    counts = ", ".join(f"{answers[status]} {status.value}" for status in Status)
    return (
        f"don't-cares, {sum(answers.values())} random patterns of 8 to 14 keys, {label} d = {d}",
        f"{counts}; median {statistics.median(seconds):.2f} s, at most {max(seconds):.1f} s",
        "no UNKNOWN",
    )


def measure(name: str, pattern: Pattern, similarity: Any, d: int) -> Row:
    """Decide by the strategy, check its proof, and decide through the front door."""
    problem = Problem(pattern, d, similarity=similarity)
    started = time.perf_counter()
    proof = find_proof(problem, Search())
    found = time.perf_counter()
    assert isinstance(proof, KeyOrder | OddCycle), proof
    assert check(problem, proof) is None
    checked = time.perf_counter()
    verdict = decide(pattern, d, similarity=similarity)
    whole = time.perf_counter() - checked
    assert verdict.status is (Status.YES if isinstance(proof, KeyOrder) else Status.NO)
    steps = f", {len(proof.walk):,} steps" if isinstance(proof, OddCycle) else ""
    return (
        name,
        f"{verdict.status.value}{steps}; found in {found - started:.2f} s, checked in "
        f"{checked - found:.2f} s, `decide` {whole:.2f} s",
        f"{MOST_SECONDS:.0f} s",
    )


def arcs(random: np.random.Generator, changes: int) -> Pattern:
    """Return arcs of a hidden circular order, some of which have one key moved elsewhere."""
    order = random.permutation(SIZE)
    lengths = random.integers(1, LONGEST + 1, size=SIZE)
    lengths[:changes] = LONGEST
    starts = random.integers(SIZE, size=SIZE)
    indptr = np.concatenate(([0], np.cumsum(lengths)))
    places = np.repeat(starts - indptr[:-1], lengths) + np.arange(indptr[-1])
    columns = order[places % SIZE]
    middle = indptr[:changes] + LONGEST // 2
    columns[middle] = order[(places[middle] + SIZE // 2) % SIZE]
    return _pattern(indptr, columns)


def cycle(random: np.random.Generator) -> Pattern:
    """Return pairs of neighbours around a circle: no proof of NO on a line is shorter than that."""
    order = random.permutation(SIZE)
    pairs = np.column_stack([order, np.roll(order, 1)])[random.permutation(SIZE)]
    return _pattern(2 * np.arange(SIZE + 1), pairs.ravel())


def _open_pattern(random: np.random.Generator, keys: int, share: float) -> Pattern:
    """Draw a pattern, one entry of each row 1, in which so large a share of entries is open."""
    rows = int(random.integers(keys // 2, 2 * keys))
    chances = [share, (1 - share) / 2, (1 - share) / 2]
    entries = random.choice([-1, 0, 1], p=chances, size=(rows, keys))
    entries[np.arange(rows), random.integers(0, keys, rows)] = 1
    return Pattern.from_array(entries == 1, entries >= 0)


def _pattern(indptr: np.ndarray, columns: np.ndarray) -> Pattern:
    ones = np.ones(len(columns), dtype=np.int8)
    return Pattern.from_sparse(scipy.sparse.csr_array((ones, columns, indptr), (SIZE, SIZE)))
