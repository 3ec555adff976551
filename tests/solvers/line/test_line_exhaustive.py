"""d = 1 against enumeration: every pattern with n <= 4, free and coupled."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.line_truth import all_patterns, coupled_patterns, entries_of, shown_on_line

import samapprox
from samapprox import Status, decide
from samapprox.proofs.kinds.radon import Radon
from samapprox.proofs.kinds.shattering import Shattering


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_free_case_equals_enumeration(n: int) -> None:
    yes = 0
    for rows in all_patterns(n):
        truth = shown_on_line(rows, n)
        verdict = decide(entries_of(rows, n), d=1)
        assert verdict.status is (Status.YES if truth else Status.NO), rows
        yes += truth
    assert yes > 0


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_coupled_case_equals_enumeration(n: int) -> None:
    truth = coupled_patterns(n)
    for rows in all_patterns(n):
        verdict = decide(entries_of(rows, n), d=1, d_hid=1)
        assert verdict.status is (Status.YES if rows in truth else Status.NO), rows


def test_batch_kernel_equals_enumeration() -> None:
    patterns = all_patterns(4)
    stack = np.array([entries_of(rows, 4) for rows in patterns])
    verdicts = samapprox.decide_many(stack)
    truth = np.array([shown_on_line(rows, 4) for rows in patterns])
    np.testing.assert_array_equal(verdicts.yes, truth)
    np.testing.assert_array_equal(verdicts.no, ~truth)


def test_minimal_cores_are_two_by_four_or_three_by_three() -> None:
    """Any rows and columns: what is NO holds a core of these sizes, and no core can lose a line."""
    rng = np.random.RandomState(5)
    seen = set()
    for _ in range(3000):
        m, n = rng.randint(2, 7, size=2)
        entries = rng.randint(0, 2, size=(m, n))
        entries[entries.sum(axis=1) == 0, 0] = 1
        verdict = decide(entries)
        if verdict.status is Status.YES:
            continue
        core = verdict.proof
        assert isinstance(core, Radon | Shattering)
        small = entries[np.ix_(core.rows, core.columns)]
        seen.add(small.shape)
        assert not _shown(small)
        for row in range(len(small)):
            assert _shown(np.delete(small, row, axis=0))
        for column in range(small.shape[1]):
            assert _shown(np.delete(small, column, axis=1))
    assert seen == {(2, 4), (3, 3)}


def _shown(entries: np.ndarray) -> bool:
    rows = tuple(int(sum(1 << j for j in np.flatnonzero(row))) for row in entries)
    return shown_on_line(rows, entries.shape[1])
