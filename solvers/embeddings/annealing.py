"""Numeric search for an embedding: unit vectors, and a loss that focuses on the worst entries.

Queries and keys have length 1. For small tau, the logistic loss sum log(1 + exp(-tau a_ij u_i .
v_j)) depends on how many entries are right; for large tau, it depends on the entry with the least
margin. Raising tau slowly leads to embeddings that a loss on free vectors misses if the rows differ
much in their scale, as in masks of hundreds of tokens.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import count

import numpy as np

from samapprox.problem import Problem
from samapprox.proofs.base import Proof
from samapprox.proofs.embeddings.embedding import Embedding
from samapprox.solvers.backends.blas import one_blas_thread
from samapprox.solvers.embeddings.descent import (
    AllRight,
    Floats,
    describe_best,
    homogeneous,
    leading_vectors,
    minimise,
    settle,
    wrong_places,
)
from samapprox.solvers.engine import first_turns
from samapprox.solvers.engine.search import Search, shared_tokens, too_large, too_slow

__all__ = ["NAME", "applies", "find_proof"]

NAME = "annealing"

_MOST_CELLS = 4_000_000  # an entry takes 60 bytes, so larger patterns would take more than 240 MB
_LADDER = 3.0 * 2.0 ** np.arange(11)  # the values of tau, each twice the last
# Steps of the optimiser for each tau: in the first start, and at most in later ones, since slow
# cooling finds more.
_STEPS, _MOST_STEPS = 50, 800
_NOISE = 0.3  # size of the noise in later starts, as a multiple of the mean coordinate
_FIRST = 20  # a turn that is too short for so many steps is not begun


def applies(problem: Problem) -> str | None:
    """Return the reason why the strategy does not apply, or None."""
    return shared_tokens(problem) or too_large(problem, _MOST_CELLS)


def find_proof(problem: Problem, search: Search) -> Proof | str:
    """Minimise the logistic loss of tau times the cosines against the signs, tau rising.

    As in `gradient`, one more query is positive on all keys. A step takes 6 m n d operations, and
    some 50 ns an entry. The first start takes some 500 steps; later ones and longer turns take
    more, since slow cooling finds more. In every other start, the ones and the zeros of a row have
    the same weight.
    """
    with one_blas_thread():
        return _search(problem, search)


def _search(problem: Problem, search: Search) -> Proof | str:
    rows, columns = problem.pattern.shape
    rank = problem.d + 1
    reason = too_slow(rows * columns * (6 * rank + 1000) * _FIRST / 2e10, search)
    if reason is not None:
        return reason
    signs = homogeneous(problem.pattern)
    weights = (np.abs(signs), _balance(signs))
    fewest = signs.size
    # Fast cooling was tried in shorter turns.
    patience = search.remaining / first_turns.annealing(problem)
    least = int(np.clip(_STEPS * patience / 2, _STEPS, _MOST_STEPS / 2))
    for turn, (U, V) in enumerate(_starts(signs, rank, search)):
        loss = _Cosines(signs, weights[turn % 2])
        steps = min(_MOST_STEPS, least << min(4, turn // 2))
        U, V = loss.anneal(U, V, steps, search)
        found = settle(problem, signs, U, V, search, wider=False)
        if isinstance(found, Embedding):
            return found
        fewest = min(fewest, found)
        if search.out_of_time:
            break
    return describe_best(fewest)


def _balance(signs: Floats) -> Floats:
    """Return weights of the entries, the rarer sign of a row counting more."""
    ones, zeros = ((signs == sign).sum(axis=1, keepdims=True) for sign in (1, -1))
    ratio = np.sqrt(np.maximum(1, zeros) / np.maximum(1, ones))
    return np.where(signs > 0, ratio, np.abs(signs))


def _starts(signs: Floats, rank: int, search: Search) -> Iterator[tuple[Floats, Floats]]:
    """Yield singular vectors, noisy ones, random ones, endlessly."""
    rng = np.random.RandomState(search.seed % (1 << 32))
    left, values, right = leading_vectors(signs, rank, rng)
    roots = np.zeros(rank)
    roots[: len(values)] = np.sqrt(values)
    U, V = (np.zeros((size, rank)) for size in signs.shape)
    U[:, : len(values)], V[:, : len(values)] = left, right.T
    U, V = U * roots + 1e-6, V * roots + 1e-6  # no vector is 0
    for turn in count():
        if turn % 4 == 3:
            yield rng.normal(size=U.shape), rng.normal(size=V.shape)
        else:
            noise = _NOISE * (turn % 4 + (turn > 3))
            yield (
                U + noise * np.abs(U).mean() * rng.normal(size=U.shape),
                V + noise * np.abs(V).mean() * rng.normal(size=V.shape),
            )


class _Cosines:
    """sum w log(1 + exp(-tau a u . v)) / tau over the entries, and its gradient."""

    def __init__(self, signs: Floats, weights: Floats) -> None:
        self._signs = signs
        self._weights = weights
        self._free = signs == 0

    def anneal(self, U: Floats, V: Floats, steps: int, search: Search) -> tuple[Floats, Floats]:
        """Minimise by L-BFGS for each tau in turn; stop once all signs are right."""
        shape = U.shape
        for tau in map(float, _LADDER):
            x = np.concatenate([_unit(U)[0].ravel(), _unit(V)[0].ravel()])
            x = minimise(partial(self._value, tau=tau, shape=shape), x, steps, search)
            U, V = _split(x, shape)
            if search.out_of_time or not len(wrong_places(self._signs, U, V)):
                break
        return U, V

    def _value(self, x: Floats, tau: float, shape: tuple[int, ...]) -> tuple[float, Floats]:
        from scipy.special import expit

        (u, U_length), (v, V_length) = (_unit(part) for part in _split(x, shape))
        margins = self._signs * (u @ v.T)
        margins[self._free] = 1.0
        if margins.min() > 0:
            raise AllRight(x.copy())
        scaled = -tau * margins
        total = float((self._weights * np.logaddexp(0.0, scaled)).sum()) / tau
        slope = self._weights * self._signs * expit(scaled)
        du, dv = -slope @ v, -slope.T @ u
        dU = (du - (du * u).sum(axis=1, keepdims=True) * u) / U_length
        dV = (dv - (dv * v).sum(axis=1, keepdims=True) * v) / V_length
        return total, np.concatenate([dU.ravel(), dV.ravel()])


def _split(x: Floats, shape: tuple[int, ...]) -> tuple[Floats, Floats]:
    cut = shape[0] * shape[1]
    return x[:cut].reshape(shape), x[cut:].reshape(-1, shape[1])


def _unit(vectors: Floats) -> tuple[Floats, Floats]:
    """Scale vectors to length 1; return them and their lengths."""
    lengths = np.maximum(1e-300, np.linalg.norm(vectors, axis=1, keepdims=True))
    return vectors / lengths, lengths
