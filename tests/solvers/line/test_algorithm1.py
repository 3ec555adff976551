"""The published algorithm, its agreement in the free case and its erratum for d_hid = 1."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pytest
from helpers.strategies import Entries, any_entries
from helpers.truth.line import (
    Rows,
    all_patterns,
    coupled_patterns,
    one_of_each_class,
    shown_on_line,
)
from hypothesis import given

from samapprox import Status, decide
from samapprox.solvers.line.algorithm1 import algorithm1


def sets_of(rows: Rows) -> list[frozenset[int]]:
    return [frozenset(j for j in range(mask.bit_length()) if mask >> j & 1) for mask in rows]


def is_right_in_the_free_case(n: int, patterns: Iterable[Rows]) -> None:
    for rows in patterns:
        truth = shown_on_line(rows, n)
        assert algorithm1(sets_of(rows), 2) is truth
        assert algorithm1(sets_of(rows), 2, swap=True) is truth


def rejected(n: int, patterns: Iterable[Rows]) -> list[int]:
    """Count the feasible patterns that it rejects as named, swapped, and both."""
    truth = coupled_patterns(n)
    counts = [0, 0, 0]
    for rows in patterns:
        answers = [algorithm1(sets_of(rows), 1, swap=swap) for swap in (False, True)]
        if rows not in truth:
            assert answers == [False, False]
            continue
        for at, answer in enumerate((*answers, any(answers))):
            counts[at] += not answer
    return counts


@pytest.mark.parametrize("n", [1, 2, 3, pytest.param(4, marks=pytest.mark.slow)])
def test_it_is_right_in_the_free_case(n: int) -> None:
    is_right_in_the_free_case(n, all_patterns(n))


@pytest.mark.parametrize(
    ("n", "as_named", "swapped", "either"),
    [
        (1, 0, 0, 0),
        (2, 0, 0, 0),
        (3, 12, 24, 0),
        pytest.param(4, 1168, 2312, 24, marks=pytest.mark.slow),
    ],
)
def test_its_erratum_when_one_dimension_is_shared(
    n: int, as_named: int, swapped: int, either: int
) -> None:
    assert rejected(n, all_patterns(n)) == [as_named, swapped, either]


def test_every_class_of_four_tokens() -> None:
    patterns = one_of_each_class(4)
    is_right_in_the_free_case(4, patterns)
    assert rejected(4, patterns) == [52, 104, 2]


def test_the_smallest_counterexamples() -> None:
    three = [frozenset({0}), frozenset({2}), frozenset({0, 1, 2})]
    assert not algorithm1(three, 1)
    assert decide([[1, 0, 0], [0, 0, 1], [1, 1, 1]], 1, 1).status is Status.YES
    four = [frozenset({1}), frozenset(range(4)), frozenset({3}), frozenset(range(4))]
    assert not algorithm1(four, 1)
    assert not algorithm1(four, 1, swap=True)
    entries = [[0, 1, 0, 0], [1, 1, 1, 1], [0, 0, 0, 1], [1, 1, 1, 1]]
    assert decide(entries, 1, 1).status is Status.YES


@given(any_entries().filter(lambda entries: entries.shape[0] == entries.shape[1]))
def test_larger_free_patterns(entries: Entries) -> None:
    rows = [frozenset(np.flatnonzero(row).tolist()) for row in entries]
    assert algorithm1(rows, 2) == (decide(entries).status is Status.YES)


def test_random_large_free_patterns() -> None:
    rng = np.random.RandomState(3)
    answers = set()
    for n in (9, 16, 30):
        for flips in (0, 0, 1, 2):
            position = rng.permutation(n)
            entries = position < rng.randint(1, n + 1, size=(n, 1))
            entries ^= rng.randint(0, 2, size=(n, 1)) > 0
            entries[~entries.any(axis=1)] = True
            for _ in range(flips):
                entries[rng.randint(n), rng.randint(n)] ^= True
            entries[~entries.any(axis=1)] = True
            rows = [frozenset(np.flatnonzero(row).tolist()) for row in entries]
            answer = algorithm1(rows, 2)
            assert answer == (decide(entries).status is Status.YES)
            answers.add(answer)
    assert answers == {True, False}


def test_as_a_method_its_answer_counts_only_with_a_certificate() -> None:
    assert decide(np.eye(3), only=["algorithm1"]).status is Status.NO
    assert decide(np.eye(2), 1, 1, only=["algorithm1"]).status is Status.YES
    wrong = decide([[1, 0, 0], [0, 0, 1], [1, 1, 1]], 1, 1, only=["algorithm1"])
    assert wrong.status is Status.UNKNOWN
    assert "erratum" in wrong.trail[0].outcome


@pytest.mark.parametrize(
    ("entries", "d", "why"), [(np.eye(3), 2, "d = 1"), (np.ones((2, 3)), 1, "square")]
)
def test_it_steps_aside(entries: np.ndarray, d: int, why: str) -> None:
    verdict = decide(entries, d, only=["algorithm1"])
    assert verdict.status is Status.UNKNOWN
    assert why in verdict.trail[0].outcome
