"""Rows that are a class of periodic keys and one run."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from samapprox import Embedding, Pattern, Problem
from samapprox.proofs.checker import check
from samapprox.proofs.parts.simplify import simplify
from samapprox.reductions.families import generate
from samapprox.solvers.embeddings import exponential
from samapprox.solvers.engine.search import Search


def mask(graph: str, n: int, *, causal: bool = False) -> Pattern:
    return generate("mask", graph=graph, n=n, causal=causal).pattern


def embed(pattern: Pattern, d: int) -> Embedding:
    """Return the strategy's embedding, checked, and of the dimension that it should have."""
    found = exponential.find_proof(Problem(pattern, d), Search())
    assert isinstance(found, Embedding), found
    assert found.dimension == d
    assert check(Problem(pattern, d), found) is None
    return found


@pytest.mark.parametrize("w", [3, 4, 7, 16])
@pytest.mark.parametrize("n", [64, 97, 128])
def test_strided_masks_need_at_most_6(w: int, n: int) -> None:
    embed(mask(f"strided:w={w}", n), 6)


@pytest.mark.parametrize("simplified", [False, True])
@pytest.mark.parametrize(("w", "n"), [(3, 64), (4, 64), (5, 97), (16, 128), (32, 200)])
def test_causal_ones_need_at_most_3(w: int, n: int, simplified: bool) -> None:
    """Merged, too: rows with more ones than zeros are complemented there."""
    pattern = mask(f"strided:w={w}", n, causal=True)
    embed(simplify(pattern).pattern if simplified else pattern, 3)


def test_merging_equal_rows_and_columns_keeps_the_period() -> None:
    entries = np.repeat(np.repeat(mask("strided:w=4", 40).to_array(), 3, axis=0), 3, axis=1)
    simplified = simplify(Pattern(entries))
    lifted = embed(simplified.pattern, 6).lift(simplified)
    assert check(Problem(Pattern(entries), 6), lifted) is None


def test_numbers_have_two_bits_for_each_token() -> None:
    found = embed(mask("strided", 128), 6)
    assert max(int(abs(number)).bit_length() for number in found.keys.ravel()) < 270


@settings(max_examples=100, deadline=None)
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
    hidden = np.random.RandomState(seed).random_sample(entries.shape) < 0.1
    hidden[np.arange(len(rows)), entries.argmax(axis=1)] = False
    kept = (entries == 1).any(axis=1)
    if not kept.any():
        return
    pattern = Pattern.from_array(entries[kept], ~hidden[kept])
    found = exponential.embed(pattern, period, Search())
    if isinstance(found, str):  # a short class was read as the complement of a run, say
        assert "is not a class modulo" in found
        return
    assert found.dimension in {3, 6}
    assert check(Problem(pattern, found.dimension), found) is None


def test_it_says_why_there_is_no_embedding() -> None:
    pattern = mask("strided:w=4", 64)
    assert "modulo 7 and one run" in str(exponential.embed(pattern, 7, Search()))
    assert exponential.embed(pattern, 4, Search(whole=0.0)) == "no time left"
    none = exponential.find_proof(Problem(mask("random", 64), 3), Search())
    assert none == "no period of the keys was found"


def test_where_it_does_not_apply() -> None:
    assert exponential.applies(Problem(Pattern(np.eye(9)), 2)) == "9 keys: too few to repeat"
    long = Pattern(np.eye(2, 5_000))
    assert exponential.applies(Problem(long, 2)) == "with 5000 keys, the numbers would be too long"
    assert exponential.applies(Problem(mask("strided", 32), 4)) is None
