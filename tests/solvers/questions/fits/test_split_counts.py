"""Bounds by counting splits: their proofs hold, and none exceeds what an embedding attains."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from samapprox import Certificate, Pattern, data, load
from samapprox.proofs.questions import UNITS, Fit, Unit
from samapprox.similarities import SIMILARITIES
from samapprox.solvers.engine.search import Search
from samapprox.solvers.questions.fits.split_counts import find_bound
from samapprox.solvers.questions.fits.turns import Refuted

EVERYTHING = 10**9  # wrong items: the bound is as good as it can


@given(st.data())
@settings(max_examples=20)
def test_no_bound_exceeds_the_flipped_entries(drawn: st.DataObject) -> None:
    """A planted embedding gets only the flipped entries and their rows wrong."""
    d, rows, columns = (drawn.draw(st.integers(*ends)) for ends in ((1, 3), (6, 30), (4, 10)))
    random = np.random.default_rng(drawn.draw(st.integers(0, 999)))
    unit: Unit = drawn.draw(st.sampled_from(UNITS))
    similarity: str = drawn.draw(st.sampled_from(list(SIMILARITIES)))
    keys = random.integers(-9, 10, (columns, d)).astype(float)
    if similarity == "cosine":
        keys[(keys == 0).all(axis=1)] = 1
        keys /= np.linalg.norm(keys, axis=1, keepdims=True)
    queries = random.integers(-9, 10, (rows, d))
    if similarity == "l2":
        logits = -((queries[:, None] - keys) ** 2).sum(axis=2)
    else:
        logits = queries @ keys.T
    planted = logits >= np.round(np.quantile(logits, random.random(), axis=1), 3)[:, None]
    flipped = random.random((rows, columns)) < drawn.draw(st.sampled_from([0.0, 0.05, 0.3]))
    ones = planted ^ flipped
    ones[~ones.any(axis=1)] = planted[~ones.any(axis=1)]
    wrong = ones != planted
    count = int(wrong.any(axis=1).sum() if unit == "rows" else wrong.sum())
    pattern = Pattern.from_array(ones[ones.any(axis=1)])
    found = find_bound(Fit(pattern, d, EVERYTHING, unit, similarity), Search())
    if isinstance(found, Refuted):
        assert found.wrong < count
        question = Fit(pattern, d, found.wrong, unit, similarity)
        assert Certificate.of(question, found.proof).verify(pattern)
        too_much = Fit(pattern, d, found.wrong + 1, unit, similarity)
        assert not Certificate.of(too_much, found.proof).verify(pattern)


@pytest.mark.parametrize(("d", "right"), [(1, 2), (2, 69), (3, 132)])
def test_ceilings_of_limit(d: int, right: int) -> None:
    pattern = load(data.path("limit/limit.npz"))
    found = find_bound(Fit(pattern, d, 999 - right), Search())
    assert isinstance(found, Refuted)
    assert found.wrong == 999 - right


def test_few_columns_say_more_than_all() -> None:
    """Of 40 random columns all splits are possible in space, of a dozen few."""
    pattern = Pattern.from_array(np.random.default_rng(0).random((300, 40)) < 0.5)
    found = find_bound(Fit(pattern, 3, EVERYTHING), Search.within(3, 0))
    assert isinstance(found, Refuted)
    assert found.wrong > 30
    assert len(found.proof.columns) < 20
    blocks = find_bound(Fit(pattern, 3, EVERYTHING, "entries"), Search.within(3, 0))
    assert isinstance(blocks, Refuted)
    assert blocks.wrong > 3 * found.wrong


def test_dont_cares_are_not_read() -> None:
    random = np.random.default_rng(0)
    ones, care = random.random((60, 8)) < 0.5, random.random((60, 8)) < 0.95
    ones[:, 0] = care[:, 0] = True
    pattern = Pattern.from_array(ones & care, care)
    found = find_bound(Fit(pattern, 1, EVERYTHING), Search())
    assert isinstance(found, Refuted)
    assert Certificate.of(Fit(pattern, 1, found.wrong), found.proof).verify(pattern)


@pytest.mark.parametrize(
    "pattern", [Pattern.from_text("1"), Pattern.from_text("111\n110"), Pattern(np.tri(9))]
)
def test_patterns_without_a_bound(pattern: Pattern) -> None:
    assert isinstance(find_bound(Fit(pattern, 1, 0), Search()), str)


def test_large_patterns_are_left_out() -> None:
    pattern = Pattern.from_array(np.ones((3000, 3000)))
    assert "more than" in str(find_bound(Fit(pattern, 1, 0), Search()))
