"""Newton steps of all queries, then of all keys, for bounded losses of their scores."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from samapprox.proofs.questions import Unit
from samapprox.solvers.engine.search import Search
from samapprox.solvers.questions.fits.searches.scores import Floats, Scores

__all__ = ["Place", "step"]

# This part of the mean curvature is added to all: more makes steps shorter and safer.
_CAUTION = 1e-3
# Curvature that is added where there is none, so that the equations have a solution.
_SMALLEST = 1e-9
# Part of the quadratic bound on the logistic loss that is added to its curvature: less of it
# makes faster steps, which overshoot more often.
_STRAIGHT = 0.02
# Margins are divided by at least this number.
_TINY = np.float32(1e-6)
# Keys do not go further: numbers of all sizes would be rounded to too few bits.
_FAR = 100.0
# Entries of a block of scores: larger blocks take fewer calls and more memory.
_MOST_AT_ONCE = 1 << 19


@dataclass(frozen=True, slots=True, eq=False)
class Place:
    """Queries and keys, and the signs that their scores should have: +1, -1, and 0 for *.

    `patience` is T in `step`: half of a loss of this size counts, and less of a larger one.
    """

    scores: Scores
    unit: Unit
    signs: Floats
    queries: Floats
    keys: Floats
    patience: float = 6.0

    @property
    def margins(self) -> Floats:
        """The scores with the signs that they should have: negative where they are wrong."""
        return np.asarray(self.signs * (self.queries @ self.scores.features(self.keys).T))

    @property
    def wrong(self) -> int:
        """The number of wrong items."""
        outliers = self.margins < 0
        return int(outliers.any(axis=1).sum() if self.unit == "rows" else outliers.sum())


def step(place: Place, scale: float, search: Search) -> Place:
    """Move all queries, then all keys, by a Newton step each; queries have length 1 after it.

    `scale` is the length of the queries in the loss: the larger, the closer the loss is to the
    number of wrong items. The place stays as it is when the time is up.

    The loss of an entry is z / (1 + z / T) for z = log(1 + exp(-scale margin)), or that of the sum
    z of a row: bounded, so that items which stay wrong cease to count. It is concave in z, so its
    tangent is an upper bound, a weighted logistic loss. Given the keys, this is a convex problem of
    its own for each query, and conversely. Keys whose loss would grow stay, and for entries also
    such queries. O(m n r^2) for r features.
    """
    scores, signs = place.scores, place.signs
    loss = _Loss(scale, place.patience, place.unit)
    features = scores.features(place.keys)
    queries = scores.direct(place.queries)
    weights = loss.weigh_rows(signs, queries @ features.T)
    sums = _sum_up(signs, queries, features, loss, weights, search)
    if sums is None:
        return place
    moved = scores.direct(queries + _solve(*sums))
    if place.unit == "entries":  # for rows, steps that seem worse lead out of local minima
        is_better = _find_better(signs, queries, moved, features, loss, None, search)
        moved = np.where(is_better, moved, queries)
    queries = moved
    weights = loss.weigh_rows(signs, queries @ features.T)
    turned = None if weights is None else weights.T
    sums = _sum_up(signs.T, features, queries, loss, turned, search)
    if sums is None:
        return replace(place, queries=queries)
    slopes = scores.slopes(place.keys)
    gradient = (slopes @ sums[0][:, :, None])[:, :, 0]
    curvature = slopes @ sums[1] @ slopes.transpose(0, 2, 1)
    keys = scores.place(np.clip(place.keys + _solve(gradient, curvature), -_FAR, _FAR))
    is_better = _find_better(
        signs.T, features, scores.features(keys), queries, loss, turned, search
    )
    return replace(place, queries=queries, keys=np.where(is_better, keys, place.keys))


@dataclass(frozen=True, slots=True)
class _Loss:
    """The bounded loss at a scale."""

    scale: float
    patience: float
    unit: Unit

    def weigh_rows(self, signs: Floats, scores: Floats) -> Floats | None:
        """Return the weight of each row, shape (m, 1): less, the larger its loss is."""
        if self.unit == "entries":
            return None
        losses = self._logistic(signs, scores).sum(axis=1, keepdims=True)
        return np.asarray(1.0 / (1.0 + losses / self.patience) ** 2)

    def add_up(self, signs: Floats, scores: Floats, weights: Floats | None) -> Floats:
        """Add up the losses of each row of scores, given the weights if rows are the items."""
        losses = self._logistic(signs, scores)
        if weights is None:
            losses /= 1 + losses / np.float32(self.patience)
        else:
            losses *= weights
        return np.asarray(losses.sum(axis=1))

    def _logistic(self, signs: Floats, scores: Floats) -> Floats:
        margins = signs * scores * np.float32(self.scale)
        losses = np.log1p(np.exp(-np.abs(margins)))
        losses -= np.minimum(margins, np.float32(0))
        losses *= signs != 0
        return np.asarray(losses)

    def bend(self, signs: Floats, scores: Floats, weights: Floats | None) -> tuple[Floats, Floats]:
        """Return minus the derivatives of the losses by the scores, and their curvature."""
        scale = np.float32(self.scale)
        margins = signs * scores
        margins *= scale
        size = np.abs(margins)
        decay = np.exp(-size)
        falling = margins < 0
        share = np.where(falling, np.float32(1), decay) / (1 + decay)  # 1 / (1 + exp(margin))
        bends = share * (1 - share)
        bends += _STRAIGHT / 2 * np.abs(np.float32(0.5) - share) / np.maximum(_TINY, size)
        if weights is None:
            losses = np.log1p(decay) + np.where(falling, size, np.float32(0))
            weights = 1 / (1 + losses / np.float32(self.patience)) ** 2
        share *= weights * scale
        share *= signs
        bends *= weights * (scale * scale)
        bends *= signs != 0
        return share, bends


def _sum_up(
    signs: Floats,
    movable: Floats,
    fixed: Floats,
    loss: _Loss,
    weights: Floats | None,
    search: Search,
) -> tuple[Floats, Floats] | None:
    """Return minus the gradient and the curvature of the loss of each movable vector.

    `signs` has a row for each movable vector and a column for each fixed one; `weights` are those
    of items that are rows, as a row or a column, and None if entries are the items. None is
    returned when the time is up.
    """
    count, size = movable.shape
    squares = (fixed[:, :, None] * fixed[:, None, :]).reshape(len(fixed), size * size)
    gradient = np.empty_like(movable)
    curvature = np.empty((count, size * size), dtype=movable.dtype)
    step = max(1, _MOST_AT_ONCE // max(1, len(fixed)))
    for start in range(0, count, step):
        if search.out_of_time:
            return None
        part = slice(start, start + step)
        own = weights if weights is None or len(weights) == 1 else weights[part]
        pulls, bends = loss.bend(signs[part], movable[part] @ fixed.T, own)
        gradient[part] = pulls @ fixed
        curvature[part] = bends @ squares
    return gradient, curvature.reshape(count, size, size)


def _find_better(
    signs: Floats,
    before: Floats,
    after: Floats,
    fixed: Floats,
    loss: _Loss,
    weights: Floats | None,
    search: Search,
) -> NDArray[np.bool_]:
    """Return whether the loss of each moved vector is no larger than before, as a column.

    The arguments are those of `_sum_up`. When time is up, no further vector counts as better.
    """
    is_better = np.zeros((len(before), 1), dtype=np.bool_)
    step = max(1, _MOST_AT_ONCE // max(1, len(fixed)))
    for start in range(0, len(before), step):
        if search.out_of_time:
            break
        part = slice(start, start + step)
        old, new = (
            loss.add_up(signs[part], vectors[part] @ fixed.T, weights)
            for vectors in (before, after)
        )
        is_better[part, 0] = new <= old
    return is_better


def _solve(gradient: Floats, curvature: Floats) -> Floats:
    """Return the Newton steps, cautiously."""
    size = gradient.shape[1]
    means = np.trace(curvature, axis1=1, axis2=2) / size
    added = (_CAUTION * means + _SMALLEST)[:, None, None] * np.eye(size, dtype=gradient.dtype)
    solved = np.linalg.solve((curvature + added).astype(np.float64), gradient[:, :, None])
    return np.asarray(solved[:, :, 0], dtype=gradient.dtype)
