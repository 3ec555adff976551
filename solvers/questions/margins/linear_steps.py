"""Larger margins by linear programs, from embeddings whose margin is tiny.

An embedding that just represents a pattern has few directions in which its margin grows, and a soft
minimum does not see them. A linear program does: it moves all queries, keys and thresholds a little
such that the least distance from a threshold, linearized, grows most. Then each row gets its best
query for the new keys. If the margin has not grown, the next step is shorter (sequential linear
programming with a trust region; Fletcher, Sainz de la Maza, 1989, Mathematical Programming 43).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from samapprox.proofs.embeddings.logits import gaps
from samapprox.solvers.engine.search import Search
from samapprox.solvers.questions.margins.ascent import Vectors, measure_margin
from samapprox.support.arrays import Floats

if TYPE_CHECKING:
    from scipy.sparse import csr_array


# Products of the largest problem: nonnegative least squares for each row take a second.
_MOST_PRODUCTS = 1 << 23
# The threshold's factor: the larger it is, the less its square counts beside that of the query.
_THRESHOLD = 100.0


def widen(entries: NDArray[np.int8], vectors: Vectors, search: Search) -> Vectors:
    """Return the same keys with the queries of the largest margin for them, row by row.

    The shortest x with s_j (x . k_j - t) >= 1 for all keys is a least distance problem, which
    nonnegative least squares solve. Rows for which they fail keep their query, as do those that are
    left when the time is up. Too large patterns keep all of them.

    Lawson, Hanson (1974), "Solving Least Squares Problems", chapter 23.

    >>> start = Vectors(np.array([[0.6, 0.8]]), np.eye(2))
    >>> wide = widen(np.array([[1, 0]], dtype=np.int8), start, Search())
    >>> wide.queries.round(3).tolist()
    [[0.707, -0.707]]
    """
    from scipy.optimize import nnls

    if entries.size * vectors.dimension > _MOST_PRODUCTS:
        return vectors
    queries = vectors.queries.copy()
    points = np.column_stack([vectors.keys, np.full(len(vectors.keys), _THRESHOLD)])
    target = np.zeros(points.shape[1] + 1)
    target[-1] = 1
    for row, line in enumerate(entries):
        if search.out_of_time:
            break
        there = line >= 0
        signed = points[there] * np.where(line[there] == 1, 1, -1)[:, None]
        system = np.vstack([signed.T, np.ones(len(signed))])
        try:
            weights, _ = nnls(system, target)
        except RuntimeError:  # too many iterations
            continue
        rest = system @ weights - target
        length = np.linalg.norm(rest[:-2])
        if rest[-1] < 0 < length:
            queries[row] = rest[:-2] / length
    return Vectors(queries, vectors.keys)


# Entries of the largest pattern: a step takes a tenth of a second for 4,000, and more than a second
# for 10,000.
_MOST_ENTRIES = 1 << 14
# How far a coordinate of a key moves in the first step, and in the last one; queries turn faster.
_FIRST, _LAST, _FASTER = 1e-3, 1e-8, 3.0
# Parts of the predicted gain: above the first, steps grow; below the second, they shrink.
_MUCH, _LITTLE = 0.4, 0.1
# Entries are left out of a step if they are farther from their threshold than this many moves.
_FAR = 6.0
# Seconds that a linear program has at least.
_LEAST = 0.1


def fill_box(vectors: Vectors) -> Vectors:
    """Map the keys linearly into the box [-1, 1]^d, and queries such that all logits stay the same.

    Before that, the keys become as long in one direction as in any other. Queries get the length 1.

    >>> filled = fill_box(Vectors(np.eye(2), np.array([[0.0, 1], [2, 5], [4, 3]])))
    >>> np.abs(filled.keys).max(axis=0).tolist(), np.linalg.norm(filled.queries, axis=1).tolist()
    ([1.0, 1.0], [1.0, 1.0])
    """
    keys = vectors.keys - (vectors.keys.max(axis=0) + vectors.keys.min(axis=0)) / 2
    _, sizes, axes = np.linalg.svd(keys, full_matrices=False)
    sizes = np.maximum(sizes, 1e-9 * sizes.max())
    keys = keys @ axes.T / sizes
    keys = keys - (keys.max(axis=0) + keys.min(axis=0)) / 2
    tops = keys.max(axis=0)
    tops = np.where(tops > 0, tops, 1.0)
    return Vectors(_unit(vectors.queries @ axes.T * sizes * tops), keys / tops)


def fill_ball(vectors: Vectors) -> Vectors:
    """Scale the keys of such vectors to the unit ball."""
    return Vectors(vectors.queries, vectors.keys / np.linalg.norm(vectors.keys, axis=1).max())


def climb_linearly(
    entries: NDArray[np.int8], start: Vectors, search: Search, held: Floats | None = None
) -> Iterator[Vectors]:
    """Yield unit queries and keys in the box [-1, 1]^d of larger and larger margins.

    `held` has the coordinates of keys that must have certain values, and nan for the others. The
    first vectors have these values; their margin may be smaller than that of the start, or below 0.
    Ends when steps are too short, or the time is up. Each step solves a linear program of up to
    m n rows and (m + n) d + m columns. Patterns that are too large yield nothing.
    """
    if entries.size > _MOST_ENTRIES:
        return
    held = np.full_like(start.keys, np.nan) if held is None else held
    kept = ~np.isnan(held)
    reach, vectors = _FIRST, start
    missing = np.abs((held - start.keys)[kept]).max(initial=0.0)
    if missing > 0:
        moved, _ = _move(entries, start, max(reach, float(missing)), held, search) or (start, 0.0)
        vectors = widen(entries, Vectors(moved.queries, np.where(kept, held, moved.keys)), search)
        yield vectors
    margin = measure_margin(entries, vectors.logits)
    while reach > _LAST and not search.out_of_time:
        found = _move(entries, vectors, reach, held, search)
        if found is None:
            reach /= 3
            continue
        moved, predicted = widen(entries, found[0], search), found[1]
        gained = measure_margin(entries, moved.logits) - margin
        if gained <= 0:
            reach /= 3
            continue
        if gained > _MUCH * (predicted - margin):
            reach *= 2
        elif gained < _LITTLE * (predicted - margin):
            reach /= 2
        vectors, margin = moved, margin + gained
        yield vectors


def _move(
    entries: NDArray[np.int8], vectors: Vectors, reach: float, held: Floats, search: Search
) -> tuple[Vectors, float] | None:
    """Return the vectors after the best short move, and their linearized margin.

    The unknowns are the changes of all queries, keys and thresholds, and the margin. None if the
    solver fails.
    """
    from scipy.optimize import linprog

    zeros, ones = gaps(entries, vectors.logits)
    signs = np.where(entries == 1, 1.0, -1.0)
    distances = signs * (vectors.logits - (zeros + ones)[:, None] / 2)
    near = distances < (ones - zeros).min() / 2 + _FAR * reach * vectors.dimension
    places = np.nonzero((entries >= 0) & near)
    found = linprog(
        np.concatenate([np.zeros(vectors.queries.size + held.size + len(entries)), [-1.0]]),
        A_ub=_linearize(vectors, places, signs[places]),
        b_ub=np.concatenate([distances[places], np.zeros(len(entries))]),
        bounds=_limit_moves(vectors, reach, held),
        method="highs-ipm",
        options={"time_limit": max(_LEAST, search.remaining)},
    )
    if found.x is None:
        return None
    turns, changes, _ = np.split(found.x, np.cumsum([vectors.queries.size, held.size]))
    moved = Vectors(
        _unit(vectors.queries + turns.reshape(vectors.queries.shape)),
        vectors.keys + changes.reshape(held.shape),
    )
    return moved, float(found.x[-1])


def _linearize(vectors: Vectors, places: tuple[NDArray[np.int64], ...], signs: Floats) -> csr_array:
    """Return what limits the margin: distances of the entries at some places, to first order.

    Then a line for each query, which must not become longer: that would enlarge its distances.
    """
    from scipy.sparse import csr_array

    queries, keys = vectors.queries, vectors.keys
    (height, d), (rows, columns) = queries.shape, places
    size, coordinates = queries.size + keys.size, np.arange(d)
    unknowns = (
        rows[:, None] * d + coordinates,
        queries.size + columns[:, None] * d + coordinates,
        size + rows[:, None],
        np.full((len(rows), 1), size + height),
    )
    signs, width = signs[:, None], 2 * d + 2
    factors = (-signs * keys[columns], -signs * queries[rows], signs, np.ones_like(signs))
    return csr_array(
        (
            np.concatenate([np.hstack(factors).ravel(), queries.ravel()]),
            np.concatenate([np.hstack(unknowns).ravel(), np.arange(queries.size)]),
            np.concatenate(
                [width * np.arange(len(rows)), width * len(rows) + d * np.arange(height + 1)]
            ),
        ),
        shape=(len(rows) + height, size + height + 1),
    )


def _limit_moves(vectors: Vectors, reach: float, held: Floats) -> Floats:
    """Return the least and the largest value of each unknown, a row for each."""
    keys = vectors.keys
    needed, height = held - keys, len(vectors.queries)
    sides = []
    for sign, limit in ((-1, np.maximum(-reach, -1 - keys)), (1, np.minimum(reach, 1 - keys))):
        turns = np.full(vectors.queries.size, sign * _FASTER * reach)
        changes = np.where(np.isnan(needed), limit, needed).ravel()
        sides.append(np.concatenate([turns, changes, np.full(height, sign), [sign * np.inf]]))
    return np.column_stack(sides)


def _unit(vectors: Floats) -> Floats:
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / np.where(lengths > 0, lengths, 1.0))
