"""Results against earlier ones: every regression is named, and nothing else."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from samapprox.batch import Outcome
from samapprox.batch.expectations import Failure, failures_of, judge

NAMES = st.lists(st.sampled_from("abcdefgh"), unique=True).map(sorted)


def kinds(now: Outcome, before: Outcome, slower: float | None = None) -> list[str]:
    [(_, failures)] = judge([now], [before], slower=slower)
    return [failure.kind for failure in failures]


@given(NAMES, NAMES)
def test_results_meet_the_earlier_one_of_their_name(now: list[str], before: list[str]) -> None:
    outcomes = [Outcome(name, "", verdict="UNKNOWN") for name in now]
    earlier = [Outcome(name, "", verdict="YES") for name in before]
    judged = list(judge(outcomes, earlier))
    assert [one.name for one, _ in judged] == now
    assert [one.name for one, failures in judged if failures] == sorted({*now} & {*before})


@pytest.mark.parametrize(
    ("before", "now", "expected"),
    [
        ("YES", "NO", ["contradiction"]),
        ("NO", "YES", ["contradiction"]),
        ("YES", "YES", []),
        ("YES", "UNKNOWN", ["lost"]),
        ("UNKNOWN", "YES", []),
        ("EXACT", "INTERVAL", ["lost"]),
        ("INTERVAL", "EXACT", []),
        ("VALID", "NONE", ["lost"]),
        ("VALID", "INVALID", ["invalid"]),
        ("YES", "ERROR", ["error"]),
    ],
)
def test_verdicts(before: str, now: str, expected: list[str]) -> None:
    assert kinds(Outcome("p", "", verdict=now), Outcome("p", "", verdict=before)) == expected


def test_results_about_another_pattern_are_not_compared() -> None:
    before = Outcome("p", "", sha256="a", verdict="YES", seconds=0.0)
    now = before._replace(sha256="b", verdict="NO", seconds=9.0)
    assert kinds(now, before, slower=1.0) == []


@pytest.mark.parametrize(
    ("before", "now", "contradicts"),
    [
        ((2, 3), (4, 5), True),
        ((4, 5), (2, 3), True),
        ((2, 3), (3, 5), False),
        ((3, 5), (2, 3), False),
        ((2, None), (1, 1), True),
        ((None, 2), (3, 3), True),
        ((None, None), (3, 3), False),
    ],
)
def test_bounds(
    before: tuple[int | None, int | None], now: tuple[int, int], contradicts: bool
) -> None:
    """Against an earlier result, and against known facts."""
    new = Outcome("p", "", verdict="INTERVAL", lower=now[0], upper=now[1])
    old = Outcome("p", "", verdict="INTERVAL", lower=before[0], upper=before[1])
    assert kinds(new, old) == ["contradiction"] * contradicts
    known = new._replace(known_lower=before[0], known_upper=before[1])
    assert [failure.kind for failure in failures_of(known)] == ["contradiction"] * contradicts


def test_a_slowdown_is_more_than_the_factor_and_a_tenth_of_a_second() -> None:
    before = Outcome("p", "", verdict="YES", seconds=1.0)
    for seconds, expected in ((2.0, []), (2.09, []), (2.11, ["slow"])):
        assert kinds(before._replace(seconds=seconds), before, slower=2.0) == expected
        assert kinds(before._replace(seconds=seconds), before) == []


def test_facts_that_contradict_each_other_are_the_failure() -> None:
    one = Outcome("p", "", verdict="YES", known="NO", known_lower=3, known_upper=2)
    [failure] = failures_of(one)
    assert failure == Failure(
        "p",
        "contradiction",
        "the known facts about it contradict each other: they imply at least 3 and at most 2; "
        "correct one of them",
    )
