"""Descents through the rounding: what they find is exact, and right in the number format."""

from __future__ import annotations

import numpy as np
import pytest

from samapprox import Embedding, Pattern, Problem
from samapprox.precision import EMBEDDING_FORMATS, _round, round_floats, rows_lost
from samapprox.proofs import check
from samapprox.solvers.engine.search import Search
from samapprox.solvers.questions.margins.ascent import Vectors, smooth_margin
from samapprox.solvers.questions.margins.straight_through import descend


def planted(seed: int, size: int, d: int) -> tuple[np.ndarray, Vectors]:
    """Draw vectors in d dimensions, and the rows of half of the keys that they cut off."""
    random = np.random.default_rng(seed)
    queries, keys = random.standard_normal((2, size, d))
    logits = queries @ keys.T
    entries = (logits > np.median(logits, axis=1)[:, None]).astype(np.int8)
    return entries, Vectors(queries, keys / np.linalg.norm(keys, axis=1).max())


@pytest.mark.parametrize("arithmetic", ["bfloat16", "float8_e4m3", "int8"])
def test_rows_that_a_format_loses_are_mended(arithmetic: str) -> None:
    entries, vectors = planted(0, 16, 4)
    pattern = Pattern.from_array(entries)
    whole = [np.rint(part * 2**20).astype(np.int64) for part in (vectors.queries, vectors.keys)]
    before = Embedding(*whole, np.zeros(16, dtype=np.int64))
    found = next(descend(entries, vectors, arithmetic, Search.within(60, 0)))
    assert check(Problem(pattern, 4), found) is None
    assert rows_lost(pattern, found, arithmetic) == []
    if arithmetic == "float8_e4m3":  # the others keep these rows without help
        assert rows_lost(pattern, before, arithmetic)


def test_the_time_limit_is_kept() -> None:
    entries, vectors = planted(1, 16, 4)
    search = Search.within(60, 0)
    search.stop()
    assert list(descend(entries, vectors, "int8", search)) == []


@pytest.mark.parametrize("arithmetic", EMBEDDING_FORMATS)
@pytest.mark.parametrize("axis", [1, None])
def test_floats_are_rounded_as_whole_numbers_are(arithmetic: str, axis: int | None) -> None:
    numbers = np.random.default_rng(0).integers(-(2**20), 2**20, (7, 5))
    numbers[2] = 0
    exact = _round(numbers.astype(object), axis, arithmetic).astype(np.float64)
    assert (round_floats(numbers.astype(np.float64), axis, arithmetic) == exact).all()


@pytest.mark.parametrize("sharpness", [1.0, 30.0, 1e3, 1e6])
def test_the_soft_minimum_is_that_of_its_formula(sharpness: float) -> None:
    """Minus the logarithm of the sum of exp(-sharpness distance), with the best thresholds."""
    random = np.random.default_rng(2)
    entries = random.integers(-1, 2, (9, 11)).astype(np.int8)
    entries[:, :2] = [1, 0]
    logits = random.standard_normal(entries.shape)
    sides = []
    for sign, value in ((-1, 1), (1, 0)):
        powers = np.where(entries == value, sign * sharpness * logits, -np.inf)
        sides.append(np.logaddexp.reduce(powers, axis=1))
    formula = -(np.log(2) + np.logaddexp.reduce(sum(sides) / 2)) / sharpness
    value, weights = smooth_margin(entries, logits, sharpness)
    assert value == pytest.approx(formula, rel=1e-12)
    assert np.abs(weights.sum(axis=1)).max() < 1e-12
    assert np.abs(weights).sum() == pytest.approx(1)
    assert (weights[entries < 0] == 0).all()
    assert (weights * (2 * entries - 1) >= 0)[entries >= 0].all()
