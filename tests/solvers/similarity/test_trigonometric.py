"""Keys on the trigonometric moment curve: all subsets, LIMIT, and any circular order."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pytest
from helpers.durations import ended_within, processor_time
from hypothesis import given
from hypothesis import strategies as st

from samapprox import Pattern, Problem, load, weak_dimension
from samapprox.data import path
from samapprox.proofs import check
from samapprox.reductions.families import generate
from samapprox.solvers.engine.search import Search
from samapprox.solvers.similarity.trigonometric import find_proof

SIMILARITIES = {"cosine": 0, "l2": 1}
"""Similarity -> by how much its dimension is below an even number of changes."""


@pytest.mark.parametrize("similarity", SIMILARITIES)
@pytest.mark.parametrize(("n", "k"), [(6, 2), (46, 2), (8, 3), (12, 3), (10, 4)])
def test_all_subsets(n: int, k: int, similarity: str) -> None:
    pattern = generate("all-subsets", n=n, k=k).pattern
    d = 2 * k - SIMILARITIES[similarity]
    asked = Problem(pattern, d, similarity=similarity)
    found = find_proof(asked, Search())
    assert not isinstance(found, str)
    assert found.dimension == d
    assert check(asked, found) is None


@pytest.mark.parametrize(("similarity", "d"), [("cosine", 4), ("l2", 3)])
def test_limit_is_exact(similarity: Any, d: int) -> None:
    found = weak_dimension(load(path("limit/limit.npz")), similarity=similarity, time_limit=20)
    assert (found.lower, found.upper) == (d, d)


@pytest.mark.parametrize("similarity", SIMILARITIES)
def test_time_limits_hold_where_rows_change_often(similarity: str) -> None:
    """The orders take little of the time, the polynomials of all rows far more than is left."""
    random = np.random.default_rng(0)
    entries = random.random((1500, 1000)) < 0.3
    entries[:, 0] |= ~entries.any(axis=1)
    asked = Problem(Pattern(entries), 3, similarity=similarity)
    with processor_time():
        found = ended_within(1.2, lambda: find_proof(asked, Search.within(0.3, 0)))
    assert isinstance(found, str)


def fewest_changes(entries: np.ndarray, *, has_pole: bool) -> int:
    """The most changes of a row around the circle of the given keys, the pole in the best gap."""
    n = entries.shape[1]
    rows = [[value for value in row if value >= 0] for row in entries.tolist()]
    if not has_pole:
        return max(sum(a != b for a, b in zip(row, row[1:] + row[:1], strict=True)) for row in rows)
    return min(
        max(
            sum(a != b for a, b in zip(line, line[1:] + line[:1], strict=True))
            for line in ([*np.roll(row, -gap).tolist(), 0] for row in entries)
        )
        for gap in range(n)
    )


@given(
    st.integers(1, 6).flatmap(
        lambda n: st.lists(
            st.lists(st.sampled_from([0, 1, 1, 0, -1]), min_size=n, max_size=n).filter(
                lambda row: 1 in row
            ),
            min_size=1,
            max_size=6,
        )
    ),
    st.sampled_from(sorted(SIMILARITIES)),
)
def test_what_it_finds_holds_and_is_no_worse_than_the_given_order(
    rows: list[list[int]], similarity: str
) -> None:
    entries = np.array(rows)
    pattern = Pattern.from_array(entries == 1, entries >= 0)
    found = find_proof(Problem(pattern, 1, similarity=similarity), Search())
    m, n = entries.shape
    below = SIMILARITIES[similarity]
    most = None if (entries < 0).any() else fewest_changes(entries, has_pole=bool(below))
    if isinstance(found, str):
        assert most is None or max(2, most) - below >= max(1, min(m, n - 1))
        return
    assert check(Problem(pattern, found.dimension, similarity=similarity), found) is None
    assert most is None or found.dimension <= max(2, most) - below


def test_pairs_of_five_keys_need_one_dimension_less_than_the_curve() -> None:
    """Five keys are fewer than 2k + 2, so the theorem does not apply; the trivial bound is 4."""
    pairs = Pattern.from_array(
        [[j in pair for j in range(5)] for pair in combinations(range(5), 2)]
    )
    assert isinstance(find_proof(Problem(pairs, 3, similarity="cosine"), Search()), str)
