"""The descent on all entries, and on those nearest to the wrong side."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import check_grad
from scipy.sparse import csr_array

from samapprox import Embedding, Problem
from samapprox.proofs import check
from samapprox.reductions.families import generate
from samapprox.solvers.embeddings import gradient
from samapprox.solvers.engine.search import Search


def planted(rows: int, columns: int, d: int, seed: int) -> Problem:
    return Problem(generate("halfspaces", rows=rows, columns=columns, d=d, seed=seed).pattern, d)


@pytest.mark.parametrize("d", [1, 2, 3])
def test_planted_embeddings_are_found(d: int) -> None:
    for seed in range(3):
        problem = planted(15, 14, d, seed)
        found = gradient.find_proof(problem, Search.within(20.0, seed))
        assert isinstance(found, Embedding)
        assert check(problem, found) is None


def test_the_loss_of_some_entries_and_its_gradient() -> None:
    """It is the sum of log(1 + exp(-margin)) over the entries that are stored."""
    rng = np.random.RandomState(0)
    signs = np.where(rng.rand(6, 5) < 0.5, 1.0, -1.0) * (rng.rand(6, 5) < 0.6)
    active = csr_array(signs)
    rows = np.repeat(np.arange(6), np.diff(active.indptr))
    U, V = rng.normal(size=(6, 3)), rng.normal(size=(5, 3))
    x = np.concatenate([U.ravel(), V.ravel()])
    value, slope = gradient._compute_active_loss(active, rows, 3, x)
    margins = (signs * (U @ V.T))[signs != 0]
    assert value == pytest.approx(np.log1p(np.exp(-margins)).sum())
    assert slope.shape == x.shape
    distance = check_grad(
        lambda x: gradient._compute_active_loss(active, rows, 3, x)[0],
        lambda x: gradient._compute_active_loss(active, rows, 3, x)[1],
        x,
    )
    assert distance < 1e-5


def test_polishing_repairs_the_last_wrong_entries() -> None:
    """Points of which two have come a little too near to one another's lines."""
    repaired = 0
    for seed in range(6):
        rng = np.random.RandomState(seed)
        U, V = rng.normal(size=(30, 3)), rng.normal(size=(25, 3))
        signs = np.sign(U @ V.T)
        near = U + 0.02 * rng.normal(size=U.shape)
        before = len(gradient.wrong_places(signs, near, V))
        U, V = gradient._polish(signs, near, V, Search.within(20.0, 0))
        after = len(gradient.wrong_places(signs, U, V))
        assert 0 <= after <= before
        repaired += before > after == 0
    assert repaired >= 4


def test_large_patterns_are_polished(monkeypatch: pytest.MonkeyPatch) -> None:
    polished = []
    polish = gradient._polish

    def record(*arguments: object) -> object:
        polished.append(arguments)
        return polish(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(gradient, "_polish", record)
    monkeypatch.setattr(gradient, "_LARGE", 0)
    monkeypatch.setattr(gradient, "_FEW", 1.0)
    problem = planted(25, 24, 3, 1)
    found = gradient.find_proof(problem, Search.within(20.0, 0))
    assert isinstance(found, Embedding)
    assert check(problem, found) is None
    random = Problem(generate("random", rows=12, columns=12, seed=1).pattern, 3)
    found = gradient.find_proof(random, Search.within(0.5, 0))
    assert isinstance(found, str) or check(random, found) is None
    assert polished
