"""Rows that hold a whole class of periodic keys and change rarely elsewhere."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from samapprox import Embedding, Pattern, Problem
from samapprox.proofs.checker import check
from samapprox.proofs.parts.simplify import simplify
from samapprox.reductions.families import generate
from samapprox.solvers.embeddings import periodic
from samapprox.solvers.engine.search import Search


def mask(graph: str, n: int, *, causal: bool = False) -> Pattern:
    return generate("mask", graph=graph, n=n, causal=causal).pattern


def embedded(pattern: Pattern, d: int) -> Embedding:
    """The strategy's embedding, checked, and of the dimension that it should have."""
    found = periodic.find_proof(Problem(pattern, d), Search())
    assert isinstance(found, Embedding), found
    assert found.dimension == d
    assert check(Problem(pattern, d), found) is None
    return found


@pytest.mark.parametrize("w", [3, 4, 7, 16])
@pytest.mark.parametrize("n", [64, 97, 200])
def test_strided_masks_need_at_most_8(w: int, n: int) -> None:
    embedded(mask(f"strided:w={w}", n), 8)


@pytest.mark.parametrize("simplified", [False, True])
@pytest.mark.parametrize(("w", "n"), [(4, 64), (16, 128), (32, 200)])
def test_causal_ones_need_at_most_5(w: int, n: int, simplified: bool) -> None:
    """Merged, too: rows with more ones than zeros are complemented there."""
    pattern = mask(f"strided:w={w}", n, causal=True)
    embedded(simplify(pattern).pattern if simplified else pattern, 5)


def test_merging_equal_rows_and_columns_keeps_the_period() -> None:
    entries = np.repeat(np.repeat(mask("strided:w=4", 40).to_array(), 3, axis=0), 3, axis=1)
    pattern = Pattern(entries)
    simplified = simplify(pattern)
    lifted = embedded(simplified.pattern, 8).lift(simplified)
    assert check(Problem(pattern, 8), lifted) is None


def test_numbers_stay_small() -> None:
    """Machine words hold them: a window at 1,024 tokens, cubed at most."""
    found = embedded(mask("strided", 1024), 8)
    assert found.queries.dtype == found.keys.dtype == np.int64


@settings(max_examples=100, deadline=None)
@given(
    st.integers(2, 5),
    st.integers(3, 6),
    st.lists(
        st.tuples(
            st.integers(-1, 4),
            st.booleans(),
            st.booleans(),
            st.sets(st.integers(1, 24), max_size=3),
        ),
        min_size=1,
        max_size=8,
    ),
    st.integers(0, 2**31),
)
def test_planted_classes(
    period: int,
    repetitions: int,
    rows: list[tuple[int, bool, bool, set[int]]],
    seed: int,
) -> None:
    """Rows with a whole class and changes at random places, a tenth of the entries unspecified.

    Some rows are complemented.
    """
    columns = period * repetitions
    entries = np.zeros((len(rows), columns), dtype=np.int8)
    for line, (own, first, turned, changes) in zip(entries, rows, strict=True):
        line[:] = first
        for place in changes:
            line[place:] ^= 1
        if 0 <= own < period:
            line[own::period] = 1
        line ^= np.int8(turned)
        line[0] |= not line.any()
    hidden = np.random.RandomState(seed).random_sample(entries.shape) < 0.1
    hidden[np.arange(len(rows)), entries.argmax(axis=1)] = False
    pattern = Pattern.from_array(entries, ~hidden)
    found = periodic.embed(pattern, period, Search())
    if isinstance(found, str):  # the 0 of a row without ones has become a 1
        assert "changes" in found
        return
    assert found.dimension <= 3 * 8 + 2
    assert check(Problem(pattern, found.dimension), found) is None


def test_a_wrong_period_is_no_embedding_of_low_dimension() -> None:
    assert "outside its class modulo 7" in str(periodic.embed(mask("strided:w=4", 64), 7, Search()))


@pytest.mark.parametrize("graph", ["full", "random", "window:w=5", "star", "bigbird:w=3,g=2,r=3"])
def test_other_masks_have_no_period(graph: str) -> None:
    assert periodic.find_period(mask(graph, 64)) is None


def test_classes_that_few_rows_hold_are_no_period() -> None:
    entries = mask("strided:w=4", 64).to_array()
    assert periodic.find_period(Pattern(entries)) == 4
    entries[:48] = np.eye(64)[:48]
    assert periodic.find_period(Pattern(entries)) is None


def test_it_stops_when_time_is_up() -> None:
    pattern = mask("strided", 128)
    assert periodic.find_proof(Problem(pattern, 8), Search(deadline=0.0)) == "no time left"


def test_where_it_does_not_apply() -> None:
    assert periodic.applies(Problem(Pattern(np.eye(9)), 2)) == "9 keys: too few to repeat"
    assert periodic.applies(Problem(mask("strided", 32), 4, 4)) == "queries and keys share X"
    assert periodic.applies(Problem(mask("strided", 32), 4)) is None
