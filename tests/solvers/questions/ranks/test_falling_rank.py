"""Embeddings of large patterns in falling rank, and the ranks that they give."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from samapprox import InputError, Pattern, Problem, Status, rank
from samapprox.proofs import Factors
from samapprox.proofs.checker import check
from samapprox.proofs.embeddings.moment_curve import MomentCurve
from samapprox.proofs.questions import RankKind
from samapprox.solvers.engine.search import Search
from samapprox.solvers.questions.ranks.reduced_bounds import embed_in_falling_rank
from samapprox.solvers.questions.ranks.reduction import require_quick_check, require_quick_numbers

LARGE = np.where(np.random.RandomState(3).rand(90, 80) < 0.5, 1, -1)


@settings(max_examples=12, deadline=None)
@given(st.integers(0, 10**6))
def test_embeddings_represent_the_pattern_in_fewer_and_fewer_dimensions(seed: int) -> None:
    random = np.random.RandomState(seed)
    rows, columns = random.randint(1, 30, size=2)
    entries = random.rand(rows, columns) < random.choice([0.2, 0.5])
    entries[np.arange(rows), random.randint(columns, size=rows)] = True
    care = entries | (random.rand(rows, columns) < (0.8 if seed % 2 else 1.0))
    pattern = Pattern(entries, care)
    least, first, most = sorted(random.randint(1, 40, size=3).tolist())
    found = list(embed_in_falling_rank(pattern, least, first, most, Search.within(0.5, 0)))
    for embedding in found:
        assert check(Problem(pattern, embedding.dimension), embedding) is None
        assert least <= embedding.dimension <= most
    assert all(more.dimension > fewer.dimension for more, fewer in pairwise(found))


@pytest.mark.parametrize("kind", ["sign", "row"])
def test_large_matrices_have_short_factors_of_low_rank(kind: RankKind) -> None:
    """The order of the columns alone gives rank 45 or more, in numbers of some 300 bits."""
    found = rank(LARGE, kind=kind, only=["orders"], time_limit=60.0)
    assert found.upper <= 30
    assert found.yes is not None
    assert isinstance(found.yes.proof, Factors)
    assert found.yes.proof.left.dtype == np.int64
    assert any(attempt.strategy == "falling-rank" for _, _, attempt in found.trail)


def test_a_rank_that_is_asked_about_is_tried() -> None:
    """The only strategy left gives an order, whose numbers are too long to be written out."""
    signs = np.where(np.random.RandomState(3).rand(150, 150) < 0.5, 1, -1)
    found = rank(signs, at_most=95, only=["orders"], time_limit=60.0)
    assert found.at_most(95) is Status.YES
    assert found.trail[-1][2].strategy == "falling-rank"


def test_the_rank_falls_by_a_fifth_from_an_easy_one() -> None:
    """A first attempt near the least rank would fail, and take most of the time."""
    pattern = Pattern(np.random.RandomState(0).rand(40, 40) < 0.5)
    found = [one.dimension for one in embed_in_falling_rank(pattern, 2, 30, 39, Search())]
    assert found[:2] == [19, 15]


def test_nothing_is_tried_without_time() -> None:
    search = Search.within(1.0, 0)
    search.stop()
    assert not list(embed_in_falling_rank(Pattern(np.eye(70)), 1, 20, 60, search))
    assert not list(embed_in_falling_rank(Pattern(np.eye(3000)), 1, 20, 60, Search.within(0.1, 0)))


def test_costly_numbers_are_neither_computed_nor_checked() -> None:
    """Factors from the moment curve of 300 x 300 in rank 165 took a minute."""
    factors = Factors([[2**80] * 40] * 400, [[1] * 40] * 400, [0] * 400)
    with pytest.raises(InputError, match="products of 82 bits in rank 40 take too long to check"):
        require_quick_check(factors)
    require_quick_check(Factors([[1] * 40] * 400, [[1] * 40] * 400, [0] * 400))
    with pytest.raises(InputError, match="1485 bits in rank 165"):
        require_quick_numbers(MomentCurve(165, "columns", range(300)), (300, 300))
