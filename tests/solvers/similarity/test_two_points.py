"""Cosine similarity in d = 1 against all divisions of the keys among two points."""

from __future__ import annotations

from functools import partial
from itertools import combinations, pairwise, product

import numpy as np
import pytest
import scipy.sparse
from helpers.durations import ended_within
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from samapprox import Pattern, Problem, Status, decide
from samapprox.pattern import UNSPECIFIED
from samapprox.proofs import KeyOrder, OppositeKeys, check
from samapprox.solvers.engine.search import Search
from samapprox.solvers.similarity.circular import find_points
from samapprox.support.limits import search_clock

Row = tuple[int, ...]


def fits(rows: tuple[Row, ...]) -> bool:
    """Whether some points -1 and 1 of the keys have, for each row, a q and t with q x > t at ones.

    The queries -1, 0 and 1 with thresholds -2, -1/2, 0, 1/2 cut off all four sets of points.
    """
    cuts = [(q, t) for q in (-2, 0, 2) for t in (-5, -1, 1)]
    return any(
        all(
            any(
                all(
                    (q * x > t) == entry
                    for x, entry in zip(points, row, strict=True)
                    if entry != UNSPECIFIED
                )
                for q, t in cuts
            )
            for row in rows
        )
        for points in product((-1, 1), repeat=len(rows[0]))
    )


def pattern_of(rows: tuple[Row, ...]) -> Pattern:
    entries = np.array(rows)
    return Pattern.from_array(entries == 1, entries != UNSPECIFIED)


def answer(pattern: Pattern) -> bool:
    proof = find_points(pattern, Search())
    assert isinstance(proof, KeyOrder | OppositeKeys)
    assert check(Problem(pattern, 1, similarity="cosine"), proof) is None
    return isinstance(proof, KeyOrder)


@pytest.mark.parametrize("columns", [1, 2, 3, pytest.param(4, marks=pytest.mark.slow)])
def test_all_small_patterns(columns: int) -> None:
    """All of up to four rows that are mixed, different, and no complements of one another."""
    every = product((1, 0, UNSPECIFIED), repeat=columns)
    rows = [row for row in every if {0, 1} <= set(row) and row.index(1) < row.index(0)]
    for size in range(1, 5):
        for chosen in combinations(rows, size):
            assert answer(pattern_of(chosen)) == fits(chosen), chosen


@given(st.data())
def test_rows_of_all_kinds(data: st.DataObject) -> None:
    width = data.draw(st.integers(1, 6))
    entry = st.sampled_from([0, 1, *[UNSPECIFIED] * data.draw(st.integers(0, 5))])
    row = st.tuples(*[entry] * width).filter(lambda row: 1 in row)
    rows = tuple(data.draw(st.lists(row, min_size=1, max_size=6)))
    assert answer(pattern_of(rows)) == fits(rows)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.lists(st.integers(0, 1), min_size=5, max_size=5).filter(any), min_size=1))
def test_without_dont_cares_two_columns_may_differ(rows: list[list[int]]) -> None:
    assert answer(Pattern(np.array(rows))) == (len(set(zip(*rows, strict=True))) <= 2)


def plant(random: np.random.RandomState, rows: int, columns: int, share: float) -> NDArray[np.int8]:
    """Make rows with the ones at one of two points, and a share of don't-cares."""
    sides = random.randint(2, size=columns)
    entries = np.where(random.rand(rows, columns) < share, UNSPECIFIED, 0).astype(np.int8)
    ones = sides == random.randint(2, size=rows)[:, None]
    entries[(entries == 0) & ones] = 1
    entries[~(entries == 1).any(axis=1), 0] = 1
    return entries


@pytest.mark.parametrize("share", [0.2, 0.5, 0.8, 0.95])
def test_decide_answers_for_planted_patterns(share: float) -> None:
    random = np.random.RandomState(round(100 * share))
    for _ in range(20):
        entries = plant(random, random.randint(1, 30), random.randint(2, 30), share)
        pattern = Pattern.from_array(entries == 1, entries != UNSPECIFIED)
        verdict = decide(pattern, 1, similarity="cosine", time_limit=10)
        assert verdict.status is not Status.UNKNOWN
        assert verdict.trail[0].strategy == "circular"


@pytest.mark.parametrize("length", [3, 5, 7, 31])
def test_long_cycles_are_found(length: int) -> None:
    """Each row separates two neighbours of a cycle alone."""
    entries = np.full((length, length), UNSPECIFIED)
    np.fill_diagonal(entries, 1)
    entries[range(length), [(i + 1) % length for i in range(length)]] = 0
    pattern = Pattern.from_array(entries == 1, entries != UNSPECIFIED)
    proof = find_points(pattern, Search())
    assert isinstance(proof, OppositeKeys)
    assert sorted(proof.columns) == list(range(length))
    assert check(Problem(pattern, 1, similarity="cosine"), proof) is None
    assert len(proof.explain(Problem(pattern, 1, similarity="cosine"))) > 3
    assert answer(pattern.take(np.arange(length - 1), np.arange(length)))


def test_a_row_may_be_read_twice() -> None:
    pattern = Pattern.from_text("100\n*10")
    proof = find_points(pattern, Search())
    assert isinstance(proof, OppositeKeys)
    assert sorted(proof.by.tolist()) == [0, 0, 1]


def test_it_stops_in_time() -> None:
    pattern = Pattern.from_text("1*0\n" * 1000)
    assert find_points(pattern, Search(deadline=search_clock.now() - 1)) == "no time left"


def test_large_patterns_take_seconds() -> None:
    random = np.random.RandomState(0)
    entries = plant(random, 3000, 3000, 0.9)
    for wrong in (False, True):
        if wrong:
            row = int(((entries == 1).any(axis=1) & (entries == 0).any(axis=1)).argmax())
            entries[row, (entries[row] == 0).argmax()] = 1
        pattern = Pattern.from_array(entries == 1, entries != UNSPECIFIED)
        asked = partial(decide, pattern, 1, similarity="cosine")
        verdict = ended_within(10, asked)
        assert verdict.status is (Status.NO if wrong else Status.YES)


def test_sparse_patterns_are_compared_by_their_ones() -> None:
    matrix = scipy.sparse.eye_array(50_000, format="csr")
    proof = find_points(Pattern.from_sparse(matrix), Search())
    assert isinstance(proof, OppositeKeys)
    assert len(proof.columns) == 3


@pytest.mark.parametrize(
    ("rows", "columns", "by", "reason"),
    [
        ([0, 1], [0, 1, 2], [0, 1, 0], "does not separate column 1 and column 2"),
        ([0, 1], [1, 0, 2], [1, 0, 1], "does not separate column 1 and column 0"),
        ([0, 1], [0, 1], [0, 0], "a cycle of 2 keys is not odd"),
        ([0, 1], [], [], "a cycle of 0 keys is not odd"),
        ([0, 1], [0], [0], "does not separate column 0 and column 0"),
        ([0, 1], [0, 1, 2], [0, 2, 0], "outside 0..1"),
        ([0, 1], [0, 1, 3], [0, 1, 0], "outside the 2 x 3 pattern"),
    ],
)
def test_other_cycles_are_refused(
    rows: list[int], columns: list[int], by: list[int], reason: str
) -> None:
    problem = Problem(Pattern.from_text("100\n*11"), 1, similarity="cosine")
    assert reason in str(check(problem, OppositeKeys(rows, columns, by)))


def test_other_questions_are_refused() -> None:
    pattern, proof = Pattern.from_text("100\n*10"), OppositeKeys([0, 1], [0, 1, 2], [0, 1, 0])
    assert check(Problem(pattern, 1, similarity="cosine"), proof) is None
    assert "not d = 2" in str(check(Problem(pattern, 2, similarity="cosine"), proof))
    assert "not dot" in str(check(Problem(pattern, 1), proof))
    assert "not l2" in str(check(Problem(pattern, 1, similarity="l2"), proof))


@given(st.data())
def test_every_cycle_that_is_accepted_is_a_no(data: st.DataObject) -> None:
    width = data.draw(st.sampled_from([3, 4, 5]))
    entry = st.sampled_from([0, 1, 1, UNSPECIFIED])
    row = st.tuples(*[entry] * width).filter(lambda row: 1 in row)
    rows = tuple(data.draw(st.lists(row, min_size=2, max_size=4)))
    columns = data.draw(st.permutations(range(width)))[: data.draw(st.sampled_from([3, 4, 5]))]
    by = [
        data.draw(
            st.sampled_from([i for i, row in enumerate(rows) if {row[a], row[b]} == {0, 1}] or [0])
        )
        for a, b in pairwise([*columns, columns[0]])
    ]
    problem = Problem(pattern_of(rows), 1, similarity="cosine")
    if check(problem, OppositeKeys(range(len(rows)), columns, by)) is None:
        assert not fits(rows)
