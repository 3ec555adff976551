"""Reflections between the low ranks and the right signs: planted embeddings, dual sides, stars."""

from __future__ import annotations

from dataclasses import replace
from threading import Event

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from samapprox import Pattern
from samapprox.pattern import UNSPECIFIED
from samapprox.problem import Problem
from samapprox.proofs.checker import check
from samapprox.proofs.embeddings.embedding import Embedding
from samapprox.reductions.families import generate
from samapprox.solvers.embeddings.descent import homogeneous, wrong_places
from samapprox.solvers.embeddings.projections import Approach, applies, find_proof
from samapprox.solvers.engine.search import Search


@pytest.mark.parametrize(("shape", "d"), [((20, 20), 2), ((30, 12), 3), ((12, 30), 4)])
def test_planted_embeddings_are_found(shape: tuple[int, int], d: int) -> None:
    rows, columns = shape
    pattern = generate("halfspaces", rows=rows, columns=columns, d=d, seed=1).pattern
    problem = Problem(pattern, d)
    found = find_proof(problem, Search.within(20.0, 0))
    assert isinstance(found, Embedding)
    assert found.dimension == d
    assert check(problem, found) is None


def test_free_entries_may_be_anything() -> None:
    """With a tenth of a random matrix left, few dimensions are enough, and needed entries hold."""
    rng = np.random.RandomState(0)
    entries = rng.randint(2, size=(20, 20))
    entries[np.arange(20), np.arange(20)] = 1
    free = rng.random_sample(entries.shape) < 0.8
    free[np.arange(20), np.arange(20)] = False
    pattern = Pattern.from_array(entries == 1, ~free)
    assert (pattern.to_array() == UNSPECIFIED).any()
    problem = Problem(pattern, 3)
    found = find_proof(problem, Search.within(20.0, 0))
    assert isinstance(found, Embedding)
    assert check(problem, found) is None


def test_what_cannot_be_embedded_is_not_and_says_where_it_hurts() -> None:
    search = Search.within(0.3, 0)
    said = find_proof(Problem(generate("all-subsets", n=6, k=2).pattern, 2), search)
    assert isinstance(said, str)
    assert said.startswith("its best embedding gets ")
    assert search.violations
    assert all(len(places) for places in search.violations)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10_000), st.integers(1, 4))
def test_those_that_arrive_have_the_right_signs(seed: int, rank: int) -> None:
    rng = np.random.RandomState(seed)
    shape = (rng.randint(1, 9), rng.randint(1, 9))
    signs = rng.choice([-1.0, 1.0, 1.0, 0.0], size=shape)
    approach = Approach(signs, rank, rng, counts_wrong=True)
    arrived = approach.go(100, Search())
    places = wrong_places(signs, *approach.nearest)
    assert approach.steps <= 100
    assert len(places) == approach.fewest
    assert arrived == (approach.fewest == 0)
    assert approach.heat.shape == shape
    assert not approach.heat[signs == 0].any()
    turned = Approach(signs.T, rank, np.random.RandomState(seed))
    turned.go(5, Search())
    assert turned.nearest[0].shape == (shape[1], rank)


def test_short_starts_take_longer_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Narrow embeddings need long runs and calm steps; all others are found sooner in a hurry."""
    module = "samapprox.solvers.embeddings.projections"
    paces: dict[int, float] = {}

    def note_pace(approach: Approach, steps: int, search: Search) -> bool:
        paces[steps] = approach._pace
        if steps > 50_000:
            search.stop()
        return go(approach, 1, search)

    go = Approach.go
    monkeypatch.setattr(Approach, "go", note_pace)
    monkeypatch.setattr(f"{module}.descend", lambda _, U, V, __: (U, V))
    find_proof(Problem(generate("all-subsets", n=6, k=2).pattern, 2), Search())
    assert {pace > 1.7 for steps, pace in paces.items() if steps < 8_000} == {True}
    assert {pace > 1.7 for steps, pace in paces.items() if steps >= 8_000} == {False}


def test_small_patterns_descend_after_long_runs_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """A descent takes as long as thousands of steps, which find more embeddings."""
    module = "samapprox.solvers.embeddings.projections"
    descents: list[bool] = []

    def note_descent(_: object, U: object, V: object, search: Search) -> tuple[object, object]:
        descents.append(True)
        search.stop()
        return U, V

    monkeypatch.setattr(f"{module}.descend", note_descent)
    problem = Problem(generate("all-subsets", n=6, k=2).pattern, 2)
    with pytest.MonkeyPatch.context() as never:
        never.setattr(f"{module}._LONG", 1 << 60)
        find_proof(problem, Search.within(0.1, 0))
        assert not descents
    monkeypatch.setattr(f"{module}._LONG", 2000)
    find_proof(problem, Search())
    assert descents


def test_a_turn_begins_with_a_start_as_long_as_the_last(monkeypatch: pytest.MonkeyPatch) -> None:
    turns: list[list[int]] = []

    def go(_self: Approach, steps: int, turn: Search) -> bool:
        turns[-1].append(steps)
        if len(turns[-1]) == 3:
            turn.stop()
        return False

    monkeypatch.setattr(Approach, "go", go)
    monkeypatch.setattr("samapprox.solvers.embeddings.projections._LONG", 1 << 60)
    problem, search = Problem(generate("all-subsets", n=6, k=2).pattern, 2), Search()
    for _ in range(2):
        turns.append([])
        find_proof(problem, replace(search, stopped=Event()))
    first, second = turns
    assert len(first) == 3
    assert first == sorted(first)
    assert second[0] == first[-1]


def test_same_seed_same_embedding() -> None:
    problem = Problem(generate("halfspaces", rows=15, columns=15, d=2, seed=3).pattern, 2)
    one, two = (find_proof(problem, Search.within(20.0, 5)) for _ in range(2))
    assert isinstance(one, Embedding)
    assert isinstance(two, Embedding)
    assert one.keys.tolist() == two.keys.tolist()


def test_it_is_for_independent_queries_and_keys() -> None:
    pattern = Pattern.from_text("10\n01")
    assert applies(Problem(pattern, 2, 2)) == "queries and keys share X"
    assert applies(Problem(pattern, 2)) is None
    assert homogeneous(pattern).tolist() == [[1, 1], [1, -1], [-1, 1]]


def test_large_patterns_that_are_nearly_right_need_no_descent(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A descent takes as long as thousands of steps, a few hundred of which are missing."""
    pattern = generate("halfspaces", rows=50, columns=600, d=7, seed=0).pattern

    def descend(*_: object) -> None:
        raise AssertionError("descends")

    monkeypatch.setattr("samapprox.solvers.embeddings.projections.descend", descend)
    monkeypatch.setattr("samapprox.solvers.embeddings.projections._STEPS", 25)
    assert isinstance(find_proof(Problem(pattern, 7), Search.within(20.0, 0)), Embedding)
