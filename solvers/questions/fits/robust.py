"""Numeric search for embeddings with few wrong entries, or few wrong rows.

Newton steps of all queries take turns with those of all keys, for bounded losses of their scores.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from samapprox.proofs.questions import Fit, Unit
from samapprox.solvers.embeddings.descent import iterate_subspace
from samapprox.solvers.engine.backends import one_blas_thread
from samapprox.solvers.engine.search import Search
from samapprox.solvers.questions.fits.scores import (
    Floats,
    NumericWitness,
    Scores,
    count_wrong,
)
from samapprox.support.limits import search_clock

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


# Smaller patterns are decided quickly without a search.
_FEWEST_ENTRIES = 16
# Larger patterns take too much memory, 30 bytes an entry.
_MOST_ENTRIES = 16_000_000
# Products of features in a step, which take some ten seconds.
_MOST_PRODUCTS = 1 << 34
# Lengths of the queries in the loss: short ones smooth it, long ones count wrong items.
_SCALES = tuple(float(1 << power) for power in range(1, 11))
# Steps at each scale, if the time allows: more settle deeper, fewer leave time for more starts.
_STEPS = 10
# The place of the last scale at which a start from a good place may begin.
_COLDEST_START = 6
# Part of the time that the steps of the first start may take; the rest is for later starts.
_SHARE_OF_START = 0.6
# Part of the starts for rows that begin with the loss for entries.
_BOTH = 0.5
# Part of the time for new starts for entries, before the best one is improved.
_SHARE_OF_STARTS = 0.25
# Starts from a place for entries without a better one, before a new start is made.
_TRIES = 4
# Noise of these starts, relative to the keys: more leaves the place, less returns to it.
_LOUDEST = 0.5
# The least and the greatest patience of later starts: see `Place`.
_PATIENCE = 3.0, 30.0


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


def find_obstacle(question: Fit) -> str | None:
    """Return the reason why a question has no numeric search, or None."""
    load: type[Scores] | None = question.similarity.load("scores")
    if load is None:
        return f"there are no scores for the similarity {question.similarity}"
    entries = question.pattern.size
    if not _FEWEST_ENTRIES <= entries <= _MOST_ENTRIES:
        return f"the pattern has fewer than {_FEWEST_ENTRIES} or more than {_MOST_ENTRIES} entries"
    if entries * load(question.d).size ** 2 > _MOST_PRODUCTS:
        return f"the dimension {question.d} is too large for the pattern"
    return None


def find_embedding(question: Fit, search: Search) -> NumericWitness | str:
    """Search for queries and keys with few wrong entries or rows, or say why there are none.

    The search ends when no more items are wrong than the question names.

    Singular vectors of the signs arrange everything roughly. Newton steps of all queries and all
    keys in turn then minimise a bounded loss, in which entries that contradict all others cease to
    count. The loss approaches the number of wrong items as its scale grows. Later starts, and all
    starts of later turns, have noise and another patience with items that stay wrong. For entries,
    the best place that a quarter of the time leads to is then improved, from a smaller scale and
    keys moved a little; new starts follow where this fails.

    Memory: 30 bytes an entry, and 8 (d + 1)^2 a row or column.
    """
    if obstacle := find_obstacle(question):
        return obstacle
    pattern, unit = question.pattern, question.unit
    scores: Scores = question.similarity.load("scores")(question.d)
    entries = pattern.size
    signs = pattern.to_array().astype(np.float32)
    signs = np.where(signs < 0, np.float32(0), 2 * signs - 1)
    best, fewest, promising = None, entries + 1, entries + 1
    with one_blas_thread():
        for place in _approach(signs, scores, unit, search):
            if place.wrong > promising:
                continue
            promising = place.wrong
            found = scores.round(pattern, place.queries, place.keys)
            wrong = count_wrong(pattern, found)
            count = int(wrong.sum() if unit == "entries" else (wrong > 0).sum())
            if count < fewest:
                best, fewest = found, count
            if fewest <= question.wrong:
                break
    return best or "the time is too short"


def _approach(signs: Floats, scores: Scores, unit: Unit, search: Search) -> Iterator[Place]:
    """Yield places of all starts, good and bad ones."""
    random = np.random.RandomState(search.seed)
    is_first_turn = "robust" not in search.work
    search.work["robust"] = None
    start = _start(signs, scores, unit, random, 0.0 if is_first_turn else random.rand())
    yield start
    improving = search_clock.now() + _SHARE_OF_STARTS * search.remaining
    steps = _count_steps(start, search)
    best = start
    while not search.out_of_time:
        anneal = _anneal_both if unit == "rows" and random.rand() < _BOTH else _anneal
        for place in anneal(start, steps, search):
            best = min(best, place, key=lambda place: place.wrong)
            yield place
        is_improved = unit == "entries" and search_clock.now() >= improving
        tries = 0
        while is_improved and tries < _TRIES and best.wrong and not search.out_of_time:
            tries += 1
            noisy = _add_noise(best, _LOUDEST * random.rand() ** 2, random)
            for place in _anneal(noisy, steps, search, random.randint(_COLDEST_START)):
                tries = 0 if place.wrong < best.wrong else tries
                best = min(best, place, key=lambda place: place.wrong)
                yield place
        start = _start(signs, scores, unit, random, random.rand())
        start = replace(start, patience=float(np.exp(random.uniform(*np.log(_PATIENCE)))))


def _start(
    signs: Floats, scores: Scores, unit: Unit, random: np.random.RandomState, noise: float
) -> Place:
    """Make a first embedding from singular vectors, with noise."""
    rows, columns = signs.shape
    mean = signs.mean(axis=1, keepdims=True)
    rank = min(scores.d, rows, columns)
    left, values, right = iterate_subspace(signs - mean, rank, random)
    keys = np.zeros((columns, scores.d), dtype=np.float32)
    keys[:, :rank] = right.T * np.sqrt(columns)
    keys += (noise + 1e-3) * random.normal(size=keys.shape).astype(np.float32)
    queries = np.zeros((rows, scores.size), dtype=np.float32)
    queries[:, :rank] = left * values / np.sqrt(columns)
    queries[:, -1:] = mean
    return Place(scores, unit, signs, scores.direct(queries), scores.place(keys))


def _count_steps(place: Place, search: Search) -> int:
    """Return how many steps at each scale fit into the time of the first start."""
    times = []
    for _ in range(2):  # the first step may be slow
        began = search_clock.now()
        step(place, _SCALES[0], search)
        times.append(max(1e-9, search_clock.now() - began))
    affordable = _SHARE_OF_START * search.remaining / (min(times) * len(_SCALES))
    return int(np.clip(affordable, 1, _STEPS))


def _anneal(place: Place, steps: int, search: Search, first: int = 0) -> Iterator[Place]:
    """Yield the places that steps at each scale lead to, from one of the scales on."""
    for scale in _SCALES[first:]:
        for _ in range(steps):
            if search.out_of_time:
                return
            place = step(place, scale, search)
        yield place


def _anneal_both(place: Place, steps: int, search: Search) -> Iterator[Place]:
    """Yield places with few wrong entries, then some with few wrong rows."""
    latest = place
    for moved in _anneal(replace(place, unit="entries"), steps, search):
        latest = replace(moved, unit="rows")
        yield latest
    yield from _anneal(latest, steps, search, _COLDEST_START)


def _add_noise(place: Place, noise: float, random: np.random.RandomState) -> Place:
    """Move all keys a little."""
    moves = noise * place.keys.std(axis=0) * random.normal(size=place.keys.shape)
    return replace(place, keys=place.scores.place(place.keys + moves.astype(np.float32)))
