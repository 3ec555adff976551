"""A matrix with the pattern's signs and a small norm: Forster's bound with the best weights."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import compress
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from samapprox.pattern import UNSPECIFIED, Pattern
from samapprox.problem import Problem
from samapprox.proofs.base import Proof
from samapprox.proofs.checker import check
from samapprox.proofs.refutations.forster import Forster
from samapprox.proofs.refutations.orientation_clauses import sign_matrix
from samapprox.solvers.engine.search import Search

NAME = "forster"

Matrix = NDArray[np.float64]
Vector = NDArray[np.float64]

# Rows and columns of the part that is looked at: at least, and at most, since a step takes cubic
# time.
_LEAST_SIDE, _MOST_SIDE = 128, 500
_SLACK = 0.999  # the share of the target norm that is aimed at; the rest is left for rounding
_STEPS = 15  # steps of a round
_ROUNDS, _FEW_ROUNDS = 60, 4  # rounds for the whole part, and while the core shrinks
_LOYALTY = 4  # rounds with weights that may be sufficient, before they change
_PATIENCE = 6  # rounds without progress, after which the search gives up
_TIDYING = 2.0  # seconds beyond the turn for making the core smaller
_BITS = (0, 3, 5, 7, 9, 11, 12)  # bits of weights that are tried; entries have twice as many


def applies(problem: Problem) -> str | None:
    """Return the reason why the strategy does not apply, or None."""
    rows, columns = problem.pattern.shape
    rank = problem.d + 1
    if rank**2 >= min(rows + 1, columns):
        return f"it needs more than {rank**2 - 1} rows and {rank**2} columns"
    if rank**2 >= _MOST_SIDE:
        return f"it would need more than {_MOST_SIDE} rows and columns"
    return None


def find_proof(problem: Problem, search: Search) -> Proof | str:
    """Look for weights and a matrix whose norm is too small for an embedding.

    The matrix lies in two convex sets: matrices with large enough entries of the right signs, and
    matrices with a small enough norm. Reflections in both in turn (Douglas and Rachford) find a
    common point, or drift apart. The drift is the multiplier of the entries: it shows which rows
    and columns cost more norm than they add to the bound, and their weights are lowered. Each step
    is an eigendecomposition, O(rows columns min(rows, columns)). No pattern is refuted for
    (d + 1)^2 >= min(m + 1, n), since ||A||^2 min(m + 1, n) >= ||A||_F^2 >= X Y.

    Forster (2002); Linial, Shraibman (2009), "Learning complexity vs. communication complexity".
    """
    from threadpoolctl import threadpool_limits

    reason = applies(problem)
    if reason is not None:
        search.exhausted.add(NAME)
        return reason
    rng = np.random.RandomState(search.seed)
    rows, columns = _choose_part(problem.pattern, problem.d + 1, rng)
    entries = problem.pattern.submatrix(rows, columns)
    signs = sign_matrix(entries, "columns").astype(np.float64)
    with threadpool_limits(1, user_api="blas"):
        fit = _fit(_start(signs, rows, columns, problem.d + 1), search, _ROUNDS)
        proof = None
        if fit is not None:
            smaller = _shrink(fit, search.extend(_TIDYING))
            proof = _round(smaller, problem) or _round(fit, problem)
    if proof is not None:
        return proof
    if search.out_of_time:
        return "no time left"
    if (len(rows), len(columns)) == problem.pattern.shape:
        search.exhausted.add(NAME)
    return "no matrix that it found has a small enough norm"


@dataclass(frozen=True, slots=True, eq=False)
class _Trial:
    """Weights and a matrix on a part of the pattern, and the drift so far."""

    signs: Matrix
    rows: list[int]
    columns: list[int]
    rank: int
    x: Vector
    y: Vector
    matrix: Matrix
    drift: Matrix

    @property
    def least(self) -> Matrix:
        """The least absolute values that the entries must reach."""
        return np.abs(self.signs) * np.outer(self.x, self.y)

    @property
    def total(self) -> float:
        """X Y."""
        return float((self.x @ self.x) * (self.y @ self.y))

    @property
    def left(self) -> float:
        """X Y - (d + 1) S."""
        return self.total - self.rank * float(self.x**2 @ (self.signs == 0) @ self.y**2)

    @property
    def target(self) -> float:
        """The norm below which no embedding exists."""
        return self.left / (self.rank * sqrt(self.total))

    def keep(self, kept: NDArray[np.bool_], *, column: bool) -> _Trial:
        """Keep some of the columns or rows; the row of +1 must be among them."""
        parts = (self.signs, self.matrix, self.drift)
        if column:
            signs, matrix, drift = (part[:, kept] for part in parts)
            names, y = list(compress(self.columns, kept)), self.y[kept]
            return replace(self, signs=signs, matrix=matrix, drift=drift, columns=names, y=y)
        signs, matrix, drift = (part[kept] for part in parts)
        names, x = list(compress(self.rows, kept[1:])), self.x[kept]
        return replace(self, signs=signs, matrix=matrix, drift=drift, rows=names, x=x)


def _start(signs: Matrix, rows: list[int], columns: list[int], rank: int) -> _Trial:
    """Start from equal weights and the signs themselves."""
    height, width = signs.shape
    return _Trial(
        signs, rows, columns, rank, np.ones(height), np.ones(width), signs, np.zeros_like(signs)
    )


def _fit(trial: _Trial, search: Search, rounds: int) -> _Trial | None:
    """Return the trial with a matrix of small enough norm, found in so many rounds of steps."""
    best, idle, stay = float("inf"), 0, 0
    for _ in range(rounds):
        trial, fits = _approach(trial, search)
        if fits:
            return trial
        excess = _least_norm(trial) / trial.target
        idle = 0 if excess <= 1 or excess < 0.99 * best else idle + 1
        if search.out_of_time or idle >= _PATIENCE:
            return None
        best, stay = min(best, excess), stay + 1
        if excess > 1 or stay > _LOYALTY:  # these weights are not sufficient, or seem not to be
            trial, stay = _reweight(trial), 0
            if trial.target <= 0:
                return None
    return None


def _approach(trial: _Trial, search: Search) -> tuple[_Trial, bool]:
    """Take some steps towards a small norm and large entries; return whether both are reached."""
    signs, least, drift = trial.signs, trial.least, trial.drift
    target = _SLACK * trial.target
    matrix = signs * np.maximum(signs * trial.matrix, least)
    for _ in range(_STEPS):
        if _norm(matrix) <= target:
            return replace(trial, matrix=matrix, drift=drift), True
        if search.out_of_time:
            break
        near = _clip(matrix - drift, target)
        matrix = signs * np.maximum(signs * (near + drift), least)
        drift = drift + near - matrix
    return replace(trial, matrix=matrix, drift=drift), False


def _least_norm(trial: _Trial) -> float:
    """Bound the norm of every matrix from below, for these weights, by the drift.

    With Q = -drift, of the right signs: ||A|| times the sum of Q's singular values is at least
    <A, Q>.
    """
    nuclear = float(np.sqrt(np.maximum(np.linalg.eigvalsh(_gram(trial.drift)), 0)).sum())
    return float(np.sum(np.abs(trial.drift) * trial.least)) / max(nuclear, 1e-300)


def _reweight(trial: _Trial) -> _Trial:
    """Lower the weights that cost more norm than they add to the bound.

    The logarithm of left / (total^(1/2) ||A||) has no slope where gain = price.
    """
    price = np.abs(trial.drift)
    price = price / max(float((price * trial.least).sum()), 1e-300)
    free = (trial.signs == 0).astype(np.float64)
    x, y, rank, left = trial.x, trial.y, trial.rank, trial.left
    gain_x = x * (2 * (y @ y - rank * free @ y**2) / left - 1 / (x @ x))
    gain_y = y * (2 * (x @ x - rank * x**2 @ free) / left - 1 / (y @ y))
    x = x * _choose_factor(gain_x, price @ y)
    y = y * _choose_factor(gain_y, trial.x @ price)
    return replace(trial, x=x / x.max(), y=y / y.max())


def _choose_factor(gain: Vector, price: Vector) -> Vector:
    return np.asarray(np.clip(gain / np.maximum(price, 1e-300), 0.1, 3.0) ** 0.3)


def _gram(matrix: Matrix) -> Matrix:
    """Return the Gram matrix of its columns, or of its rows if these are fewer."""
    high = matrix if matrix.shape[0] >= matrix.shape[1] else matrix.T
    return np.asarray(high.T @ high)


def _norm(matrix: Matrix) -> float:
    return float(np.sqrt(max(0.0, np.linalg.eigvalsh(_gram(matrix))[-1])))


def _clip(matrix: Matrix, most: float) -> Matrix:
    """Return the nearest matrix of no larger norm: larger singular values become `most`."""
    if matrix.shape[0] < matrix.shape[1]:
        return _clip(matrix.T, most).T
    values, vectors = np.linalg.eigh(_gram(matrix))
    factors = np.minimum(1.0, most / np.sqrt(np.maximum(values, 1e-300)))
    return np.asarray(matrix @ ((vectors * factors) @ vectors.T))


def _choose_part(
    pattern: Pattern, rank: int, rng: np.random.RandomState
) -> tuple[list[int], list[int]]:
    """Choose rows and columns: no more than help, and few don't-cares among them."""
    most = min(_MOST_SIDE, max(_LEAST_SIDE, 6 * rank**2))
    rows, columns = (np.sort(rng.permutation(size)[:most]) for size in pattern.shape)
    free = pattern.submatrix(rows.tolist(), columns.tolist()) == UNSPECIFIED
    if free.any():
        kept_rows, kept_columns = _drop_unspecified(free, rank)
        rows, columns = rows[kept_rows], columns[kept_columns]
    return rows.tolist(), columns.tolist()


def _drop_unspecified(
    free: NDArray[np.bool_], rank: int
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Drop the line with the largest share of don't-cares until none has any; the best on the way.

    Best is what leaves the largest room: for equal weights Forster's bound on d + 1 is at most
    (1 - (d + 1) share) min(rows + 1, columns)^(1/2).
    """
    kept = [np.ones(size, dtype=np.bool_) for size in free.shape]
    counts = [free.sum(axis=1), free.sum(axis=0)]
    best, chosen = -float("inf"), (kept[0].copy(), kept[1].copy())
    while True:
        height, width = int(kept[0].sum()), int(kept[1].sum())
        if min(height, width) == 0:
            return chosen
        stars = int(counts[0][kept[0]].sum())
        score = (1 - rank * stars / ((height + 1) * width)) * min(height + 1, width) ** 0.5
        if score > best:
            best, chosen = score, (kept[0].copy(), kept[1].copy())
        if stars == 0:
            return chosen
        shares = [
            np.where(kept[0], counts[0], -1) / width,
            np.where(kept[1], counts[1], -1) / height,
        ]
        axis = int(shares[1].max() > shares[0].max())
        line = int(shares[axis].argmax())
        kept[axis][line] = False
        counts[1 - axis] = counts[1 - axis] - (free[:, line] if axis else free[line])


def _shrink(trial: _Trial, search: Search) -> _Trial:
    """Shrink the trial while a few steps find a matrix: by halves, quarters, .., single lines."""
    size = max(trial.signs.shape)
    while size > 1:
        size = (size + 1) // 2
        for column in (False, True):
            trial = _leave_out_parts(trial, size, search, column=column)
    return trial


def _leave_out_parts(trial: _Trial, size: int, search: Search, *, column: bool) -> _Trial:
    """Try to leave out so many columns, or rows, at a time, those of little weight first."""
    names = trial.columns if column else trial.rows
    weights = trial.y if column else trial.x[1:]
    order = [names[place] for place in np.argsort(weights, kind="stable")]
    for start in range(0, len(order), size):
        if search.out_of_time:
            break
        part = set(order[start : start + size])
        names = trial.columns if column else trial.rows
        kept = np.array([name not in part for name in names])
        fewer = trial.keep(kept if column else np.append(True, kept), column=column)
        if trial.rank**2 < min(fewer.signs.shape) and fewer.target > 0:
            trial = _fit(fewer, search, _FEW_ROUNDS) or trial
    return trial


def _round(trial: _Trial, problem: Problem) -> Forster | None:
    """Return a proof in as few bits as pass the checker."""
    for bits in _BITS:
        x, y = (np.rint(weights * 2**bits) for weights in (trial.x, trial.y))
        least = np.outer(x, y)
        matrix = trial.signs * np.maximum(np.rint(np.abs(trial.matrix) * 4**bits), least)
        exact = replace(trial, x=x, y=y, matrix=matrix)
        padding = _find_padding(matrix, exact.target) if exact.left > 0 else None
        if padding is not None:
            numbers = (np.asarray(part, dtype=np.int64) for part in (x, y, matrix, padding))
            proof = Forster(problem.d, trial.rows, trial.columns, *numbers)
            if check(problem, proof) is None:
                return proof
    return None


def _find_padding(matrix: Matrix, target: float) -> Matrix | None:
    """Find rows that make the columns nearly orthogonal; None if the norm stays too large."""
    gram = _gram(matrix)
    if _row_sum(gram) < target**2:
        return np.zeros((0, len(gram)))
    norm_squared = float(np.linalg.eigvalsh(gram)[-1])
    if norm_squared >= (1 - 1e-6) * target**2:
        return None
    level = norm_squared + 0.2 * (target**2 - norm_squared)
    padding = np.rint(np.linalg.cholesky(level * np.eye(len(gram)) - gram).T)
    return padding if _row_sum(gram + padding.T @ padding) < target**2 else None


def _row_sum(gram: Matrix) -> float:
    return float(np.abs(gram).sum(axis=1).max())
