"""Rows that hold a whole class of periodic keys and change rarely elsewhere."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from samapprox import Embedding, Pattern, Problem
from samapprox.proofs.checker import check
from samapprox.proofs.parts.simplify import simplify
from samapprox.reductions.families import generate
from samapprox.solvers.embeddings import periodic
from samapprox.solvers.embeddings.periodic import embed_by_polynomials, embed_by_powers
from samapprox.solvers.engine.search import Search

Embed = Callable[[Pattern, int, Search], Embedding | str]


def mask(graph: str, n: int, *, causal: bool = False) -> Pattern:
    return generate("mask", graph=graph, n=n, causal=causal).pattern


def embed(pattern: Pattern, d: int, form: Embed | None = None) -> Embedding:
    """Return the embedding by one of the forms, or the strategy's, checked, of dimension d."""
    if form is None:
        found = periodic.find_proof(Problem(pattern, d), Search())
    else:
        period = periodic.find_period(pattern)
        assert period is not None
        found = form(pattern, period, Search())
    assert isinstance(found, Embedding), found
    assert found.dimension == d
    assert check(Problem(pattern, d), found) is None
    return found


@pytest.mark.parametrize(("form", "d"), [(embed_by_polynomials, 8), (embed_by_powers, 6)])
@pytest.mark.parametrize("w", [3, 4, 7, 16])
@pytest.mark.parametrize("n", [64, 97, 128, 200])
def test_strided_masks_need_at_most(form: Embed, d: int, w: int, n: int) -> None:
    embed(mask(f"strided:w={w}", n), d, form)


@pytest.mark.parametrize("simplified", [False, True])
@pytest.mark.parametrize(("form", "d"), [(embed_by_polynomials, 5), (embed_by_powers, 3)])
@pytest.mark.parametrize(("w", "n"), [(3, 64), (4, 64), (5, 97), (16, 128), (32, 200)])
def test_causal_ones_need_at_most(form: Embed, d: int, w: int, n: int, simplified: bool) -> None:
    """Merged, too: rows with more ones than zeros are complemented there."""
    pattern = mask(f"strided:w={w}", n, causal=True)
    embed(simplify(pattern).pattern if simplified else pattern, d, form)


@pytest.mark.parametrize(("d", "least"), [(2, 6), (6, 6), (7, 6), (8, 8), (9, 8)])
def test_the_form_with_small_numbers_is_taken_if_d_allows_it(d: int, least: int) -> None:
    found = periodic.find_proof(Problem(mask("strided:w=4", 64), d), Search())
    assert isinstance(found, Embedding)
    assert found.dimension == least


def test_rows_with_two_runs_have_polynomials_alone() -> None:
    entries = np.zeros((40, 40), dtype=np.int8)
    for row in range(40):
        entries[row, row % 4 :: 4] = 1
        entries[row, [(row + 5) % 36, (row + 17) % 36]] = 1
    pattern = Pattern(entries)
    assert isinstance(embed_by_powers(pattern, 4, Search()), str)
    found = periodic.find_proof(Problem(pattern, 2), Search())
    assert isinstance(found, Embedding)
    assert check(Problem(pattern, found.dimension), found) is None


@pytest.mark.parametrize("d", [6, 8])
def test_merging_equal_rows_and_columns_keeps_the_period(d: int) -> None:
    entries = np.repeat(np.repeat(mask("strided:w=4", 40).to_array(), 3, axis=0), 3, axis=1)
    pattern = Pattern(entries)
    simplified = simplify(pattern)
    lifted = embed(simplified.pattern, d).lift(simplified)
    assert check(Problem(pattern, d), lifted) is None


def test_numbers_stay_small() -> None:
    """Machine words hold a window at 1,024 tokens, cubed at most; powers take two bits a token."""
    found = embed(mask("strided", 1024), 8)
    assert found.queries.dtype == found.keys.dtype == np.int64
    found = embed(mask("strided", 128), 6)
    assert max(int(abs(number)).bit_length() for number in found.keys.ravel()) < 270


@settings(max_examples=50, deadline=None)
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
    pattern = hide_a_tenth(entries, seed)
    found = embed_by_polynomials(pattern, period, Search())
    if isinstance(found, str):  # the 0 of a row without ones has become a 1
        assert "changes" in found
        return
    assert found.dimension <= 3 * 8 + 2
    assert check(Problem(pattern, found.dimension), found) is None


@settings(max_examples=50, deadline=None)
@given(
    st.integers(2, 5),
    st.integers(3, 6),
    st.lists(
        st.tuples(st.integers(-1, 4), st.booleans(), st.integers(0, 24), st.integers(0, 24)),
        min_size=1,
        max_size=8,
    ),
    st.integers(0, 2**31),
)
def test_planted_classes_and_runs(
    period: int, repetitions: int, rows: list[tuple[int, bool, int, int]], seed: int
) -> None:
    """A tenth of the entries is unspecified, and some rows are complemented."""
    columns = period * repetitions
    entries = np.zeros((len(rows), columns), dtype=np.int8)
    for line, (own, turned, first, length) in zip(entries, rows, strict=True):
        line[first : first + length] = 1
        if 0 <= own < period:
            line[own::period] = 1
        line ^= np.int8(turned)
    kept = (entries == 1).any(axis=1)
    if not kept.any():
        return
    pattern = hide_a_tenth(entries[kept], seed)
    found = embed_by_powers(pattern, period, Search())
    if isinstance(found, str):  # a short class was read as the complement of a run, say
        assert "is not a class modulo" in found
        return
    assert found.dimension in {3, 6}
    assert check(Problem(pattern, found.dimension), found) is None


def hide_a_tenth(entries: np.ndarray, seed: int) -> Pattern:
    """Make a tenth of the entries unspecified, but never the first one of a row."""
    hidden = np.random.RandomState(seed).random_sample(entries.shape) < 0.1
    hidden[np.arange(len(entries)), entries.argmax(axis=1)] = False
    return Pattern.from_array(entries, ~hidden)


def test_it_says_why_there_is_no_embedding() -> None:
    pattern = mask("strided:w=4", 64)
    assert "outside its class modulo 7" in str(embed_by_polynomials(pattern, 7, Search()))
    assert "modulo 7 and one run" in str(embed_by_powers(pattern, 7, Search()))
    assert embed_by_powers(pattern, 4, Search(whole=0.0)) == "no time left"
    long = Pattern(np.eye(2, 5_000))
    assert embed_by_powers(long, 4, Search()) == "with 5000 keys, the numbers would be too long"


@pytest.mark.parametrize("graph", ["full", "random", "window:w=5", "star", "bigbird:w=3,g=2,r=3"])
def test_other_masks_have_no_period(graph: str) -> None:
    pattern = mask(graph, 64)
    assert periodic.find_period(pattern) is None
    assert periodic.find_proof(Problem(pattern, 3), Search()) == "no period of the keys was found"


def test_classes_that_few_rows_hold_are_no_period() -> None:
    entries = mask("strided:w=4", 64).to_array()
    assert periodic.find_period(Pattern(entries)) == 4
    entries[:48] = np.eye(64)[:48]
    assert periodic.find_period(Pattern(entries)) is None


def test_it_stops_when_time_is_up() -> None:
    search = Search(deadline=0.0, whole=0.0)
    assert periodic.find_proof(Problem(mask("strided", 128), 8), search) == "no time left"


def test_where_it_does_not_apply() -> None:
    assert periodic.applies(Problem(Pattern(np.eye(9)), 2)) == "9 keys: too few to repeat"
    assert periodic.applies(Problem(mask("strided", 32), 4, 4)) == "queries and keys share X"
    assert periodic.applies(Problem(mask("strided", 32), 4)) is None
