"""Witnesses of all similarities: the ones that they give to a pattern, and their rows and keys."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from samapprox.pattern import Pattern
from samapprox.problem import Similarity
from samapprox.proofs.base import Witness
from samapprox.proofs.checks.above import above_thresholds
from samapprox.proofs.checks.similarities.caps import above_caps
from samapprox.proofs.kinds.embedding import Embedding
from samapprox.proofs.kinds.similarities.balls import Balls
from samapprox.proofs.kinds.similarities.caps import Caps
from samapprox.proofs.kinds.similarities.key_order import KeyOrder
from samapprox.solvers.ceilings.scores import Found
from samapprox.solvers.similarity.transfers import represent_by
from samapprox.storage.packed import block_height

__all__ = ["Explicit", "carry_over", "find_ones", "make_explicit", "take_lines"]

Explicit = Embedding | Caps | Balls | KeyOrder
"""Witnesses that are about all keys, whatever the rows are."""

Lines = NDArray[np.int64]


def make_explicit(witness: Witness, pattern: Pattern) -> Explicit:
    """Return a witness of any kind with its keys written out.

    Raises
    ------
    InputError
        Its numbers are too many or too long to be written out.
    """
    if isinstance(witness, Explicit):
        return witness
    return witness.embedding(pattern)


def carry_over(found: Found, pattern: Pattern, similarity: Similarity) -> Explicit:
    """Return a witness for dot products as one for a similarity; others are as they should be.

    Parameters
    ----------
    found : Embedding, Balls or Caps
        Caps need one dimension more than the embedding.
    pattern : Pattern
    similarity : {"dot", "cosine", "l2"}
    """
    if similarity == "dot" or not isinstance(found, Embedding):
        return found
    return make_explicit(represent_by(found, pattern, similarity), pattern)


def take_lines(witness: Explicit, rows: Lines, columns: Lines | None = None) -> Explicit:
    """Return the witness for copies of its rows and columns, in any order.

    Parameters
    ----------
    witness : Explicit
    rows : ndarray of int64
        -1 for a row without a 1.
    columns : ndarray of int64, optional
        All of them by default.

    Examples
    --------
    >>> caps = Caps([[1, 0]], [[1, 0], [0, 1]], [0])
    >>> taken = take_lines(caps, np.array([0, -1]), np.array([1, 0, 0]))
    >>> [above.astype(int).tolist() for _, above in above_caps(taken)]
    [[[0, 1, 1], [0, 0, 0]]]
    """
    if isinstance(witness, KeyOrder):
        return witness if columns is None else KeyOrder(witness.curve, witness.places[columns])
    keys = witness.keys if columns is None else witness.keys[columns]
    empty = rows < 0
    thresholds = np.where(empty, 1, witness.thresholds[rows])
    if isinstance(witness, Balls):
        centers = np.where(empty[:, None], 0, witness.centers[rows])
        return Balls(centers, np.where(empty, 1, witness.weights[rows]), keys, thresholds)
    queries = np.where(empty[:, None], 0, witness.queries[rows])
    return type(witness)(queries, keys, thresholds)


def find_ones(witness: Explicit, pattern: Pattern) -> Iterator[tuple[int, NDArray[np.bool_]]]:
    """Find the keys that each query scores above its threshold, exactly, block by block.

    Parameters
    ----------
    witness : Explicit
        An order of the keys takes the arc or interval of each row with the fewest wrong entries.
    pattern : Pattern

    Yields
    ------
    first row : int
    ones : ndarray of bool, shape (rows of the block, n)
    """
    if isinstance(witness, Caps):
        yield from above_caps(witness)
    elif isinstance(witness, Balls):
        yield from above_thresholds(witness.embedding())
    elif isinstance(witness, Embedding):
        yield from above_thresholds(witness)
    else:
        step = block_height(16 * pattern.shape[1])
        for start in range(0, pattern.shape[0], step):
            yield start, find_runs(pattern.block(start, start + step), witness)


def find_runs(entries: NDArray[np.int8], order: KeyOrder) -> NDArray[np.bool_]:
    """Find for each row the arc or interval of the keys with the fewest wrong entries.

    Parameters
    ----------
    entries : ndarray of int8, shape (m, n)
    order : KeyOrder

    Notes
    -----
    O(m n): the best sum of consecutive numbers. The complement of an arc is one, too.

    Examples
    --------
    >>> entries = np.array([[1, 1, 0, 0, 0, 1]], dtype=np.int8)
    >>> find_runs(entries, KeyOrder("line", range(6))).astype(int).tolist()
    [[1, 1, 0, 0, 0, 0]]
    >>> find_runs(entries, KeyOrder("circle", range(6))).astype(int).tolist()
    [[1, 1, 0, 0, 0, 1]]
    """
    points = order.points
    gains = np.zeros((len(entries), int(points.max()) + 1), dtype=np.int64)
    np.add.at(gains.T, points, (entries == 1).T.astype(np.int64) - (entries == 0).T)
    runs, most = _best_runs(gains)
    if order.curve == "circle":
        outside, fewest = _best_runs(-gains)
        better = gains.sum(axis=1) + fewest > most
        runs = np.where(better[:, None], ~outside, runs)
    return runs[:, points]


def _best_runs(gains: NDArray[np.int64]) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
    """Mark the consecutive numbers of each row with the largest sum; return these sums, too."""
    ends = np.arange(gains.shape[1] + 1)
    sums = np.concatenate([np.zeros((len(gains), 1), np.int64), gains.cumsum(axis=1)], axis=1)
    lowest = np.minimum.accumulate(sums, axis=1)
    last = (sums - lowest).argmax(axis=1)[:, None]
    first = np.where((sums == np.take_along_axis(lowest, last, axis=1)) & (ends <= last), ends, -1)
    first = first.max(axis=1)[:, None]
    marked = (first <= ends[:-1]) & (ends[:-1] < last)
    return marked, np.take_along_axis(sums - lowest, last, axis=1)[:, 0]
