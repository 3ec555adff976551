"""Bounds on the rows that the best embedding of a dimension gets right."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse

from samapprox import evaluate
from samapprox.results.comparisons import Allowance
from samapprox.similarities import SIMILARITIES
from samapprox.solvers.questions.fits import fit as allowance
from samapprox.solvers.questions.fits.fit import bound_right_rows


@pytest.mark.parametrize(
    ("similarity", "expected"), [("dot", Allowance(2, 2)), ("l2", Allowance(3, 3))]
)
def test_three_keys_on_a_line(similarity: str, expected: Allowance) -> None:
    """A halfline holds the first or the last key alone, an interval each of them."""
    assert bound_right_rows(np.eye(3), 1, similarity=similarity) == expected


@pytest.mark.parametrize(("similarity", "right"), [("dot", 4), ("l2", 5)])
def test_where_not_all_rows_can_be_right(similarity: str, right: int) -> None:
    """In any order of three keys, one pair is no interval, and two more sets are no halflines."""
    entries = np.vstack([np.eye(3), 1 - np.eye(3)])
    found = bound_right_rows(entries, 1, similarity=similarity, time_limit=10)
    assert found == Allowance(right, right)


def test_limits_hold_for_the_decision_and_for_the_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []
    for name in ("decide", "fit"):
        call = getattr(allowance, name)
        monkeypatch.setattr(
            allowance,
            name,
            lambda *a, call=call, **limits: asked.append(limits) or call(*a, **limits),
        )
    entries = np.vstack([np.eye(3), 1 - np.eye(3)])
    bound_right_rows(entries, 1, time_limit=7, seed=3)
    decision, search = asked
    assert decision == search
    assert (search["time_limit"], search["seed"]) == (7, 3)


@pytest.mark.parametrize("similarity", SIMILARITIES)
@pytest.mark.parametrize("seed", range(2))
def test_no_embedding_exceeds_it(similarity: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    entries = rng.random((5, 6)) < 0.4
    entries[np.arange(5), rng.integers(0, 6, 5)] = True
    found = bound_right_rows(entries, 1, similarity=similarity, time_limit=1)
    assert 0 <= found.least <= found.most <= 5
    for _ in range(50):
        queries, keys = rng.standard_normal((5, 1)), rng.standard_normal((6, 1))
        assert evaluate(entries, queries, keys, similarity=similarity).count <= found.most


def test_large_patterns_are_only_decided(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(allowance, "fit", None)  # never called
    sparse = scipy.sparse.eye_array(1100, 1100, format="csr")
    assert bound_right_rows(sparse, 1, time_limit=10) == Allowance(0, 1099)
    assert bound_right_rows(sparse, 2, time_limit=10) == Allowance(1100, 1100)


def test_words() -> None:
    assert Allowance(0, 3).describe(4) == "at most 75.0 %"
    assert Allowance(3, 3).describe(3) == "100.0 %"
    assert Allowance(1, 3).describe(4) == "between 25.0 % and 75.0 %"
