"""Ceilings and embeddings on LIMIT, and planted embeddings with flipped entries."""

from __future__ import annotations

import time
from collections.abc import Iterator

import numpy as np
from shared.rows import Row

from samapprox import Embedding, Pattern, data, load
from samapprox.proofs.exact import exact_matmul
from samapprox.proofs.questions import Fit
from samapprox.solvers.engine.search import Search
from samapprox.solvers.questions.fits import placement, robust, split_counts
from samapprox.solvers.questions.fits.turns import Refuted

CEILINGS = {1: 2, 2: 69, 3: 132, 4: 1000}
"""Dimension -> the largest number of LIMIT's queries that can be right."""

SECONDS = 60.0
PLANTED, D, FLIPPED = 1000, 3, 0.01
SEEDS = (1, 2, 3)


def ceilings() -> Iterator[Row]:
    """Bound and embed LIMIT, and embed 1,000 x 1,000 entries of which 1 % are flipped."""
    pattern = load(data.path("limit/limit.npz"))
    rows = pattern.shape[0]
    for d, right in CEILINGS.items():
        bound = split_counts.find_bound(
            Fit(pattern, d, max(0, rows - right - 1)), Search.within(SECONDS, 0)
        )
        most = rows - bound.wrong - 1 if isinstance(bound, Refuted) else rows
        start = time.perf_counter()
        found = placement.find_embedding(Fit(pattern, d, rows - right), Search.within(SECONDS, 0))
        seconds = time.perf_counter() - start
        count = rows - int(count_wrong(pattern, found).any(axis=1).sum())
        name = f"LIMIT, right queries in d = {d}"
        yield name, f"{count} found in {seconds:.1f} s, at most {most}", f"{right} of {rows:,}"
    for seed in SEEDS:
        pattern, flips = plant(seed)
        start = time.perf_counter()
        planted = robust.find_embedding(
            Fit(pattern, D, flips, "entries"), Search.within(SECONDS, seed)
        )
        seconds = time.perf_counter() - start
        assert isinstance(planted, Embedding | str)  # the question is about dot products
        wrong = int(count_wrong(pattern, planted).sum())
        name = f"{PLANTED:,} x {PLANTED:,} of d = {D}, {FLIPPED:.0%} flipped, seed {seed}"
        yield name, f"{wrong:,} wrong after {seconds:.0f} s", f"<= {flips:,} in {SECONDS:.0f} s"


def plant(seed: int) -> tuple[Pattern, int]:
    """Plant an embedding and flip entries; return the pattern and the number of flips."""
    random = np.random.default_rng(seed)
    keys, queries = (random.normal(size=(PLANTED, D)) for _ in range(2))
    logits = queries @ keys.T
    ones = logits > np.median(logits, axis=1, keepdims=True)
    flipped = random.random(ones.shape) < FLIPPED
    return Pattern.from_array(ones ^ flipped), int(flipped.sum())


def count_wrong(pattern: Pattern, found: Embedding | str) -> np.ndarray:
    """Return which entries an embedding gets wrong, in exact arithmetic; all if there is none."""
    entries = pattern.to_array()
    if isinstance(found, str):
        return np.ones(entries.shape, dtype=np.bool_)
    logits = exact_matmul(found.queries, found.keys.T)
    return np.asarray((entries >= 0) & (entries != (logits > found.thresholds[:, None])))
