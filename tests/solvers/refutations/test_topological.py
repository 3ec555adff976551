"""Topological refutations as elimination finds them: against brute force, truth and embeddings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import partial
from itertools import combinations, pairwise

import numpy as np
import pytest
from helpers.durations import ended_within
from helpers.truth.line import all_patterns, entries_of, shown_on_line
from hypothesis import given
from hypothesis import strategies as st

from samapprox import Pattern, Problem, Status, decide
from samapprox.proofs import Topological
from samapprox.proofs.base import Side
from samapprox.proofs.checker import check
from samapprox.proofs.refutations.orientation_clauses import sign_matrix
from samapprox.reductions.families import generate
from samapprox.solvers.engine import first_turns
from samapprox.solvers.engine.search import Search
from samapprox.solvers.refutations import topological
from samapprox.solvers.refutations.elimination import cycles, suspensions, tree_cycles
from samapprox.solvers.refutations.elimination.suspensions import (
    Part,
    Suspension,
    SuspensionSearch,
    shrink,
    suspend,
)
from samapprox.solvers.refutations.topological import NAME, NONE_EXISTS, find_proof
from samapprox.support import plain as plain_code
from samapprox.support.limits import search_clock

SIDES: tuple[Side, Side] = ("columns", "rows")

Entries = np.ndarray
Face = tuple[tuple[int, ...], tuple[int, ...]]

STARS = {n: generate("mask", graph="star", n=n).pattern for n in (8, 16, 32, 64, 128)}


def whole(entries: Entries, d: int, side: Side, apex: int = 0) -> Part:
    """All covectors and elements, the apex first."""
    signs = sign_matrix(entries, side)
    covectors, elements = (np.arange(size) for size in signs.shape)
    return Part(d, side, signs, covectors, np.append(apex, elements[elements != apex]))


def up_to_flip(elements: tuple[int, ...], signs: tuple[int, ...]) -> Face:
    return elements, tuple(sign * signs[0] for sign in signs)


def members(signs: Entries, size: int) -> Iterator[Face]:
    for covector in signs.tolist():
        known = [element for element, sign in enumerate(covector) if sign]
        for chosen in combinations(known, size):
            yield up_to_flip(chosen, tuple(covector[element] for element in chosen))


def has_refutation(entries: Entries, d: int, side: Side) -> bool:
    """Plain elimination on all patterns of d + 2 elements, as the theorem states it."""
    pivots: dict[int, set[int]] = {}
    numbers: dict[Face, int] = {}
    for elements, signs in dict.fromkeys(members(sign_matrix(entries, side), d + 2)):
        column: set[int] = set()
        for x in range(d + 2):
            face = up_to_flip(elements[:x] + elements[x + 1 :], signs[:x] + signs[x + 1 :])
            column.add(numbers.setdefault(face, len(numbers)))
        if all(a != b for a, b in pairwise(signs)):
            column.add(-1)
        while column:
            last = max(column)
            if last < 0:
                return True
            if last not in pivots:
                pivots[last] = column
                break
            column = column ^ pivots[last]
    return False


def random_entries(random: np.random.RandomState, rows: int, columns: int) -> Entries:
    """Entries with don't-cares in every third pattern."""
    entries = (random.rand(rows, columns) < 0.5).astype(np.int8)
    if random.rand() < 0.3:
        entries[random.rand(rows, columns) < 0.1] = -1
    entries[~(entries == 1).any(axis=1), 0] = 1
    return entries


def as_problem(entries: Entries, d: int) -> Problem:
    return Problem(Pattern.from_array(entries == 1, entries >= 0), d)


class Pausing(Search):
    """A search that is out of time when it has been asked so often."""

    def __init__(self, questions: int) -> None:
        super().__init__()
        object.__setattr__(self, "_questions", iter(range(questions)))

    @property
    def out_of_time(self) -> bool:
        return next(self._questions, None) is None


class Turn(Pausing):
    """A turn whose slices end when each has been asked so often."""

    def slice(self, seconds: float, turn: int) -> Search:  # noqa: ARG002
        return Turn(3)


# ---------------------------------------------------------------- what there is


@given(st.integers(0, 10**6), st.sampled_from([(1, 4, 4), (2, 8, 8), (2, 7, 9)]))
def test_suspensions_beside_any_apex_are_all_there_is(
    seed: int, sizes: tuple[int, int, int]
) -> None:
    """Plain elimination on either side finds a refutation if and only if a suspension is one."""
    d, *shape = sizes
    random = np.random.RandomState(seed)
    entries = random_entries(random, *shape)
    exists = has_refutation(entries, d, "columns")
    assert exists == has_refutation(entries, d, "rows")
    for side in SIDES:
        signs = sign_matrix(entries, side)
        apex = int(random.randint(signs.shape[1]))
        found = suspend(whole(entries, d, side, apex), Search())
        if isinstance(found, Suspension):
            assert exists
            assert check(as_problem(entries, d), found.proof()) is None
        else:
            assert found == cycles.NO_CYCLE
            assert not (exists and (signs[:, apex] != 0).all())


@pytest.mark.parametrize("side", SIDES)
def test_a_search_that_pauses_finds_the_same(side: Side, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the time ends, in listing or in elimination, does not matter, nor who does the work."""
    part = whole(STARS[32].to_array(), 2, side)
    expected = suspend(part, Search())
    assert isinstance(expected, Suspension)
    for steps, listed, plain in [(40, 7, 0), (20, 5_000, 0), (40, 7, 100), (40, 7, 1 << 60)]:
        monkeypatch.setattr(cycles, "_STEPS", steps)
        monkeypatch.setattr(cycles, "_PLAIN_STEPS", steps)
        monkeypatch.setattr(cycles, "_MOST_PLAIN", plain)
        monkeypatch.setattr(plain_code, "_work", Counter())
        monkeypatch.setattr(cycles, "_AT_ONCE", listed)
        searching, pauses, results = SuspensionSearch(part), 0, []
        while not results:
            found = searching.resume(Pausing(2))
            if found == cycles.OUT_OF_TIME:
                pauses += 1
            else:
                results.append(found)
        assert pauses > 20
        assert isinstance(results[0], Suspension)
        assert results[0].members.tolist() == expected.members.tolist()


def test_arrays_grow_as_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The results are those of larger arrays, with compiled code and without."""
    monkeypatch.setattr(suspensions, "LEAST_WITH_TREE", 5)
    random = np.random.RandomState(6)
    parts = [whole(STARS[32].to_array(), 2, side) for side in SIDES]
    sizes = [(30, 10, 3), (60, 12, 4)]
    parts += [whole(random_entries(random, m, n), d, "columns") for m, n, d in sizes]
    expected = [suspend(part, Search()) for part in parts]
    assert {type(found) for found in expected} == {str, Suspension}
    doubled: set[int] = set()

    def double(array: np.ndarray) -> np.ndarray:
        doubled.add(len(array))
        return np.concatenate([array, np.zeros_like(array)])

    monkeypatch.setattr(cycles, "_ROOM", 8)
    monkeypatch.setattr(cycles, "double", double)
    for plain, most in ((0, 4), (1 << 60, 3)):
        monkeypatch.setattr(cycles, "_MOST_PLAIN", plain)
        monkeypatch.setattr(plain_code, "_work", Counter())
        for part, wanted in zip(parts[:most], expected[:most], strict=True):
            found = suspend(part, Search())
            if isinstance(found, Suspension):
                assert isinstance(wanted, Suspension)
                assert found.members.tolist() == wanted.members.tolist()
            else:
                assert found == wanted
    assert len(doubled) > 5


def test_turns_go_on_with_the_whole() -> None:
    """Turns that are too short for the whole refute it all the same, unless each begins anew."""
    problem = Problem(generate("mask", graph="random", n=64).pattern, 4)
    search = Search()
    find_proof(problem, search.slice(0.01, 0))  # loads compiled code
    kept = search.work[NAME]
    for turn in range(1, 4000):
        found = find_proof(problem, search.slice(0.05, turn))
        assert search.work[NAME] is kept
        if not isinstance(found, str):
            break
    assert check(problem, found) is None


@pytest.mark.parametrize(("d", "seed"), [(4, 0), (5, 1), (7, 0)])
def test_short_turns_decide_as_one_search_does(
    d: int, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whichever side has its tree complete first, and goes on alone."""
    entries = generate("random", rows=24, columns=24, seed=seed).pattern.to_array()
    expected = [suspend(whole(entries, d, side), Search()) for side in SIDES]
    monkeypatch.setattr(cycles, "_STEPS", 4_000)
    monkeypatch.setattr(topological._Work, "_grow", lambda *_: cycles.OUT_OF_TIME)
    work, turns = topological._Work(as_problem(entries, d)), 1
    rng = np.random.RandomState(seed)
    while (found := work.advance(rng, Turn(3))) == cycles.OUT_OF_TIME:
        turns += 1
    assert turns > 3
    assert {isinstance(one, Suspension) for one in [found, *expected]} in ({True}, {False})
    if isinstance(found, Suspension):
        assert check(as_problem(entries, d), found.proof()) is None
    else:
        assert found == cycles.NO_CYCLE


@given(st.integers(0, 10**6), st.sampled_from([(3, 30, 7), (4, 26, 8), (4, 70, 8)]))
def test_turns_with_parts_decide_as_plain_elimination_does(
    seed: int, sizes: tuple[int, int, int]
) -> None:
    """Whatever comes first, the whole or parts, and however short the turns are."""
    d, *shape = sizes
    random = np.random.RandomState(seed)
    entries = random_entries(random, *shape)
    problem = as_problem(entries, d)
    work = topological._Work(problem)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cycles, "_PLAIN_STEPS", 200)
        while (found := work.advance(random, Turn(3))) == cycles.OUT_OF_TIME:
            pass
    assert isinstance(found, Suspension) == has_refutation(entries, d, "columns")
    if isinstance(found, Suspension):
        assert check(problem, found.proof()) is None
    else:
        assert found == cycles.NO_CYCLE


@pytest.mark.parametrize(
    ("d", "columns", "first"), [(3, 24, "part"), (4, 24, "whole"), (4, 24 * 9, "part")]
)
def test_the_whole_comes_first_where_a_tree_refutes_its_first_elements(
    d: int, columns: int, first: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not where it grows slowly, as one side is far longer. The other one follows in the turn."""
    asked: list[str] = []

    def note(name: str) -> str:
        asked.append(name)
        return cycles.OUT_OF_TIME

    monkeypatch.setattr(topological._Work, "_grow", lambda *_: note("part"))
    monkeypatch.setattr(SuspensionSearch, "resume", lambda *_: note("whole"))
    entries = generate("random", rows=24, columns=columns).pattern.to_array()
    work = topological._Work(as_problem(entries, d))
    assert work.advance(np.random.RandomState(0), Search.within(60, 0)) == cycles.OUT_OF_TIME
    assert asked[0] == first
    assert asked.count("part") == 2
    assert "whole" in asked


def test_a_tree_that_is_complete_has_the_time_of_the_parts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It decides in the turn in which it became complete."""
    entries = generate("random", rows=24, columns=24, seed=1).pattern.to_array()
    expected = suspend(whole(entries, 5, "rows"), Search())
    assert expected == cycles.NO_CYCLE
    resume, shares = SuspensionSearch.resume, 0

    def pause(one: SuspensionSearch, search: Search) -> Suspension | str:
        nonlocal shares
        shares += 1
        return cycles.OUT_OF_TIME if shares < 3 else resume(one, search)

    monkeypatch.setattr(SuspensionSearch, "resume", pause)
    monkeypatch.setattr(SuspensionSearch, "is_listed", property(lambda _: shares >= 2))
    monkeypatch.setattr(topological._Work, "_grow", lambda *_: pytest.fail("no part is needed"))
    work = topological._Work(as_problem(entries, 5))
    found = work.advance(np.random.RandomState(0), Search.within(60, 0))
    assert (found, shares) == (expected, 3)


def test_all_small_patterns_on_a_line() -> None:
    """For d = 1 the truth is known: whatever is refuted is no pattern of a line."""
    refuted = missed = 0
    for rows in all_patterns(3):
        entries = np.array(entries_of(rows, 3), dtype=np.int8)
        found = [suspend(whole(entries, 1, side), Search()) for side in SIDES]
        assert len({isinstance(one, Suspension) for one in found}) == 1
        if isinstance(found[0], Suspension):
            assert not shown_on_line(rows, 3)
            assert check(as_problem(entries, 1), found[0].proof()) is None
            refuted += 1
        else:
            missed += not shown_on_line(rows, 3)
    assert refuted > missed


@given(st.integers(0, 10**6))
def test_what_is_refuted_has_no_embedding(seed: int) -> None:
    random = np.random.RandomState(seed)
    entries = random_entries(random, 5, 6)
    d = 2
    if any(isinstance(suspend(whole(entries, d, side), Search()), Suspension) for side in SIDES):
        verdict = decide(as_problem(entries, d).pattern, d, without=[NAME])
        assert verdict.status is Status.NO


@given(st.integers(0, 10**6), st.integers(2, 3))
def test_planted_patterns_are_not_refuted(seed: int, d: int) -> None:
    random = np.random.RandomState(seed)
    logits = random.randn(12, d) @ random.randn(d, 12)
    entries = (logits > np.median(logits, axis=1)[:, None]).astype(np.int8)
    search = Search()
    found = find_proof(as_problem(entries, d), search)
    assert found == NONE_EXISTS
    assert NAME in search.exhausted


# ---------------------------------------------------------------- the strategy


@pytest.mark.parametrize(("n", "count"), [(16, 28), (32, 60), (64, 124), (128, 252)])
def test_the_star_mask(n: int, count: int) -> None:
    """2 n - 4 patterns on n/2 + 1 tokens, found on the whole mask."""
    problem = Problem(STARS[n], 2)
    proof = ended_within(20, lambda: find_proof(problem, Search()))
    assert isinstance(proof, Topological)
    assert check(problem, proof) is None
    assert len(proof.rows) <= n // 2 + 1
    assert len(proof.columns) <= n // 2 + 2
    assert len(proof.members) <= count + 8


def test_the_smallest_star_mask_is_not_refuted() -> None:
    search = Search()
    assert find_proof(Problem(STARS[8], 2), search) == NONE_EXISTS
    assert search.exhausted == {NAME}


def test_shrinking_leaves_out_what_is_not_needed() -> None:
    d = 4
    entries = generate("random", rows=24, columns=24, seed=1).pattern.to_array()
    found = suspend(whole(entries, d, "columns"), Search())
    assert isinstance(found, Suspension)
    smaller = shrink(found, Search())
    for part in (found, smaller):
        assert check(as_problem(entries, d), part.proof()) is None
    kept = smaller.part
    assert len(kept.elements) < len(found.part.elements)
    assert len(kept.covectors) < len(found.part.covectors)
    for lines in ("covectors", "elements"):
        for at in range(len(getattr(kept, lines))):
            less = {"covectors": kept.covectors, "elements": kept.elements}
            less[lines] = np.delete(less[lines], at)
            assert isinstance(suspend(Part(d, "columns", kept.signs, **less), Search()), str)


def test_no_time_is_no_proof() -> None:
    entries = generate("random", rows=60, columns=60, seed=1).pattern.to_array()
    search = Search(search_clock.now() - 1, search_clock.now() - 1)
    assert suspend(whole(entries, 4, "columns"), search) == cycles.OUT_OF_TIME
    assert find_proof(as_problem(entries, 4), search) == cycles.OUT_OF_TIME


@pytest.mark.parametrize("seconds", [0.1, 0.4])
def test_the_time_limit_holds_in_large_systems(seconds: float) -> None:
    """Of 60 x 60 entries in d = 8 there are 10^11 patterns, of 100 x 100 in d = 20 far too many."""
    for size, d in ((60, 8), (100, 20)):
        pattern = generate("random", rows=size, columns=size, seed=1).pattern
        find_proof(Problem(STARS[16], 2), Search())  # compiled by now
        problem = Problem(pattern, d)
        asked = partial(lambda asked: find_proof(asked, Search.within(seconds, 0)), problem)
        assert isinstance(ended_within(seconds + 1, asked), str)


def test_memory_stays_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(suspensions, "LEAST_WITH_TREE", 7)
    monkeypatch.setattr(cycles, "_MOST_NUMBERS", 5_000)
    entries = generate("random", rows=40, columns=40, seed=1).pattern.to_array()
    assert suspend(whole(entries, 6, "columns"), Search()) == cycles.TOO_LARGE


def test_parts_of_many_covectors_stay_few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Parts that are divided no further serve the listing as well."""
    random = np.random.RandomState(3)
    signs = random.choice([1, -1], size=(20_000, 31)).astype(np.int8)
    _, stack = cycles.start_listing(np.unique(signs, axis=0), 4)
    assert stack.parts.nbytes < 1 << 25
    parts = [whole(random_entries(random, 9, 9), 2, side) for side in SIDES for _ in range(20)]
    expected = [isinstance(suspend(part, Search()), Suspension) for part in parts]
    assert set(expected) == {True, False}
    monkeypatch.setattr(cycles, "_MOST_MARKS", 1)
    assert [isinstance(suspend(part, Search()), Suspension) for part in parts] == expected


@pytest.mark.parametrize(
    ("limit", "most", "d"),
    [("_MOST_NUMBERS", 50, 4), ("_MOST_STEPS", 500, 6), ("_MOST_WORDS", 500, 4)],
)
def test_memory_of_a_tree_stays_bounded(
    limit: str, most: int, d: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cycles if hasattr(cycles, limit) else tree_cycles, limit, most)
    for module in (cycles, tree_cycles):
        monkeypatch.setattr(module, "_ROOM", 32)
    entries = generate("random", rows=20, columns=20, seed=1).pattern.to_array()
    assert suspend(whole(entries, d, "columns"), Search.within(20, 0)) == cycles.TOO_LARGE


def test_a_search_with_a_tree_that_pauses_finds_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the time ends, how many columns are reduced at once, or how arrays grow."""
    entries = random_entries(np.random.RandomState(6), 40, 14)
    part = whole(entries, 4, "columns")
    expected = suspend(part, Search())
    assert isinstance(expected, Suspension)
    assert check(as_problem(entries, 4), expected.proof()) is None
    monkeypatch.setattr(cycles, "_STEPS", 4_000)
    for module in (cycles, tree_cycles):
        monkeypatch.setattr(module, "_ROOM", 8)
    for at_once in (3, 5_000):
        monkeypatch.setattr(tree_cycles, "_FEWEST_AT_ONCE", at_once)
        searching, pauses = SuspensionSearch(part), 0
        while (found := searching.resume(Pausing(2))) == cycles.OUT_OF_TIME:
            pauses += 1
        assert pauses > 5
        assert isinstance(found, Suspension)
        assert found.members.tolist() == expected.members.tolist()


def test_turns_are_short() -> None:
    for pattern in STARS.values():
        assert 0 < first_turns.topological(Problem(pattern, 2)) <= 0.3


def test_large_patterns_are_refuted_by_dense_parts() -> None:
    pattern = generate("random", rows=2500, columns=2000, density=0.3, seed=2).pattern
    problem = Problem(pattern, 3)
    proof = find_proof(problem, Search.within(30, 0))
    assert isinstance(proof, Topological)
    assert check(problem, proof) is None


@pytest.mark.parametrize("columns", [2, 3, 4, 5, 6])
def test_patterns_of_few_elements_come_to_an_end(columns: int) -> None:
    """A dense part of a large pattern may have fewer than d + 2 elements."""
    pattern = generate("random", rows=3, columns=columns, seed=1).pattern
    search = Search()
    assert find_proof(Problem(pattern, 4), search) == NONE_EXISTS
    assert search.exhausted == {NAME}
