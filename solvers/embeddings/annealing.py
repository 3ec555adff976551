"""Numeric search for an embedding: unit vectors, and a loss that focuses on the worst entries.

Queries and keys have length 1. For small tau, the logistic loss sum log(1 + exp(-tau a_ij u_i .
v_j)) depends on how many entries are right; for large tau, it depends on the entry with the least
margin. Raising tau slowly leads to embeddings that a loss on free vectors misses if the rows differ
much in their scale, as in masks of hundreds of tokens.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from samapprox.problem import Problem
from samapprox.proofs.base import Proof
from samapprox.proofs.embeddings.embedding import Embedding
from samapprox.solvers.embeddings.descent import (
    AllRight,
    balance,
    describe_best,
    homogeneous,
    join,
    leading_vectors,
    minimise,
    normalise,
    pull_back,
    settle,
    split,
    vary,
    wrong_places,
)
from samapprox.solvers.engine import first_turns
from samapprox.solvers.engine.backends import one_blas_thread
from samapprox.solvers.engine.search import Search, shared_tokens, too_large, too_slow
from samapprox.support.arrays import Floats

NAME = "annealing"

_MOST_CELLS = 4_000_000  # an entry takes 60 bytes, so larger patterns would take more than 240 MB
_LADDER = 3.0 * 2.0 ** np.arange(11)  # the values of tau, each twice the last
# Steps of the optimiser for each tau: in the first start, and at most in later ones, since slow
# cooling finds more.
_STEPS, _MOST_STEPS = 50, 800
_TINY = 1e-6  # added to every coordinate of the first start, so that no vector is 0
_FIRST = 20  # a turn that is too short for so many steps is not begun


def applies(problem: Problem) -> str | None:
    """Return the reason why the strategy does not apply, or None."""
    return shared_tokens(problem) or too_large(problem, _MOST_CELLS)


@one_blas_thread()
def find_proof(problem: Problem, search: Search) -> Proof | str:
    """Minimise the logistic loss of tau times the cosines against the signs, tau rising.

    As in `gradient`, one more query is positive on all keys. A step takes 6 m n d operations, and
    some 50 ns an entry. The first start takes some 500 steps; later ones and longer turns take
    more, since slow cooling finds more. In every other start, the ones and the zeros of a row have
    the same weight.
    """
    rank = problem.d + 1
    reason = too_slow(problem.pattern.size * (6 * rank + 1000) * _FIRST / 2e10, search)
    if reason is not None:
        return reason
    signs = homogeneous(problem.pattern)
    weights = (np.abs(signs), _balance_signs(signs))
    fewest = signs.size
    # Fast cooling was tried in shorter turns.
    patience = search.remaining / first_turns.annealing(problem)
    least = int(np.clip(_STEPS * patience / 2, _STEPS, _MOST_STEPS / 2))
    rng = np.random.RandomState(search.seed)
    left, right = balance(*leading_vectors(signs, rank, rng), rank)
    for turn, (U, V) in enumerate(vary(left + _TINY, right + _TINY, rng)):
        steps = min(_MOST_STEPS, least << min(4, turn // 2))
        U, V = _anneal(signs, weights[turn % 2], U, V, steps, search)
        found = settle(problem, signs, U, V, search, wider=False)
        if isinstance(found, Embedding):
            return found
        fewest = min(fewest, found)
        if search.out_of_time:
            break
    return describe_best(fewest)


def _balance_signs(signs: Floats) -> Floats:
    """Return weights of the entries, the rarer sign of a row counting more."""
    ones, zeros = ((signs == sign).sum(axis=1, keepdims=True) for sign in (1, -1))
    ratio = np.sqrt(np.maximum(1, zeros) / np.maximum(1, ones))
    return np.where(signs > 0, ratio, np.abs(signs))


def _anneal(
    signs: Floats, weights: Floats, U: Floats, V: Floats, steps: int, search: Search
) -> tuple[Floats, Floats]:
    """Minimise by L-BFGS for each tau in turn; stop once all signs are right."""
    for tau in map(float, _LADDER):
        start = join(normalise(U)[0], normalise(V)[0])
        loss = partial(_compute_loss, signs, weights, tau, U.shape[1])
        U, V = split(minimise(loss, start, steps, search), *U.shape)
        if search.out_of_time or not len(wrong_places(signs, U, V)):
            break
    return U, V


def _compute_loss(
    signs: Floats, weights: Floats, tau: float, rank: int, x: Floats
) -> tuple[float, Floats]:
    """Compute sum w log(1 + exp(-tau a u . v)) / tau over the entries, and its gradient."""
    from scipy.special import expit

    (u, u_length), (v, v_length) = map(normalise, split(x, len(signs), rank))
    margins = signs * (u @ v.T)
    if (margins + (weights == 0)).min() > 0:  # an entry without weight is always right
        raise AllRight(x.copy())
    scaled = -tau * margins
    total = float((weights * np.logaddexp(0.0, scaled)).sum()) / tau
    slope = -weights * signs * expit(scaled)
    return total, pull_back((u, u_length, slope @ v), (v, v_length, slope.T @ u))
