"""Margins: how close the proven bounds come for 100 queries and keys, and known margins."""

from __future__ import annotations

import time
from collections.abc import Iterator
from fractions import Fraction

import numpy as np
from shared.rows import Row

from samapprox import MarginBounds, dimension_in_arithmetic, margin

SIZE, SECONDS = 100, 30.0
DENSITIES = (0.02, 0.1, 0.3, 0.5)
IDENTITIES = range(2, 33)
FORMATS = ("float64", "bfloat16", "float8_e4m3", "float8_e5m2", "int8")


def margins() -> Iterator[Row]:
    """Bound the margins of random patterns and of identities, and round embeddings to formats."""
    for density in DENSITIES:
        entries = random_entries(SIZE, density)
        started = time.perf_counter()
        found = margin(entries, time_limit=SECONDS)
        seconds = time.perf_counter() - started
        yield (
            f"{SIZE} x {SIZE} random entries, {density:.0%} ones",
            f"within {_gap(found):.2%}, {seconds:.0f} s",
            f"within 1 %, {SECONDS:.0f} s",
        )
    wrong = [n for n in IDENTITIES if not _holds(margin(np.eye(n)), Fraction(n, 2 * (n - 1)))]
    what = f"n x n identities, n = {IDENTITIES[0]} .. {IDENTITIES[-1]}, outside n / (2 (n - 1))"
    yield what, f"{len(wrong)} wrong", "0 wrong"
    for name in FORMATS:
        rounded = dimension_in_arithmetic(np.eye(64), name, time_limit=SECONDS)
        yield f"64 x 64 identity in {name}", f"d = {rounded.d} found", f">= {rounded.lower}"


def random_entries(size: int, density: float) -> np.ndarray:
    """Draw a square matrix with ones on the diagonal."""
    entries = np.random.default_rng(0).random((size, size)) < density
    entries[np.arange(size), np.arange(size)] = True
    return entries


def _gap(found: MarginBounds) -> float:
    assert found.upper is not None
    return float((found.upper - found.lower) / found.upper)


def _holds(found: MarginBounds, value: Fraction) -> bool:
    return found.upper is not None and found.lower <= value <= found.upper and _gap(found) < 0.01
