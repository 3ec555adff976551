"""Falling margins: planted embeddings, heads, warm starts, and turns that end in time."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.durations import ended_within
from helpers.strategies import Entries, any_entries
from hypothesis import given, settings
from hypothesis import strategies as st

from samapprox import Embedding, Pattern, Problem, decide
from samapprox.proofs.checker import check
from samapprox.reductions.families import generate
from samapprox.solvers.embeddings import hinge
from samapprox.solvers.embeddings.descent import normalise
from samapprox.solvers.embeddings.hinge import Cosines
from samapprox.solvers.embeddings.hinge_kernel import all_entries, chosen_entries, near_entries
from samapprox.solvers.engine import first_turns
from samapprox.solvers.engine.search import Search


def local_head(tokens: int, top: int, *, causal: bool) -> Pattern:
    """The largest entries of random logits with locality and a sink."""
    rng = np.random.RandomState(0)
    query, key = np.indices((tokens, tokens))
    logits = rng.normal(size=(tokens, tokens)) - 0.05 * (query - key) + 2.0 * (key == 0)
    logits[key > query] = -np.inf
    entries = np.zeros((tokens, tokens), dtype=np.bool_)
    np.put_along_axis(entries, np.argsort(-logits, axis=1)[:, :top], values=True, axis=1)
    return Pattern.from_array(entries & (key <= query), key <= query if causal else None)


@pytest.mark.parametrize(("shape", "d"), [((20, 20), 2), ((30, 12), 3), ((300, 500), 5)])
def test_planted_embeddings_are_found(shape: tuple[int, int], d: int) -> None:
    rows, columns = shape
    pattern = generate("halfspaces", rows=rows, columns=columns, d=d, seed=1).pattern
    found = hinge.find_proof(Problem(pattern, d), Search.within(20.0, 0))
    assert isinstance(found, Embedding)
    assert found.dimension == d
    assert check(Problem(pattern, d), found) is None


def test_a_part_is_embedded_first_where_there_are_many_entries(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(hinge, "_MANY", 40_000)
    monkeypatch.setattr(hinge, "_COARSE", 100)
    pattern = generate("halfspaces", rows=300, columns=250, d=4, seed=1).pattern
    found = hinge.find_proof(Problem(pattern, 4), Search.within(20.0, 0))
    assert isinstance(found, Embedding)
    assert check(Problem(pattern, 4), found) is None


def test_a_turn_on_a_large_pattern_is_no_shorter_than_the_fall_of_the_margin(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Else the next turn would begin anew, after those of slow refutations."""
    monkeypatch.setattr(hinge, "_LONG", 1)
    monkeypatch.setattr(hinge, "hinge_fall", lambda _entries, _rank: 10.0)
    problem = Problem(generate("halfspaces", rows=60, columns=50, d=2, seed=1).pattern, 2)
    turn = Search.within(60.0, 0).slice(1e-6, 0)
    assert isinstance(hinge.find_proof(problem, turn), Embedding)


def test_a_first_turn_takes_newton_steps_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """They are quick; L-BFGS waits for a turn in which the margin can fall."""
    problem = Problem(generate("random", rows=200, columns=200, seed=0).pattern, 4)
    search = Search.within(60.0, 0)
    turn = search.slice(first_turns.hinge(problem), 0)
    with monkeypatch.context() as patch:
        patch.setattr(hinge.Cosines, "fit", None)
        assert "wrong" in str(hinge.find_proof(problem, turn))
        again = str(hinge.find_proof(problem, search.slice(2 * first_turns.hinge(problem), 1)))
    assert "more than its turn lasts" in again
    longer = search.slice(2 * first_turns.hinge_descent(problem), 2)
    assert "wrong" in str(hinge.find_proof(problem, longer))


@pytest.mark.parametrize(("causal", "d"), [(False, 6), (True, 5)])
def test_heads_are_found(causal: bool, d: int) -> None:
    problem = Problem(local_head(200, 4, causal=causal), d)
    found = hinge.find_proof(problem, Search.within(30.0, 0))
    assert isinstance(found, Embedding)
    assert check(problem, found) is None


def test_an_embedding_in_more_dimensions_is_a_start() -> None:
    """A start for a planted pattern, from which the search needs other steps."""
    pattern = generate("halfspaces", rows=60, columns=60, d=3, seed=1).pattern
    search = Search.within(30.0, 0)
    assert isinstance(hinge.find_proof(Problem(pattern, 5), search), Embedding)
    assert [(len(U), len(V)) for U, V in search.factors.values()] == [(61, 60)]
    found = hinge.find_proof(Problem(pattern, 3), search)
    assert isinstance(found, Embedding)
    assert sorted(search.factors) == [4, 6]


def test_factors_of_another_pattern_are_left_alone() -> None:
    pattern = generate("halfspaces", rows=20, columns=20, d=3, seed=1).pattern
    search = Search.within(30.0, 0)
    search.factors[9] = np.ones((3, 9)), np.ones((4, 9))
    assert isinstance(hinge.find_proof(Problem(pattern, 3), search), Embedding)


@settings(max_examples=30, deadline=None)
@given(any_entries(), st.integers(1, 4), st.integers(0, 2**31))
def test_it_agrees_with_all_strategies(entries: Entries, d: int, seed: int) -> None:
    problem = Problem(Pattern.from_array(entries), d)
    found = hinge.find_proof(problem, Search.within(0.3, seed))
    if not isinstance(found, str):
        assert check(problem, found) is None
        assert decide(entries, d).status.value == "YES"


@given(st.integers(0, 10_000), st.integers(1, 5), st.floats(0.01, 0.9))
def test_kernels_are_the_formula(seed: int, rank: int, margin: float) -> None:
    rng = np.random.RandomState(seed)
    shape = (rng.randint(1, 150), rng.randint(1, 40))
    signs = rng.randint(-1, 2, size=shape).astype(np.int8)
    u, v = (normalise(rng.normal(size=(n, rank)))[0].astype(np.float32) for n in shape)
    cosines = u @ v.T
    short = np.maximum(0, np.float32(margin) - signs * cosines) * (signs != 0)
    du, dv = np.empty_like(u), np.zeros_like(v)
    loss, wrong = all_entries(signs, u, v, margin, (0, len(u)), du, dv)
    assert wrong == np.count_nonzero((signs * cosines <= 0) & (signs != 0))
    assert loss == pytest.approx(float((short**2).sum()), rel=1e-4, abs=1e-6)
    assert np.allclose(du, -(signs * short) @ v, atol=1e-3)
    assert np.allclose(dv, -(signs * short).T @ u, atol=1e-3)

    indptr, columns = np.zeros(len(u) + 1, dtype=np.int64), np.zeros(signs.size + 40, np.int32)
    assert near_entries(signs, u, v, margin, (0, len(u)), indptr, columns) == (wrong, True)
    no_room = columns[: signs.shape[1] - 1]
    assert near_entries(signs, u, v, margin, (0, len(u)), indptr.copy(), no_room) == (wrong, False)
    near_du, near_dv = np.empty_like(u), np.zeros_like(v)
    listed = chosen_entries(signs, u, v, margin, indptr, columns, near_du, near_dv)
    assert listed == pytest.approx(loss, rel=1e-4, abs=1e-6)  # all that count are near
    assert np.allclose(near_du, du, atol=1e-3)
    assert np.allclose(near_dv, dv, atol=1e-3)


def test_near_misses_are_noted() -> None:
    search = Search.within(0.5, 0)
    said = hinge.find_proof(Problem(generate("all-subsets", n=6, k=2).pattern, 2), search)
    assert isinstance(said, str)
    assert said.startswith("its best embedding gets ")
    assert search.violations
    assert all(len(places) for places in search.violations)


def test_a_pass_that_takes_too_long_is_not_begun() -> None:
    problem = Problem(generate("random", rows=700, columns=700).pattern, 600)
    said = ended_within(0.5, lambda: hinge.find_proof(problem, Search.within(0.5, 0)))
    assert "more than its turn lasts" in str(said)


@pytest.mark.parametrize("seconds", [0.2, 0.5])
def test_turns_end_in_time(seconds: float) -> None:
    problem = Problem(generate("random", rows=900, columns=1000).pattern, 20)
    hinge.find_proof(problem, Search.within(0.01, 0))  # compiled
    said = ended_within(seconds + 1, lambda: hinge.find_proof(problem, Search.within(seconds, 0)))
    assert isinstance(said, str)


def test_out_of_time_leaves_the_start() -> None:
    signs = np.array([[1, 1], [1, -1]], dtype=np.int8)
    start = np.array([[1.0, 0.0], [0.0, 1.0]])
    search = Search.within(1.0, 0)
    search.stop()
    U, _, _ = Cosines(signs, 2, search).fit(start, start, 0.1, 20)
    assert U.tolist() == start.tolist()
