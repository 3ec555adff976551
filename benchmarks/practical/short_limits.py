"""Wrong rows within short limits, and wrong entries of planted patterns under each similarity."""

from __future__ import annotations

import time
from collections.abc import Iterator

import numpy as np
from shared.rows import Row

from practical.fits import list_heads
from samapprox import Pattern, data, fit, load

__all__ = ["plant_similar", "short_limits"]

LIMITS = (0.2, 1.0, 5.0)
TOKENS, SIZE = 1_000, 200
PLANTED_SECONDS, D, FLIPPED = 10.0, 3, 0.01
SIMILARITIES: tuple[str, ...] = ("dot", "cosine", "l2")
SEEDS = (0, 1, 2)


def short_limits() -> Iterator[Row]:
    """Add up the wrong rows of heads, LIMIT and random patterns; count planted wrong entries."""
    heads = [(question.pattern, question.d) for question in list_heads(TOKENS)]
    limit = load(data.path("limit/limit.npz"))
    random = np.random.RandomState(0)
    noise = [Pattern.from_array(random.rand(SIZE, SIZE) < share) for share in (0.1, 0.5)]
    parts = {
        f"{len(heads)} heads, d - 1": heads,
        "LIMIT, d = 1, 2, 3": [(limit, d) for d in (1, 2, 3)],
        f"two random {SIZE} x {SIZE}, d = 1, 2, 4": [(one, d) for one in noise for d in (1, 2, 4)],
    }
    for seconds in LIMITS:
        for name, questions in parts.items():
            found, slowest = [], 0.0
            for pattern, d in questions:
                start = time.perf_counter()
                found.append(fit(pattern, d, time_limit=seconds))
                slowest = max(slowest, time.perf_counter() - start)
            lower, upper = (sum(getattr(one, side) for one in found) for side in ("lower", "upper"))
            yield f"{name}, {seconds:g} s", f"{lower}..{upper} rows, slowest {slowest:.2f} s", "-"
    for similarity in SIMILARITIES:
        for seed in SEEDS:
            pattern, flips = plant_similar(seed, similarity)
            wrong = fit(
                pattern, D, unit="entries", similarity=similarity, time_limit=PLANTED_SECONDS
            ).upper
            name = f"{SIZE} x {SIZE} of d = {D}, {similarity}, {FLIPPED:.0%} flipped, seed {seed}"
            yield name, f"{wrong} wrong entries", f"<= {flips} in {PLANTED_SECONDS:.0f} s"


def plant_similar(seed: int, similarity: str) -> tuple[Pattern, int]:
    """Plant an embedding under a similarity and flip entries; return the number of flips, too."""
    random = np.random.default_rng(seed)
    keys, queries = (random.normal(size=(SIZE, D)) for _ in range(2))
    if similarity == "cosine":
        keys /= np.linalg.norm(keys, axis=1, keepdims=True)
    scores = queries @ keys.T
    if similarity == "l2":
        scores = 2 * scores - (keys**2).sum(axis=1)
        shares = random.uniform(0.5, 0.9, size=SIZE)  # of zeros
    else:
        shares = np.full(SIZE, 0.5)
    thresholds = [np.quantile(row, share) for row, share in zip(scores, shares, strict=True)]
    ones = scores > np.array(thresholds)[:, None]
    flipped = random.random(ones.shape) < FLIPPED
    return Pattern.from_array(ones ^ flipped), int(flipped.sum())
