"""Numeric search for caps of a sphere, and for balls as caps that miss a pole."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from samapprox.pattern import UNSPECIFIED, Pattern
from samapprox.problem import Problem
from samapprox.proofs.base import Proof
from samapprox.solvers.embeddings.descent import AllRight, describe_best, iterate_subspace, minimise
from samapprox.solvers.engine.backends import one_blas_thread
from samapprox.solvers.engine.search import Search, too_large
from samapprox.solvers.similarity.rounding import round_balls, round_caps
from samapprox.support.arrays import Floats

NAME = "sphere"

_MOST_CELLS = 4_000_000  # entries; descents in larger patterns would have too few steps
_WIDEST, _NARROWEST = 0.3, 1e-5  # margins
_FALL = 0.5  # from one margin to the next
_STEPS = 60  # descent steps with one margin; each new start gets more
_GROWTH = 1.1  # factor of the steps from one start to the next
_NOISES = (0.2, 0.6)  # standard deviations around singular vectors, from which starts differ
_TINY = 1e-12  # least length that a vector is divided by


def applies(problem: Problem) -> str | None:
    """Return the reason why the strategy does not apply, or None."""
    if problem.d <= problem.similarity.above:
        return "a sphere of two points has no room for a search"
    return too_large(problem, _MOST_CELLS)


def find_proof(problem: Problem, search: Search) -> Proof | str:
    r"""Minimise a squared hinge loss with keys on the sphere, the margin falling.

    Returned: caps or balls, or how near it came.

    Notes
    -----
    Balls in R^d are the caps of the sphere in R^(d+1) that miss its north pole: one column of zeros
    more, whose key becomes the pole of a stereographic projection (docs/theory/similarities.md).

    4 m n d operations a step.

    Examples
    --------
    >>> from samapprox import Pattern
    >>> pattern = Pattern.from_text("1100\n0110\n0011\n1001")
    >>> find_proof(Problem(pattern, 2, similarity="cosine"), Search()).dimension
    2
    """
    with one_blas_thread():
        return _search(problem, search)


def _search(problem: Problem, search: Search) -> Proof | str:
    pattern, is_flat = problem.pattern, bool(problem.similarity.below)
    signs = _signs(pattern)
    with_pole = np.column_stack([signs, -np.ones(len(signs))])
    rng = np.random.RandomState(search.seed)
    # A pole that no cap contains also guides the search for caps, which then drops it.
    losses = [_Hinge(with_pole, problem.d + is_flat)]
    losses += [] if is_flat else [_Hinge(signs, problem.d)]
    runs = [(loss, _starts(loss.signs, loss.d, rng)) for loss in losses]
    fewest, steps = signs.size, float(_STEPS)
    while not search.out_of_time:
        for loss, starts in runs:
            place, loss.margin = next(starts), _WIDEST
            while loss.margin > _NARROWEST and not search.out_of_time:
                place = minimise(loss, place, int(steps), search)
                wrong = loss.count_wrong(place)
                fewest = min(fewest, wrong)
                if not wrong:
                    found = _round(pattern, loss, place, is_flat=is_flat)
                    if found is not None:
                        return found
                loss.margin *= _FALL
        steps *= _GROWTH
    return describe_best(fewest)


def _signs(pattern: Pattern) -> Floats:
    """Return 1, -1 and 0 for ones, zeros and don't-cares."""
    entries = pattern.to_array()
    return np.where(entries == UNSPECIFIED, 0.0, np.where(entries == 1, 1.0, -1.0))


def _round(pattern: Pattern, loss: _Hinge, place: Floats, *, is_flat: bool) -> Proof | None:
    queries, thresholds, keys = loss.split(place)
    keys = keys / np.linalg.norm(keys, axis=1)[:, None]
    if not is_flat:
        return round_caps(pattern, queries, keys[: pattern.shape[1]])
    return round_balls(pattern, queries, thresholds, keys)


class _Hinge:
    """The squared hinge loss of q_i . k_j / |k_j| - t_i, where |q_i| = 1, against the signs.

    Parameters
    ----------
    signs : ndarray of float64, shape (m, n)
        1 for a one, -1 for a zero, 0 for a don't-care.
    d : int
        The dimension of queries and keys.

    Attributes
    ----------
    signs : ndarray of float64, shape (m, n)
        1 for a one, -1 for a zero, 0 for a don't-care.
    d : int
        The dimension of queries and keys.
    margin : float
        The distance that all entries should keep.
    """

    def __init__(self, signs: Floats, d: int) -> None:
        self.signs = signs
        self.d = d
        self._weight = np.abs(signs)
        self.margin = _WIDEST

    def split(self, place: Floats) -> tuple[Floats, Floats, Floats]:
        """Return unit queries, thresholds and keys."""
        rows, columns = self.signs.shape
        queries = place[: rows * self.d].reshape(rows, self.d)
        thresholds = place[rows * self.d : rows * (self.d + 1)]
        keys = place[rows * (self.d + 1) :].reshape(columns, self.d)
        return queries / _norms(queries), thresholds, keys

    def count_wrong(self, place: Floats) -> int:
        """Count the entries on the wrong side."""
        queries, thresholds, keys = self.split(place)
        logits = queries @ (keys / _norms(keys)).T - thresholds[:, None]
        return int(((self.signs * logits <= 0) & (self.signs != 0)).sum())

    def __call__(self, place: Floats) -> tuple[float, Floats]:
        rows = len(self.signs)
        raw = place[: rows * self.d].reshape(rows, self.d)
        queries, thresholds, keys = self.split(place)
        lengths, sizes = _norms(raw), _norms(keys)
        units = keys / sizes
        logits = queries @ units.T - thresholds[:, None]
        missing = np.maximum(0.0, self.margin - self.signs * logits) * self._weight
        value = float((missing * missing).sum())
        if value == 0.0:  # every entry keeps the margin
            raise AllRight(place.copy())
        slope = -2.0 * self.signs * missing
        by_query, by_unit = slope @ units, slope.T @ queries
        by_query -= (by_query * queries).sum(axis=1)[:, None] * queries
        by_unit -= (by_unit * units).sum(axis=1)[:, None] * units
        gradient = np.concatenate(
            [(by_query / lengths).ravel(), -slope.sum(axis=1), (by_unit / sizes).ravel()]
        )
        return value, gradient


def _norms(vectors: Floats) -> Floats:
    lengths: Floats = np.maximum(_TINY, np.linalg.norm(vectors, axis=1))
    return lengths[:, None]


def _starts(signs: Floats, d: int, rng: np.random.RandomState) -> Iterator[Floats]:
    """Yield places to start from, endlessly: noisy singular vectors, and random ones."""
    rank = min(d, *signs.shape)
    left, values, right = iterate_subspace(signs - signs.mean(axis=1)[:, None], rank, rng)
    missing = ((0, 0), (0, d - rank))
    queries, keys = np.pad(left * values, missing), np.pad(right.T, missing)
    while True:
        for noise in _NOISES:
            own = queries / _norms(queries) + noise * rng.normal(size=queries.shape)
            other = keys / _norms(keys) + noise * rng.normal(size=keys.shape)
            yield np.concatenate([own.ravel(), np.zeros(len(signs)), other.ravel()])
        yield np.concatenate(
            [rng.normal(size=queries.size), np.zeros(len(signs)), rng.normal(size=keys.size)]
        )
