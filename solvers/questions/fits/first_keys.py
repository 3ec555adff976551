"""Rows whose ones are to be among the first K keys: relaxed patterns, a search, and right rows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from samapprox.pattern import UNSPECIFIED, Pattern
from samapprox.proofs.embeddings.embedding import Embedding
from samapprox.proofs.fits.cut_sets import find_best_order, find_room
from samapprox.proofs.fits.partial_embedding import PartialEmbedding
from samapprox.proofs.questions import Fit
from samapprox.solvers.embeddings.descent import iterate_subspace
from samapprox.solvers.engine.search import Search
from samapprox.solvers.questions.fits import robust
from samapprox.solvers.questions.fits.remainders import Explicit, find_ones, take_lines
from samapprox.solvers.questions.fits.scores import (
    Floats,
    NumericWitness,
    best_thresholds,
    compute_logits,
)
from samapprox.support.arrays import Entries, others_than

# Seconds of the first turn; each start takes twice as long as the one before.
_FIRST_TURN = 0.5
# Turns of a start: each relaxes the zeros that scored highest in the one before.
_TURNS = 4


def leave_out_late(pattern: Pattern, at: int, witness: Explicit) -> PartialEmbedding | None:
    """Return a witness for all rows as a proof about those that are right at K; None for no row.

    A row is right if its threshold cuts off all its ones, and no more ones and zeros than K.
    """
    columns = pattern.shape[1]
    late, above = [], []
    for start, cut in find_ones(witness, pattern):
        entries = pattern.block(start, start + len(cut))
        ones, zeros = entries == 1, cut & (entries == 0)
        right = ~(ones & ~cut).any(axis=1) & (ones.sum(axis=1) + zeros.sum(axis=1) <= at)
        late.append(start + np.flatnonzero(~right))
        rows, places = np.nonzero(zeros & right[:, None])
        above.append((start + rows) * columns + places)
    wrong = np.concatenate(late)
    rows = others_than(wrong, pattern.shape[0])
    if not rows.size:
        return None
    return PartialEmbedding("rows", wrong, take_lines(witness, rows), np.concatenate(above))


def relax(entries: Entries, scores: NDArray[Any], at: int) -> Entries:
    """Make the zeros of each row don't-cares that score highest, as many as may stand before ones.

    Of rows with more than K ones, those that score lowest become don't-cares instead.

    >>> relax(np.array([[1, 0, 0, 0]], dtype=np.int8), np.array([[0.0, 3, 1, 2]]), 3).tolist()
    [[1, -1, 0, -1]]
    >>> relax(np.array([[1, 1, 1, 0]], dtype=np.int8), np.array([[0.0, 3, 1, 2]]), 2).tolist()
    [[-1, 1, 1, 0]]
    """
    relaxed = entries.copy()
    ones = (entries == 1).sum(axis=1)
    room = np.maximum(0, at - ones)
    for row in np.flatnonzero(ones > at).tolist():
        places = np.flatnonzero(entries[row] == 1)
        relaxed[row, places[np.argsort(-scores[row, places], kind="stable")[at:]]] = UNSPECIFIED
    heights = np.where(entries == 0, scores, -np.inf)
    order = np.argsort(-heights, axis=1, kind="stable")[:, : int(room.max(initial=0))]
    rows, ranks = np.nonzero(np.arange(order.shape[1]) < room[:, None])
    places = order[rows, ranks]
    is_zero = entries[rows, places] == 0
    relaxed[rows[is_zero], places[is_zero]] = UNSPECIFIED
    return relaxed


def make_constant(shape: tuple[int, int]) -> Embedding:
    """Make equal logits: rows with at most K specified entries are right at K."""
    rows, columns = shape
    thresholds = np.full(rows, -1, dtype=np.int64)
    return Embedding(np.zeros((rows, 1), np.int64), np.zeros((columns, 1), np.int64), thresholds)


def embed_best_order(pattern: Pattern, at: int) -> Embedding:
    """Put few keys on a line in the best order; each query points to the end nearer to its ones."""
    entries = pattern.to_array()
    _, order = find_best_order(entries, find_room(pattern.row_ones, at))
    places = np.argsort(order)
    sides = []
    for queries in (np.ones(len(entries), np.int64), -np.ones(len(entries), np.int64)):
        logits = queries[:, None] * places
        thresholds = np.where(entries == 1, logits, len(places)).min(axis=1) - 1
        above = ((entries == 0) & (logits > thresholds[:, None])).sum(axis=1)
        sides.append((queries, thresholds, above))
    (left, low, before), (right, high, after) = sides
    is_left = before <= after
    queries, thresholds = np.where(is_left, left, right), np.where(is_left, low, high)
    return Embedding(queries[:, None], places[:, None], thresholds)


def search_relaxed(question: Fit, search: Search) -> Iterator[NumericWitness]:
    """Yield embeddings with many rows that are right at K, until the time is up.

    No row has more than K ones. The ones of a row may come after some zeros. These are chosen by
    the scores so far, at first those of singular vectors; then the search for rows that are right
    goes on without them, and so on in turn.
    """
    assert question.at is not None
    plain = replace(question, at=None)
    if search.out_of_time or robust.find_obstacle(plain):
        return
    entries = question.pattern.to_array()
    random = np.random.RandomState(search.seed)
    start, seconds = 0, _FIRST_TURN
    while not search.out_of_time:
        relaxed = relax(entries, _approximate(entries, question.d, random, start), question.at)
        for turn in range(_TURNS):
            part = search.apart().slice(seconds, _TURNS * start + turn)
            pattern = Pattern.from_array(relaxed == 1, relaxed != UNSPECIFIED)
            asked = replace(plain, pattern=pattern)
            found = robust.find_embedding(asked, part)
            if isinstance(found, str):
                if seconds > search.remaining:  # more time would not help
                    return
                break
            logits = compute_logits(found)
            relaxed = relax(entries, logits, question.at)
            yield replace(found, thresholds=best_thresholds(relaxed, logits))
        start += 1
        seconds *= 2


def _approximate(entries: Entries, d: int, random: np.random.RandomState, start: int) -> Floats:
    """Approximate the signs by a matrix of rank d, with more noise in later starts."""
    signs = np.where(entries == UNSPECIFIED, 0.0, np.where(entries == 1, 1.0, -1.0))
    signs -= signs.mean(axis=1, keepdims=True)
    signs += min(start, 4) / 4 * random.normal(size=signs.shape)
    left, values, right = iterate_subspace(signs, min(d, *signs.shape), random)
    return np.asarray((left * values) @ right)
