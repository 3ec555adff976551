"""Relations between ranks and dimensions that docs/theory/ranks.md states, as properties."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from samapprox import Pattern, SignMatrix, rank, weak_dimension
from samapprox.proofs.questions import RANK_KINDS, RankKind
from samapprox.proofs.ranks.refutation import RankRefutation
from samapprox.reductions.families import generate

Entries = NDArray[np.int8]
"""1, 0, and -1 for don't care."""


def draw(seed: int) -> Entries:
    """Draw a small matrix, sometimes with don't-cares."""
    random = np.random.RandomState(seed)
    entries = (random.rand(*random.randint(1, 6, size=2)) < random.choice([0.3, 0.5])).astype(int)
    entries[random.rand(*entries.shape) < 0.15 * (seed % 2)] = -1
    return entries.astype(np.int8)


def exact(entries: Entries, kind: RankKind = "sign") -> int:
    matrix = SignMatrix.from_array(entries == 1, entries != -1)
    found = rank(matrix, kind=kind, time_limit=20, threads=1)
    assert found.exact
    return found.lower


def bordered(entries: Entries, column: int) -> Entries:
    """[T, column; +, +]: one more column of one sign, then one more row of +."""
    rows, columns = entries.shape
    wide = np.hstack([entries, np.full((rows, 1), column, dtype=np.int8)])
    return np.vstack([wide, np.ones((1, columns + 1), dtype=np.int8)])


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10**6))
def test_one_threshold_by_three_sign_ranks(seed: int) -> None:
    """A threshold is zero, positive or negative; an extra column is its direction."""
    entries = draw(seed)
    borders = [exact(bordered(entries, column)) - 1 for column in (0, 1)]
    assert exact(entries, "global") == max(1, min(exact(entries), *borders))


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10**6))
def test_below_a_row_of_plus_the_sign_rank_is_one_more_than_the_dimension(seed: int) -> None:
    entries = draw(seed)
    entries = entries[(entries == 1).any(axis=1)]
    if not len(entries):
        return
    below = np.vstack([np.ones((1, entries.shape[1]), dtype=np.int8), entries])
    constant = not ((entries == 1).any(axis=1) & (entries == 0).any(axis=1)).any()
    dimension = weak_dimension(Pattern(entries == 1, entries != -1), threads=1)
    assert dimension.exact
    assert exact(below) == (1 if constant else dimension.lower + 1)


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from(RANK_KINDS))
def test_parts_have_no_larger_rank_and_repetitions_the_same(seed: int, kind: RankKind) -> None:
    entries, random = draw(seed), np.random.RandomState(seed)
    whole = exact(entries, kind)
    rows = random.rand(entries.shape[0]) < 0.7
    columns = random.rand(entries.shape[1]) < 0.7
    if rows.any() and columns.any():
        assert exact(entries[rows][:, columns], kind) <= whole
    twice = np.vstack([entries, entries[:1]])
    twice = np.hstack([twice, twice[:, -1:]])
    assert exact(twice, kind) == whole
    if kind == "sign":
        opposite = np.where(twice < 0, twice, 1 - twice)
        assert exact(np.vstack([twice, opposite[-1:]])) == whole
        assert exact(np.hstack([twice, opposite[:, :1]])) == whole


def forster_bound(signs: NDArray[np.float64]) -> int:
    """Forster (2002): the sign-rank is at least sqrt(m n) / ||A||."""
    return math.ceil(math.sqrt(signs.size) / np.linalg.norm(signs, 2) - 1e-9)


@pytest.mark.parametrize(
    ("name", "size"),
    [
        ("hadamard", 16),
        pytest.param("hadamard", 32, marks=pytest.mark.slow),
        pytest.param("hadamard", 64, marks=pytest.mark.slow),
        pytest.param("random", 32, marks=pytest.mark.slow),
        pytest.param("random", 128, marks=pytest.mark.slow),
    ],
)
def test_lower_bounds_are_at_least_those_of_the_theorem(name: str, size: int) -> None:
    """By the strategy `forster` alone; the bound is certified, and exact for sqrt(n)."""
    if name == "hadamard":
        signs = 2.0 * generate("hadamard", n=size).pattern.to_array() - 1
    else:
        signs = np.where(np.random.RandomState(size).rand(size, size) < 0.5, 1.0, -1.0)
    found = rank(signs, only=["forster"], time_limit=20, threads=1)
    bound = forster_bound(signs)
    assert found.lower == bound if name == "hadamard" else found.lower >= bound
    assert found.no is not None
    assert isinstance(found.no.proof, RankRefutation)
    assert found.no.certificate.verify(found.matrix)
