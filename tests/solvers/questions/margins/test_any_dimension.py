"""Bounds on the margin in any dimension: what they rest on passes the check."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from numpy.random import RandomState as Random

from samapprox import Pattern
from samapprox.proofs.checker import check
from samapprox.proofs.questions import Margin
from samapprox.solvers.engine.search import Search
from samapprox.solvers.questions.margins.any_dimension import AnyDimension


def entries_of(seed: int) -> np.ndarray:
    """Every row has a one and a zero, as in a simplified pattern."""
    entries = (Random(seed).rand(9, 7) < 0.5).astype(np.int8)
    entries[:, 0], entries[:, 1] = 1, 0
    return entries


@pytest.mark.parametrize("seed", range(3))
def test_bounds_close_and_pass_the_check(seed: int) -> None:
    entries = entries_of(seed)
    reports: list[tuple[Fraction, Fraction]] = []

    def report() -> None:
        lower = Fraction(0) if bounding.yes is None else bounding.yes[0]
        reports.append((lower, bounding.no[0]))

    bounding = AnyDimension(entries, Search.within(600, 0), report)
    bounding.run(1.0)
    assert bounding.yes is not None
    (lower, embedding), (upper, dual) = bounding.yes, bounding.no
    assert 0 < lower <= upper <= lower * Fraction(101, 100)
    pattern = Pattern(entries)
    for value, proof in ((lower, embedding), (upper, dual)):
        assert check(Margin(pattern, value.numerator, value.denominator, None), proof) is None
    lowers, uppers = zip(*reports, strict=True)
    assert list(lowers) == sorted(lowers)
    assert list(uppers) == sorted(uppers, reverse=True)


@pytest.mark.parametrize(
    "entries", [entries_of(0), np.eye(2, dtype=np.int8)], ids=["large", "small"]
)
def test_without_time_the_bound_is_trivial_and_proven(entries: np.ndarray) -> None:
    """By the one and the zero of a row, which are at other places in the rows of a unit matrix."""
    bounding = AnyDimension(entries, Search.within(20, 0), lambda: None)
    assert bounding.yes is None
    assert bounding.no[0] == 1
    assert check(Margin(Pattern(entries), 1, 1, None), bounding.no[1]) is None
