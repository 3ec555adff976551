"""d = 1 against enumeration: every pattern with n <= 4, free and coupled."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np
import pytest
from helpers.truth.line import (
    Rows,
    all_patterns,
    coupled_patterns,
    entries_of,
    one_of_each_class,
    shown_on_line,
)

import samapprox
from samapprox import Status, decide
from samapprox.proofs.refutations.radon import Radon
from samapprox.proofs.refutations.shattering import Shattering

WHOLE = [1, 2, 3, pytest.param(4, marks=pytest.mark.slow)]
"""Numbers of tokens for which all patterns are tried."""


def free_case_equals_enumeration(n: int, patterns: Iterable[Rows]) -> None:
    answers = set()
    for rows in patterns:
        truth = shown_on_line(rows, n)
        verdict = decide(entries_of(rows, n), d=1)
        assert verdict.status is (Status.YES if truth else Status.NO), rows
        answers.add(truth)
    assert answers == ({True, False} if n > 2 else {True})


def coupled_case_equals_enumeration(n: int, patterns: Iterable[Rows]) -> None:
    truth, answers = coupled_patterns(n), set()
    for rows in patterns:
        verdict = decide(entries_of(rows, n), d=1, d_hid=1)
        assert verdict.status is (Status.YES if rows in truth else Status.NO), rows
        answers.add(rows in truth)
    assert answers == ({True, False} if n > 2 else {True})


@pytest.mark.parametrize("n", WHOLE)
def test_free_case_equals_enumeration(n: int) -> None:
    free_case_equals_enumeration(n, all_patterns(n))


@pytest.mark.parametrize("n", WHOLE)
def test_coupled_case_equals_enumeration(n: int) -> None:
    coupled_case_equals_enumeration(n, all_patterns(n))


@pytest.mark.parametrize("compare", [free_case_equals_enumeration, coupled_case_equals_enumeration])
def test_every_third_class_of_four_tokens(compare: Callable[[int, Iterable[Rows]], None]) -> None:
    compare(4, one_of_each_class(4)[::3])


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
    for _ in range(1000):
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
