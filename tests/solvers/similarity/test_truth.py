"""Dimensions with cosines and distances against all orders, and against one another."""

from __future__ import annotations

from functools import partial
from itertools import pairwise, permutations
from typing import Any

import numpy as np
import pytest
from helpers.durations import ended_within, stopped_when
from hypothesis import given, settings
from hypothesis import strategies as st

from samapprox import Certificate, Pattern, Status, decide, weak_dimension
from samapprox.pattern import UNSPECIFIED

Rows = list[tuple[int, ...]]


def is_interval(line: list[int], *, circular: bool) -> bool:
    """Whether ones stand together, on a line or around a circle, with don't-cares as it suits."""
    specified = [entry for entry in line if entry != UNSPECIFIED]
    turns = sum(a != b for a, b in pairwise(specified))
    if circular:
        return turns + (specified[:1] != specified[-1:]) <= 2
    return turns <= 1 or (turns == 2 and specified[0] == 0)


def has_order(pattern: Pattern, *, circular: bool) -> bool:
    """Whether some order of the columns makes every row's ones an arc, or an interval."""
    entries = pattern.to_array().T.tolist()
    columns = [list(column) for column in dict.fromkeys(map(tuple, entries))]
    fixed, others = (columns[:1], columns[1:]) if circular else ([], columns)
    return any(
        all(is_interval(list(row), circular=circular) for row in zip(*fixed, *order, strict=True))
        for order in permutations(others)
    )


@st.composite
def patterns(draw: st.DrawFn, most: int = 5, stars: bool = False) -> Pattern:
    rows, columns = draw(st.integers(1, most + 1)), draw(st.integers(1, most))
    entry = st.sampled_from("01*" if stars else "01")
    lines = draw(
        st.lists(st.lists(entry, min_size=columns, max_size=columns), min_size=rows, max_size=rows)
    )
    for line in lines:
        if "1" not in line:
            line[draw(st.integers(0, columns - 1))] = "1"
    return Pattern.from_text("\n".join(map("".join, lines)))


@settings(max_examples=25, deadline=None)
@given(patterns())
def test_two_dimensions_of_cosines_are_circular_orders(pattern: Pattern) -> None:
    verdict = decide(pattern, 2, similarity="cosine", time_limit=10)
    assert verdict.status is (Status.YES if has_order(pattern, circular=True) else Status.NO)


@settings(max_examples=25, deadline=None)
@given(patterns())
def test_one_dimension_of_distances_is_an_order(pattern: Pattern) -> None:
    verdict = decide(pattern, 1, similarity="l2", time_limit=10)
    assert verdict.status is (Status.YES if has_order(pattern, circular=False) else Status.NO)


@pytest.mark.parametrize(("similarity", "d"), [("cosine", 2), ("l2", 1)])
@settings(max_examples=25, deadline=None)
@given(patterns(5, stars=True))
def test_with_dont_cares_orders_decide_as_well(similarity: Any, d: int, pattern: Pattern) -> None:
    verdict = decide(pattern, d, similarity=similarity, time_limit=20)
    circular = similarity == "cosine"
    assert verdict.status is (Status.YES if has_order(pattern, circular=circular) else Status.NO)


def test_equal_keys_that_no_row_tells_apart_are_moved_apart() -> None:
    """Only one order around a circle keeps these rows together; numeric searches miss it."""
    pattern = Pattern.from_text(
        "*1*0***0 10**1*0* **0111*0 ***0101* 11*1**0* *0**0*11 "
        "10*110*1 *1*10*0* 0**00*1* 0111*0** 1**11***".replace(" ", "\n")
    )
    verdict = decide(pattern, 2, similarity="cosine", only=["exposed-keys"], time_limit=60)
    assert verdict.status is Status.YES


@pytest.mark.parametrize(("similarity", "d"), [("cosine", 2), ("cosine", 3), ("l2", 1), ("l2", 2)])
@settings(max_examples=10, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_keys_at_the_same_point_are_not_refuted(similarity: Any, d: int, seed: int) -> None:
    """Caps and balls around points that several keys share, with a third of all entries open."""
    rng = np.random.RandomState(seed)
    points = rng.randint(-3, 4, size=(4, d)).astype(float)
    points[~points.any(axis=1), 0] = 1
    if similarity == "cosine":
        points /= np.linalg.norm(points, axis=1, keepdims=True)
    keys = points[rng.randint(0, 4, size=7)]
    scores = -((rng.normal(size=(9, d))[:, None] - keys) ** 2).sum(axis=-1)
    middle = np.sort(scores, axis=1)[np.arange(9), rng.randint(0, 7, size=9)]
    ones = scores >= middle[:, None] - 1e-9
    pattern = Pattern.from_array(
        ones, ones & (scores <= middle[:, None] + 1e-9) | (rng.rand(9, 7) < 0.67)
    )
    verdict = decide(pattern, d, similarity=similarity, only=["exposed-keys"], time_limit=2)
    assert verdict.status is not Status.NO


@settings(max_examples=25, deadline=None)
@given(patterns())
def test_one_dimension_of_cosines_is_two_points(pattern: Pattern) -> None:
    columns = len(set(map(tuple, pattern.to_array().T.tolist())))
    verdict = decide(pattern, 1, similarity="cosine", time_limit=10)
    assert verdict.status is (Status.YES if columns <= 2 else Status.NO)


@settings(max_examples=15, deadline=None)
@given(patterns(7, stars=True))
def test_the_three_dimensions_differ_by_one(pattern: Pattern) -> None:
    """e <= d <= s <= e + 1, for any two proven bounds; every certificate is read and holds."""
    e, d, s = (
        weak_dimension(pattern, similarity=similarity, time_limit=1)
        for similarity in ("l2", "dot", "cosine")
    )
    assert e.lower <= d.upper
    assert d.lower <= s.upper
    assert s.lower <= e.upper + 1
    assert d.lower <= e.upper + 1
    for found in (e, s):
        for side in (found.yes, found.no):
            if side is not None and side.certificate is not None:
                read = Certificate.from_bytes(side.certificate.to_bytes())
                assert read.verify(pattern)
                assert side.explain()


@pytest.mark.parametrize("similarity", ["cosine", "l2"])
def test_known_dimensions_leave_a_gap_of_one(similarity: str) -> None:
    rng = np.random.RandomState(1)
    keys, queries = rng.normal(size=(20, 3)), rng.normal(size=(20, 3))
    pattern = Pattern.from_array(queries @ keys.T > np.array([[0.7]]))
    dot = weak_dimension(pattern, time_limit=60)
    assert dot.exact
    found = stopped_when(
        lambda found: found.upper - found.lower <= 1,
        lambda stop: weak_dimension(pattern, similarity=similarity, time_limit=60, progress=stop),
    )
    assert found.upper - found.lower <= 1


def test_identities_lie_on_a_circle_and_on_a_line() -> None:
    identity = Pattern(np.eye(12))
    assert weak_dimension(identity, similarity="l2").upper == 1
    found = weak_dimension(identity, similarity="cosine")
    assert (found.lower, found.upper) == (2, 2)


def test_a_complement_needs_one_dimension_more() -> None:
    complement = Pattern(1 - np.eye(3))
    found = weak_dimension(complement, similarity="l2", time_limit=10)
    assert (found.lower, found.upper) == (2, 2)


@pytest.mark.parametrize("similarity", ["cosine", "l2"])
def test_a_pattern_without_zeros_needs_one_dimension(similarity: str) -> None:
    verdict = decide(np.ones((3, 4)), 1, similarity=similarity)
    assert verdict.status is Status.YES
    assert weak_dimension(np.ones((1, 1)), similarity=similarity).exact


@pytest.mark.parametrize("similarity", ["cosine", "l2"])
def test_time_limits_hold(similarity: str) -> None:
    rng = np.random.RandomState(0)
    pattern = Pattern.from_array((rng.rand(60, 60) < 0.3) | np.eye(60, dtype=bool))
    for ask in (decide, weak_dimension):
        question = partial(ask, pattern, similarity=similarity, time_limit=0.3)
        ended_within(2.5, question)


def test_unknown_states_the_proven_bounds() -> None:
    rng = np.random.RandomState(0)
    pattern = Pattern.from_array((rng.rand(30, 30) < 0.3) | np.eye(30, dtype=bool))
    verdict = decide(pattern, 5, similarity="l2", time_limit=0.3, only=["sphere"])
    assert "d = 5 with Euclidean distance" in verdict.headline
    assert verdict.lower <= verdict.upper
