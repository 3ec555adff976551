"""Numeric search for an embedding: logistic loss, many starts, then a wide margin."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from samapprox.problem import Problem
from samapprox.proofs.base import Proof
from samapprox.proofs.embeddings.embedding import Embedding
from samapprox.solvers.backends.blas import one_blas_thread
from samapprox.solvers.embeddings.descent import (
    Floats,
    computes_all,
    descend,
    describe_best,
    homogeneous,
    leading_vectors,
    minimise,
    settle,
    wrong_places,
)
from samapprox.solvers.engine.search import Search, shared_tokens, too_large, too_slow

__all__ = ["NAME", "applies", "find_proof"]

NAME = "gradient"

# An entry takes 60 bytes, so larger patterns would take more than a gigabyte.
_MOST_CELLS = 16_000_000
_STEPS = 200  # steps of the optimiser in each round of polishing
# From so many entries on, the last wrong ones are polished before another start is tried.
_LARGE = 100_000
_FEW = 1e-3  # polishing begins if at most this share of the entries is wrong
_ACTIVE = 12  # entries of the active set for each free number: more make a step slower
# The active set is scaled so that its last entry has this margin, where the loss is nearly flat.
_FARTHEST = 8.0
_ROUNDS = 20  # rounds of polishing, each with a new active set
_FIRST = 5  # a turn that is too short for so many steps is not begun


def applies(problem: Problem) -> str | None:
    """Return the reason why the strategy does not apply, or None."""
    return shared_tokens(problem) or too_large(problem, _MOST_CELLS)


def find_proof(problem: Problem, search: Search) -> Proof | str:
    """Minimise the logistic loss of U V^T against the signs, from singular vectors and by kicks.

    U holds the queries with minus their thresholds, and one more vector that is positive on all
    keys; V holds the keys with a 1. A step takes 6 m n d operations, and some 30 ns an entry.
    """
    with one_blas_thread():
        return _search(problem, search)


def _search(problem: Problem, search: Search) -> Proof | str:
    pattern = problem.pattern
    rows, columns = pattern.shape
    reason = too_slow(_start_seconds(rows, columns, problem.d + 1), search)
    if reason is not None:
        return reason
    signs = homogeneous(pattern)
    fewest = signs.size
    for U, V in _starts(signs, problem.d + 1, search):
        U, V = descend(signs, U, V, search)
        if signs.size >= _LARGE and 0 < len(wrong_places(signs, U, V)) <= _FEW * signs.size:
            U, V = _polish(signs, U, V, search)
        found = settle(problem, signs, U, V, search)
        if isinstance(found, Embedding):
            return found
        fewest = min(fewest, found)
        if search.out_of_time:
            break
    return describe_best(fewest)


def _polish(signs: Floats, U: Floats, V: Floats, search: Search) -> tuple[Floats, Floats]:
    """Descend on the entries nearest to the wrong side alone, scaled up so that they count.

    If lines and points lie close together, the last wrong entries change the loss of all entries
    very little. They determine the loss of a small active set, which is chosen anew each round.
    """
    from scipy.sparse import csr_array

    rows, columns = signs.shape
    rank = U.shape[1]
    count = min(signs.size, _ACTIVE * rank * (rows + columns))
    for _ in range(_ROUNDS):
        margins = signs * (U @ V.T)
        margins[signs == 0] = np.inf
        if margins.min() > 0 or search.out_of_time:
            break
        near = np.argpartition(margins, count - 1, axis=None)[:count]
        factor = np.sqrt(_FARTHEST / max(1e-12, float(margins.flat[near[-1]])))
        order = np.sort(near)
        places = (order // columns, order % columns)
        wanted = signs[places]
        indptr = np.concatenate(([0], np.cumsum(np.bincount(places[0], minlength=rows))))

        def loss(
            x: Floats,
            places: tuple[NDArray[np.int64], NDArray[np.int64]] = places,
            wanted: Floats = wanted,
            indptr: NDArray[np.int64] = indptr,
        ) -> tuple[float, Floats]:
            left = x[: rows * rank].reshape(rows, rank)
            right = x[rows * rank :].reshape(columns, rank)
            margins = np.einsum("ij,ij->i", left[places[0]], right[places[1]]) * wanted
            decay = np.exp(-np.clip(margins, -300.0, 40.0))
            weight = csr_array((wanted * decay / (1.0 + decay), places[1], indptr), signs.shape)
            gradient = np.concatenate([(weight @ right).ravel(), (weight.T @ left).ravel()])
            return float(np.log1p(decay).sum()), -gradient

        start = np.concatenate([U.ravel(), V.ravel()]) * factor
        x = minimise(loss, start, _STEPS, search)
        U, V = x[: rows * rank].reshape(rows, rank), x[rows * rank :].reshape(columns, rank)
    return U, V


def _starts(signs: Floats, rank: int, search: Search) -> Iterator[tuple[Floats, Floats]]:
    """Yield singular vectors, noisy ones, random ones, endlessly."""
    rng = np.random.RandomState(search.seed % (1 << 32))
    rows, columns = signs.shape
    left, values, right = leading_vectors(signs, rank, rng)
    kept = len(values)
    roots = np.sqrt(values[:kept])
    U0 = np.zeros((rows, rank))
    V0 = np.zeros((columns, rank))
    U0[:, :kept], V0[:, :kept] = left[:, :kept] * roots, right[:kept].T * roots
    scale = 2.0 / max(1e-9, float(np.sqrt(np.abs(U0 @ V0.T).mean())))
    yield U0 * scale, V0 * scale
    turn = 0
    while True:
        turn += 1
        noise = 0.3 * (turn % 4 + 1) * float(np.abs(U0).mean() * scale)
        if turn % 4 == 0:
            yield rng.normal(size=U0.shape), rng.normal(size=V0.shape)
        else:
            yield (
                U0 * scale + noise * rng.normal(size=U0.shape),
                V0 * scale + noise * rng.normal(size=V0.shape),
            )


def _start_seconds(rows: int, columns: int, rank: int) -> float:
    """Estimate the seconds for the singular vectors and a few steps."""
    entries = rows * columns
    depth = 20 * min(rows, columns) if computes_all((rows, columns), rank) else 26 * rank
    return entries * (depth / 2e10 + _FIRST * (3e-8 + 6 * rank / 2e10))
