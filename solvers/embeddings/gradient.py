"""Numeric search for an embedding: logistic loss, many starts, then a wide margin."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from samapprox.problem import Problem
from samapprox.proofs.base import Proof
from samapprox.proofs.embeddings.embedding import Embedding
from samapprox.solvers.embeddings.descent import (
    balance,
    computes_all,
    descend,
    describe_best,
    homogeneous,
    join,
    leading_vectors,
    minimise,
    settle,
    split,
    vary,
    wrong_places,
)
from samapprox.solvers.engine.backends import one_blas_thread
from samapprox.solvers.engine.search import Search, shared_tokens, too_large, too_slow
from samapprox.support.arrays import Floats

if TYPE_CHECKING:
    import scipy.sparse


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


@one_blas_thread()
def find_proof(problem: Problem, search: Search) -> Proof | str:
    """Minimise the logistic loss of U V^T against the signs, from singular vectors and by kicks.

    U holds the queries with minus their thresholds, and one more vector that is positive on all
    keys; V holds the keys with a 1. A step takes 6 m n d operations, and some 30 ns an entry.
    """
    rank = problem.d + 1
    reason = too_slow(_start_seconds(*problem.pattern.shape, rank), search)
    if reason is not None:
        return reason
    signs = homogeneous(problem.pattern)
    rng = np.random.RandomState(search.seed)
    left, right = balance(*leading_vectors(signs, rank, rng), rank)
    scale = 2.0 / max(1e-9, float(np.sqrt(np.abs(left @ right.T).mean())))
    fewest = signs.size
    for U, V in vary(left * scale, right * scale, rng):
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

    rank = U.shape[1]
    count = min(signs.size, _ACTIVE * rank * sum(signs.shape))
    for _ in range(_ROUNDS):
        margins = signs * (U @ V.T)
        margins[signs == 0] = np.inf
        if margins.min() > 0 or search.out_of_time:
            break
        near = np.argpartition(margins, count - 1, axis=None)[:count]
        factor = np.sqrt(_FARTHEST / max(1e-12, float(margins.flat[near[-1]])))
        rows, columns = np.divmod(np.sort(near), len(V))
        starts = np.searchsorted(rows, np.arange(len(U) + 1))
        active = csr_array((signs[rows, columns], columns, starts), signs.shape)
        loss = partial(_compute_active_loss, active, rows, rank)
        x = minimise(loss, join(U, V) * factor, _STEPS, search)
        U, V = split(x, len(U), rank)
    return U, V


def _compute_active_loss(
    active: scipy.sparse.csr_array, rows: NDArray[np.int64], rank: int, x: Floats
) -> tuple[float, Floats]:
    """Compute the logistic loss of some entries, the signs in the given rows, and its gradient."""
    left, right = split(x, active.shape[0], rank)
    margins = np.einsum("ij,ij->i", left[rows], right[active.indices]) * active.data
    decay = np.exp(-np.clip(margins, -300.0, 40.0))
    weight = active.copy()
    weight.data *= decay / (1.0 + decay)
    return float(np.log1p(decay).sum()), -join(weight @ right, weight.T @ left)


def _start_seconds(rows: int, columns: int, rank: int) -> float:
    """Estimate the seconds for the singular vectors and a few steps."""
    entries = rows * columns
    depth = 20 * min(rows, columns) if computes_all((rows, columns), rank) else 26 * rank
    return entries * (depth / 2e10 + _FIRST * (3e-8 + 6 * rank / 2e10))
