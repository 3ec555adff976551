"""Margins in single dimensions: LIMIT and all pairs of n keys, from both sides."""

from __future__ import annotations

import time
from collections.abc import Iterator
from math import sqrt

from shared.rows import Row

from samapprox import MarginBounds, Pattern, data, load, margin
from samapprox.reductions.families import generate

SECONDS = 60.0
KEYS = (8, 12, 16, 24, 32, 46)
GOALS = {8: 0.06, 12: 0.13}
"""Dimension -> the margin that the search should find for LIMIT."""


def dimension_margins() -> Iterator[Row]:
    """Bound the margins of LIMIT and of all pairs in d = 4 .. 12, and in all dimensions."""
    for n in (6, 8, 10, 46):
        found = margin(pairs(n), time_limit=SECONDS)
        exact = n / (2 * sqrt(2 * (n - 1) * (n - 2)))
        off = max(abs(float(bound or 0) - exact) for bound in (found.lower, found.upper))
        yield f"all pairs of {n} keys, all dimensions", f"within {off:.1e}", "within 1e-4"
    limit = load(next(path for path in data.files("limit") if path.suffix == ".npz"))
    yield from _of_dimensions("LIMIT", limit, GOALS)
    for n in KEYS:
        yield from _of_dimensions(f"all pairs of {n} keys", pairs(n), {})


def pairs(n: int) -> Pattern:
    """Return the pattern of all pairs of n keys."""
    return generate("all-subsets", n=n, k=2).pattern


def _of_dimensions(name: str, pattern: Pattern, goals: dict[int, float]) -> Iterator[Row]:
    started = time.perf_counter()
    found: MarginBounds = margin(
        pattern, dimensions=range(4, min(12, *pattern.shape) + 1), time_limit=SECONDS
    )
    seconds = time.perf_counter() - started
    before = 0.0
    for each in found.dimensions:
        lower, upper = float(each.lower), float(each.upper or 0)
        goal = f"at least {max(goals.get(each.d, 0.0), before):.4f}"
        yield f"{name}, d = {each.d}", f"{lower:.6f}..{upper:.6f}", goal
        before = lower
    yield f"{name}, all of these", f"{seconds:.0f} s", f"{SECONDS:.0f} s"
