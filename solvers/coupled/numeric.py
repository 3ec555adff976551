"""Queries and keys of one X: numeric search for X, W_Q and W_K."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

import numpy as np

from samapprox.errors import InputError
from samapprox.pattern import UNSPECIFIED, Pattern
from samapprox.problem import Problem
from samapprox.proofs.base import Proof, Witness
from samapprox.proofs.embeddings.embedding import Embedding, SelfAttention
from samapprox.proofs.embeddings.logits import gaps
from samapprox.proofs.exact import exact, exact_matmul
from samapprox.proofs.parts.simplify import simplify
from samapprox.solvers.embeddings import gradient, orders
from samapprox.solvers.embeddings.descent import AllRight, minimise
from samapprox.solvers.engine.backends import one_blas_thread
from samapprox.solvers.engine.search import Search, too_large
from samapprox.solvers.line import ordering
from samapprox.support.arrays import Floats
from samapprox.support.text import plural

NAME = "coupled"

# A step takes O(n^2 d_hid) operations, so larger patterns would get too few of them.
_MOST_CELLS = 4_000_000
_STEPS = 400  # steps of the optimiser for each pull, before a weaker pull or another start is tried
# Pulls towards 0, one after the other: from a strong one most starts arrive near a solution, and
# a weak one lets the last entries become right.
_PULLS = (0.1, 0.01, 1e-3, 1e-4)
# The logits of a row are stretched by a factor of at most e^30, so that nothing overflows.
_STEEPEST = 30.0
# Bits of X, W_Q and W_K that are tried, the fewest first, since short certificates are quick to
# check.
_BITS = (4, 6, 8, 10, 12, 16, 20, 26, 32, 40)
_WIDENINGS = 6  # rounds of widening after a solution was found; each may allow fewer bits
# Share of the time for each search for independent queries and keys, before the shared search.
_HALF_WIDTH = 0.15


def applies(problem: Problem) -> str | None:
    """Return the reason why the strategy does not apply, or None."""
    if not problem.coupled:
        return "queries and keys are independent"
    if problem.d == 1:
        return "d = 1 is decided by other strategies" if problem.pattern.is_specified else None
    return too_large(problem, _MOST_CELLS)


def find_proof(problem: Problem, search: Search) -> Proof | str:
    """Minimise a logistic loss in X, W_Q, W_K and thresholds, from many starts.

    Independent queries and keys of half the width, X = [Q K], are tried first. Softmax compares
    within rows, so each row has a threshold and a scale of its own; W_Q and W_K are d_hid x d, so
    their product has rank d. O(n^2 d + n d_hid d) a step.
    """
    narrow = _narrow(problem)
    with one_blas_thread():
        return _embed_independently(narrow, search) or _search(narrow, search)


def _narrow(problem: Problem) -> Problem:
    """Limit X to n columns: with the unit matrix as X, W_Q and W_K are any queries and keys."""
    n = problem.pattern.shape[0]
    assert problem.d_hid is not None
    return replace(problem, d=min(problem.d, n), d_hid=min(problem.d_hid, n))


def _embed_independently(problem: Problem, search: Search) -> SelfAttention | None:
    """Embed queries and keys of half the width side by side in X; for d = 1, order keys by SAT."""
    assert problem.d_hid is not None
    simplified = simplify(problem.pattern)
    if simplified.pattern is None:
        nothing = np.zeros((len(simplified.row_of), problem.d), dtype=np.int64)
        free = Embedding(nothing[:, :1], nothing[:, :1], nothing[:, 0] - 1)
        weights = np.zeros((1, 1), dtype=np.int64)
        return SelfAttention(free.keys, weights, weights, free.thresholds)
    if problem.d_hid == 1:
        return None
    half = Problem(simplified.pattern, problem.d_hid // 2)
    for strategy in (ordering,) if half.d == 1 else (orders, gradient):
        if strategy.applies(half) is not None:
            continue
        found = strategy.find_proof(half, search.slice(_HALF_WIDTH * search.remaining, 0))
        if isinstance(found, Witness) and found.dimension <= half.d:
            try:
                embedding = found.embedding(half.pattern)
            except InputError:  # too large
                continue
            return embedding.lift(simplified).self_attention(problem.d_hid)
    return None


def _search(problem: Problem, search: Search) -> Proof | str:
    pattern = problem.pattern
    entries = pattern.to_array()
    signs = np.where(entries == UNSPECIFIED, 0, 2 * (entries == 1) - 1).astype(np.float64)
    signs[pattern.row_zeros == 0] = 0  # all logits are right in a row without a 0
    assert problem.d_hid is not None
    loss = _Shared(signs, problem.d_hid, problem.d)
    fewest = signs.size
    for start in _starts(signs, problem.d_hid, problem.d, search):
        factors = start
        for pull in _PULLS:
            factors = loss.minimise(factors, pull, search, until_right=True)
            wrong = np.argwhere((loss.margins(factors) <= 0) & (signs != 0)).astype(np.int64)
            if not len(wrong) or search.out_of_time:
                break
        if not len(wrong):
            proof = _widen_and_round(pattern, loss, factors, pull, search)
            if proof is not None:
                return proof
        else:
            search.violations.append(wrong)
        fewest = min(fewest, len(wrong))
        if search.out_of_time:
            break
    if fewest == 0:
        return "no integer embedding was found"
    return f"its best X gets {plural(fewest, 'entry')} wrong"


# ---------------------------------------------------------------- descent


class _Shared:
    """sum log(1 + exp(-s (L - t) e^r)) for the logits L = X W_Q (X W_K)^T, and its gradient.

    The free numbers are X, W_Q, W_K, the thresholds t and the rows' scales r, in this order.
    """

    def __init__(self, signs: Floats, d_hid: int, d: int) -> None:
        tokens = len(signs)
        self._signs = signs
        self._shapes = ((tokens, d_hid), (d_hid, d), (d_hid, d), (tokens,), (tokens,))
        self._cuts = np.cumsum([int(np.prod(shape)) for shape in self._shapes])[:-1]
        self._stars = signs == 0

    def factors(self, x: Floats) -> list[Floats]:
        """Unpack X, W_Q, W_K, t and r."""
        parts = np.split(x, self._cuts)
        return [part.reshape(shape) for part, shape in zip(parts, self._shapes, strict=True)]

    def margins(self, factors: list[Floats]) -> Floats:
        """Return the margin of each entry: negative on the wrong side."""
        X, W_Q, W_K, t, r = factors
        logits = (X @ W_Q) @ (X @ W_K).T
        return np.asarray(
            self._signs * (logits - t[:, None]) * np.exp(np.clip(r, -_STEEPEST, _STEEPEST))[:, None]
        )

    def minimise(
        self, start: list[Floats], pull: float, search: Search, *, until_right: bool = False
    ) -> list[Floats]:
        """Minimise by L-BFGS; `until_right` stops as soon as all entries are right."""
        loss = partial(self._value, pull=pull, until_right=until_right)
        x = np.concatenate([part.ravel() for part in start])
        return self.factors(minimise(loss, x, _STEPS, search))

    def _value(self, x: Floats, pull: float, until_right: bool) -> tuple[float, Floats]:
        X, W_Q, W_K, t, r = self.factors(x)
        queries, keys = X @ W_Q, X @ W_K
        scale = np.exp(np.clip(r, -_STEEPEST, _STEEPEST))[:, None]
        above = queries @ keys.T - t[:, None]
        margins = self._signs * above * scale
        margins[self._stars] = 40.0  # as good as satisfied
        if until_right and margins.min() > 0:
            raise AllRight(x.copy())
        np.clip(margins, -300.0, 40.0, out=margins)
        odds = np.exp(-margins)
        total = float(np.log1p(odds).sum())
        slope = -self._signs * odds / (1.0 + odds) * scale  # in the logits
        d_queries, d_keys = slope @ keys, slope.T @ queries
        gradient = np.concatenate(
            [
                (d_queries @ W_Q.T + d_keys @ W_K.T).ravel(),
                (X.T @ d_queries).ravel(),
                (X.T @ d_keys).ravel(),
                -slope.sum(axis=1),
                (slope * above).sum(axis=1),
            ]
        )
        return total + 0.5 * pull * float(x @ x), gradient + pull * x


def _starts(signs: Floats, d_hid: int, d: int, search: Search) -> Iterator[list[Floats]]:
    """Yield the leading shared directions, noisy ones, random ones, endlessly."""
    rng = np.random.RandomState(search.seed)
    tokens = len(signs)
    rest = [np.zeros(tokens), np.zeros(tokens)]
    centred = signs - signs.mean(axis=1, keepdims=True)
    vectors, values, _ = np.linalg.svd(np.hstack([centred, centred.T]))
    X = np.zeros((tokens, d_hid))
    kept = min(d_hid, tokens)
    X[:, :kept] = vectors[:, :kept] * np.sqrt(np.maximum(1e-9, values[:kept]))
    turn = 0
    while True:
        if turn % 3 == 0:
            noisy = X + 0.3 * (turn // 3 % 4) * np.abs(X).mean() * rng.normal(size=X.shape)
            yield [noisy, *_fit_weights(centred, noisy, d), *rest]
        elif turn % 3 == 1:
            random = rng.normal(size=X.shape)
            yield [random, *(rng.normal(size=(d_hid, d)) for _ in range(2)), *rest]
        else:
            random = rng.normal(size=X.shape)
            yield [random, *_fit_weights(centred, random, d), *rest]
        turn += 1


def _fit_weights(signs: Floats, X: Floats, d: int) -> tuple[Floats, Floats]:
    """Fit W_Q and W_K so that X W_Q W_K^T X^T approximates the signs."""
    inverse = np.linalg.pinv(X)
    left, values, right = np.linalg.svd(inverse @ signs @ inverse.T)
    roots = np.sqrt(np.maximum(1e-3, values[:d]))
    return left[:, :d] * roots, right[:d].T * roots


# ---------------------------------------------------------------- whole numbers


def _widen_and_round(
    pattern: Pattern, loss: _Shared, factors: list[Floats], pull: float, search: Search
) -> SelfAttention | None:
    """Return the same with wider margins, in as few bits as keep it right."""
    best: SelfAttention | None = None
    fewest = len(_BITS)
    for attempt in range(_WIDENINGS):
        for place, bits in enumerate(_BITS[:fewest]):
            proof = _round(pattern, factors, bits)
            if proof is not None:
                best, fewest = proof, place
                break
        if search.out_of_time or (best is not None and fewest == 0):
            break
        factors = loss.minimise(factors, pull / 4.0**attempt, search)
    return best


def _round(pattern: Pattern, factors: list[Floats], bits: int) -> SelfAttention | None:
    """Round X, W_Q and W_K to so many bits; None if any entry is wrong."""
    X, W_Q, W_K = (
        exact(np.rint(part / max(1e-300, np.abs(part).max()) * (1 << bits)).astype(np.int64), 2, "")
        for part in factors[:3]
    )
    logits = exact_matmul(exact_matmul(X, W_Q), exact_matmul(X, W_K).T)
    zeros, ones = gaps(pattern.to_array(), logits)
    return SelfAttention(X, W_Q, W_K, zeros) if (ones > zeros).all() else None
