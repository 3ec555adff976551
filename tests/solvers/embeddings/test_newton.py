"""Newton steps in turn: the kernel, planted embeddings, vectors that are placed, and time."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from samapprox import Embedding, Problem
from samapprox.proofs.checker import check
from samapprox.proofs.refutations.orientation_clauses import sign_matrix
from samapprox.reductions.families import generate
from samapprox.solvers.embeddings import hinge, newton
from samapprox.solvers.embeddings.descent import normalise, wrong_places
from samapprox.solvers.embeddings.hinge_kernel import step_rows
from samapprox.solvers.embeddings.newton import Alternation, place, step
from samapprox.solvers.engine.search import Search
from samapprox.support.arrays import Floats


def planted(rows: int, columns: int, d: int) -> Problem:
    instance = generate("halfspaces", rows=rows, columns=columns, d=d, seed=1)
    return Problem(instance.pattern, d)


def signs_of(problem: Problem) -> NDArray[np.int8]:
    return sign_matrix(problem.pattern.to_array(), "columns")


def random_units(seed: int, *shape: int) -> Floats:
    return normalise(np.random.RandomState(seed).normal(size=shape))[0]


def loss(signs: NDArray[np.int8], u: Floats, v: Floats, margin: float) -> Floats:
    """Return the squared hinge loss of each row."""
    short = np.maximum(0.0, margin - signs * (u @ v.T)) * (signs != 0)
    return np.asarray((short**2).sum(axis=1))


@given(st.integers(0, 10_000), st.integers(1, 6), st.floats(0.05, 0.9))
def test_steps_lead_to_a_minimum_of_each_row(seed: int, rank: int, margin: float) -> None:
    """Where all signs agree with a vector nearby, steps descend, and wrong entries are counted."""
    rng = np.random.RandomState(seed)
    v, truth = random_units(seed, 60, rank), random_units(seed + 1, 70, rank)
    signs = (np.sign(truth @ v.T) * (rng.random_sample((70, 60)) < 0.9)).astype(np.int8)
    start = normalise(truth + 0.2 * rng.normal(size=truth.shape) / np.sqrt(rank))[0]
    u, moved = start.astype(np.float32), np.empty(start.shape, np.float32)
    wrong = step_rows(signs, u, v.astype(np.float32), margin, (0, 70), moved)
    assert wrong == len(wrong_places(signs, u, v.astype(np.float32)))
    for _ in range(5):
        u = moved.copy()
        step_rows(signs, u, v.astype(np.float32), margin, (0, 70), moved)
    assert np.allclose(np.linalg.norm(moved, axis=1), 1.0, atol=1e-4)
    before, after = (loss(signs, vectors, v, margin) for vectors in (start, moved))
    assert after.sum() <= before.sum() + 1e-4


@pytest.mark.parametrize(("shape", "d"), [((40, 40), 4), ((300, 500), 5), ((100, 700), 2)])
def test_planted_embeddings_are_found(shape: tuple[int, int], d: int) -> None:
    problem = planted(*shape, d)
    signs, rng = signs_of(problem), np.random.RandomState(0)
    start = hinge._leading_factors(signs, d + 1, rng)
    U, V, wrong = Alternation(signs, Search()).lower(*start, 0.15)
    assert wrong == len(wrong_places(signs, U, V)) == 0


def test_the_strategy_needs_no_other_steps_for_planted_patterns(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(hinge.Cosines, "fit", None)  # L-BFGS
    problem = planted(300, 200, 3)
    found = hinge.find_proof(problem, Search.within(20.0, 0))
    assert isinstance(found, Embedding)
    assert check(problem, found) is None


def test_the_search_ends_where_it_is_in_vain() -> None:
    pattern = generate("random", rows=60, columns=60, seed=0).pattern
    signs = signs_of(Problem(pattern, 3))
    start = random_units(0, 61, 4), random_units(1, 60, 4)
    U, V, wrong = Alternation(signs, Search()).lower(*start, 0.15)
    assert wrong == len(wrong_places(signs, U, V)) > 0
    assert wrong <= len(wrong_places(signs, *start))


def test_vectors_are_placed_among_known_ones() -> None:
    known, truth = random_units(0, 400, 5), random_units(1, 200, 5)
    signs = np.sign(truth @ known.T).astype(np.int8)
    start = normalise(truth + 0.1 * random_units(2, 200, 5))[0]
    placed = place(signs, start, known, Search())
    assert len(wrong_places(signs, placed, known)) < len(wrong_places(signs, start, known)) / 2


def test_tasks_share_the_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = planted(90, 50, 3)
    signs = signs_of(problem)
    u, v = (random_units(n, n, 4).astype(np.float32) for n in signs.shape)
    whole = step(signs, u, v, 0.1, Search())
    monkeypatch.setattr(newton, "_AT_ONCE", 7 * 50)
    in_parts = step(signs, u, v, 0.1, Search())
    assert in_parts[1] == whole[1]
    assert np.allclose(in_parts[0], whole[0], atol=1e-5)


def test_out_of_time_leaves_the_start() -> None:
    signs = signs_of(planted(30, 20, 2))
    u, v = (random_units(n, n, 3).astype(np.float32) for n in signs.shape)
    search = Search.within(1.0, 0)
    search.stop()
    moved, wrong = step(signs, u, v, 0.1, search)
    assert (moved == u).all()
    assert wrong >= signs.size
    U, _, wrong = Alternation(signs, search).lower(*(x.astype(np.float64) for x in (u, v)), 0.1)
    assert np.allclose(U, u, atol=1e-6)
    assert wrong == signs.size
