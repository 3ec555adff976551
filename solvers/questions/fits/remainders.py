"""Patterns without some of their items, and the cores that their refutations are."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from samapprox.errors import InputError
from samapprox.pattern import UNSPECIFIED, Pattern
from samapprox.problem import Problem, Reduction
from samapprox.proofs.base import Proof, Submatrix, Witness
from samapprox.proofs.embeddings.embedding import Embedding
from samapprox.proofs.embeddings.logits import above_thresholds
from samapprox.proofs.fits.hitting_set import Core
from samapprox.proofs.fits.items import Items
from samapprox.proofs.fits.partial_embedding import PartialEmbedding
from samapprox.proofs.questions import Fit
from samapprox.proofs.similarities.balls import Balls
from samapprox.proofs.similarities.caps import Caps, above_caps
from samapprox.proofs.similarities.key_order import KeyOrder
from samapprox.similarities import Similarity
from samapprox.solvers.questions.fits.scores import NumericWitness
from samapprox.solvers.similarity.transfers import represent_by
from samapprox.storage import block_height

# Entries, equal rows and columns merged, that are searched as items of their own: more would
# take too much memory and time.
_MOST_ENTRIES = 1 << 22


class LeavingOut(Reduction[Fit, "Problem | None", "Remainder | None"]):
    """The question about a fit as a decision of the pattern without some items.

    Each item stands for its copies. There is no problem if no row is left.
    """

    def __init__(self, items: Items, dropped: Collection[int]) -> None:
        self._items, self._dropped = items, dropped

    def apply(self, asked: Fit) -> tuple[Problem | None, Remainder | None]:
        """Return the problem without the items, with don't-cares for dropped entries."""
        pattern, items = asked.pattern, self._items
        rows = np.unique(items.row_of)
        if items.unit == "rows":
            rows = rows[~np.isin(rows, list(self._dropped))]
            columns = np.arange(pattern.shape[1])
            rest = pattern.take(rows, columns) if rows.size else None
        else:
            columns = np.unique(items.column_of)
            entries = pattern.submatrix(rows.tolist(), columns.tolist())
            numbers = rows[:, None] * pattern.shape[1] + columns
            entries[np.isin(numbers, list(self._dropped))] = UNSPECIFIED
            kept = (entries == 1).any(axis=1)
            entries, rows = entries[kept], rows[kept]
            rest = Pattern.from_array(entries == 1, entries != UNSPECIFIED) if rows.size else None
        if rest is None:
            return None, None
        problem = Problem(rest, asked.d, None, asked.similarity)
        return problem, Remainder(pattern, rest, rows, columns)

    def lift(self, proof: Proof, back: Remainder | None) -> PartialEmbedding | Core | str:
        """Return an embedding of the rest for the whole pattern, or a refutation as a core.

        Where rows are the items, all rows that were left out count as wrong.
        """
        assert back is not None
        try:
            if isinstance(proof, Witness):
                return self._embed(proof, back)
        except InputError as error:  # its numbers are too many or too long to be written out
            return str(error)
        if not isinstance(proof, Submatrix):
            return "the refutation is not about few rows and columns"
        placed = proof.place(back.rows, back.columns)
        if self._items.unit == "rows":
            return Core(placed)
        entries = back.rest.submatrix(proof.rows, proof.columns)
        width = self._items.shape[1]
        numbers = np.add.outer(np.array(placed.rows) * width, np.array(placed.columns))
        return Core(placed, sorted(numbers[entries == UNSPECIFIED].tolist()) or None)

    def _embed(self, proof: Witness, back: Remainder) -> PartialEmbedding:
        own, items = _make_explicit(proof, back.rest), self._items
        place = np.full(items.shape[0], -1, dtype=np.int64)  # -1 for a row without a 1
        place[back.rows] = np.arange(len(back.rows))
        row_of = place[items.row_of]
        if items.unit == "rows":
            right = take_lines(own, row_of[row_of >= 0])
            return PartialEmbedding("rows", np.flatnonzero(row_of < 0), right)
        column_of = np.searchsorted(back.columns, items.column_of)
        return leave_out_wrong(back.whole, items, take_lines(own, row_of, column_of))


@dataclass(frozen=True, slots=True, eq=False)
class Remainder:
    """A pattern without some items: the first of equal rows, and of equal columns for entries.

    Rows without a 1 are left out. `rows` and `columns` are the numbers in the whole pattern.
    """

    whole: Pattern
    rest: Pattern
    rows: NDArray[np.int64]
    columns: NDArray[np.int64]


def require_few_items(items: Items) -> None:
    """Refuse patterns with too many different entries for a search."""
    if items.unit == "rows":
        return
    rows, columns = np.count_nonzero(items.row_counts), np.count_nonzero(items.column_counts)
    if rows * columns > _MOST_ENTRIES:
        raise InputError(
            f"{rows} x {columns} different rows and columns are too many for a search "
            f"of wrong entries; at most {_MOST_ENTRIES} entries are searched, so count wrong rows"
        )


def list_items(pattern: Pattern, items: Items) -> dict[int, int]:
    """Return the items that stand for their copies and can be wrong, with their weights."""
    first = np.flatnonzero(items.row_counts)
    rows = first.tolist()
    if items.unit == "rows":
        return dict(zip(rows, items.row_counts[first].tolist(), strict=True))
    columns = np.unique(items.column_of).tolist()
    entries = pattern.submatrix(rows, columns)
    width = pattern.shape[1]
    specified = np.argwhere(entries != UNSPECIFIED).tolist()
    numbers = (rows[i] * width + columns[j] for i, j in specified)
    return {number: items.weigh(number) for number in numbers}


def count_wrong(pattern: Pattern, items: Items, witness: Explicit) -> NDArray[np.int64]:
    """Return the wrong items of a witness for all rows and keys, in exact arithmetic."""
    wrong = []
    for start, above in find_ones(witness, pattern):
        entries = pattern.block(start, start + len(above))
        places = (entries != UNSPECIFIED) & (above != (entries == 1))
        if items.unit == "rows":
            wrong.append(start + np.flatnonzero(places.any(axis=1)))
        else:
            wrong.append(start * pattern.shape[1] + np.flatnonzero(places.ravel()))
    return np.concatenate(wrong)


def leave_out_wrong(pattern: Pattern, items: Items, witness: Explicit) -> PartialEmbedding:
    """Return a witness for all rows and keys as a proof about the right part of the pattern."""
    wrong = count_wrong(pattern, items, witness)
    rows = PartialEmbedding(items.unit, wrong, witness).right_rows(pattern)
    return PartialEmbedding(items.unit, wrong, take_lines(witness, rows))


Explicit = Embedding | Caps | Balls | KeyOrder
"""Witnesses that are about all keys, whatever the rows are."""

Lines = NDArray[np.int64]


def _make_explicit(witness: Witness, pattern: Pattern) -> Explicit:
    """Return a witness of any kind with its keys written out.

    Raises InputError if its numbers are too many or too long for that.
    """
    if isinstance(witness, Explicit):
        return witness
    return witness.embedding(pattern)


def transfer(found: NumericWitness, pattern: Pattern, similarity: Similarity) -> Explicit:
    """Return a witness for dot products as one for a similarity; others stay as they are.

    Caps need one dimension more than the embedding.
    """
    if not isinstance(found, Embedding):
        return found
    return _make_explicit(represent_by(found, pattern, similarity), pattern)


def take_lines(witness: Explicit, rows: Lines, columns: Lines | None = None) -> Explicit:
    """Return the witness for copies of its rows and columns, in any order.

    Row -1 stands for a row without a 1.

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
    """Yield the keys that each query scores above its threshold, exactly, as (first row, ones).

    An order of the keys takes the arc or interval of each row with the fewest wrong entries.
    """
    if isinstance(witness, Caps):
        yield from above_caps(witness)
    elif isinstance(witness, Balls):
        yield from above_thresholds(witness.embedding())
    elif isinstance(witness, Embedding):
        yield from above_thresholds(witness)
    else:
        step = max(_LEAST_HEIGHT, block_height(16 * pattern.shape[1]))
        for start in range(0, pattern.shape[0], step):
            yield start, find_runs(pattern.block(start, start + step), witness)


# Rows that are read together at least: a few ones take longer to prepare than to read.
_LEAST_HEIGHT = 64


def find_runs(entries: NDArray[np.int8], order: KeyOrder) -> NDArray[np.bool_]:
    """Find for each row the arc or interval of the keys with the fewest wrong entries.

    O(m n): the best sum of consecutive numbers. The complement of an arc is an arc, too.

    >>> entries = np.array([[1, 1, 0, 0, 0, 1]], dtype=np.int8)
    >>> find_runs(entries, KeyOrder("line", range(6))).astype(int).tolist()
    [[1, 1, 0, 0, 0, 0]]
    >>> find_runs(entries, KeyOrder("circle", range(6))).astype(int).tolist()
    [[1, 1, 0, 0, 0, 1]]
    """
    points = order.points
    by_point = np.argsort(points, kind="stable")
    first_keys = np.searchsorted(points[by_point], np.arange(points.max() + 1))
    values = (entries == 1).astype(np.int64) - (entries == 0)
    gains = np.add.reduceat(values[:, by_point], first_keys, axis=1)
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
