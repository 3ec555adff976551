"""Embeddings that need no search: a few rows in general position, and keys along a curve."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from samapprox.pattern import Pattern
from samapprox.problem import trivial_dimension
from samapprox.proofs.embeddings.covectors import Covectors
from samapprox.proofs.embeddings.embedding import Embedding
from samapprox.proofs.embeddings.moment_curve import MomentCurve
from samapprox.proofs.fits.items import Items
from samapprox.proofs.fits.partial_embedding import PartialEmbedding
from samapprox.proofs.questions import Fit
from samapprox.proofs.similarities.key_order import KeyOrder
from samapprox.solvers.embeddings.descent import iterate_subspace
from samapprox.solvers.questions.fits.remainders import leave_out_wrong, transfer
from samapprox.solvers.similarity.transfers import trivial_witness
from samapprox.storage import PackedMatrix
from samapprox.storage.matrices import distinct_rows
from samapprox.storage.sparse import SparseMatrix
from samapprox.support.arrays import Flags, Order, others_than

# Entries up to which all orders are tried; larger patterns leave their time to searches.
_MOST_ENTRIES = 1 << 22
# Products of entries and dimensions of the largest embedding that is written out where an order
# along the moment curve represents the same rows.
_MOST_PRODUCTS = 1 << 32
# Numbers of all keys, and products of the rows that are right and all keys, of other similarities
# than dot products: nothing else is known there for more, and such an embedding comes at once.
_MOST_NUMBERS, _MOST_PRODUCTS_AT_ONCE = 1 << 21, 1 << 27
# Keys that are chained by similarity, which takes the square of their number.
_MOST_CHAINED = 1 << 10
# Rows that are tried as the last one in general position, at the price of O(n) each.
_TRIES = 50


def list_starts(question: Fit, items: Items) -> Iterator[PartialEmbedding]:
    """Yield embeddings that need no search, the quickest one first.

    The first one takes a pass over the stored entries, and its check O(r n d) for r rows that are
    right in it; where entries are the items, or some are don't-cares, O(m n d). The others take
    O(m n) each, and O(n^2 (m + n)) the last one, on at most 1,024 keys. With twice as many
    dimensions as a row has ones, any order of the keys along the moment curve is right. In the
    trivial dimension, nothing is wrong.
    """
    pattern, similarity = question.pattern, question.similarity
    trivial_d = trivial_dimension(pattern.shape, similarity)
    if question.d >= trivial_d and not _is_large(pattern, trivial_d):
        yield PartialEmbedding(question.unit, [], trivial_witness(pattern, similarity))
        return
    d = question.d - similarity.above  # halfspaces become caps
    if not d:
        yield _embed_at_two_points(question, items)
        return
    if similarity.is_attention and (trivial := _order_large(pattern, d)):
        yield PartialEmbedding(question.unit, [], trivial)
        return
    if similarity.is_attention and question.unit == "rows" and 2 * pattern.row_ones.max() <= d:
        yield from _place_along_curve(pattern, d, np.arange(pattern.shape[1]))
        return
    if similarity.is_attention and question.unit == "rows" and _is_large(pattern, d):
        yield order_frequent(pattern, d)
        return
    yield _embed_frequent(question, items, d)
    if pattern.size > _MOST_ENTRIES:
        return
    for order in _list_orders(pattern):
        if similarity.is_attention and question.unit == "rows":
            yield from _place_along_curve(pattern, question.d, order)
        if similarity.curves:
            curve = similarity.curve(question.d)
            places = np.argsort(order)
            start = leave_out_wrong(pattern, items, KeyOrder(curve, places))
            if len(start.wrong) < items.count:  # an order of keys says nothing without a row
                yield start


def _order_large(pattern: Pattern, d: int) -> MomentCurve | None:
    """Order all keys, or queries, if any order is right in d dimensions and numbers are too many.

    Of n keys, a row changes sides at most n - 1 times along the curve; of m queries and the extra
    one, a column at most m times.
    """
    rows, columns = pattern.shape
    if not _is_large(pattern, d):
        return None
    if columns <= d + 1:
        return MomentCurve(max(1, columns - 1), "columns", np.arange(columns))
    return MomentCurve(rows, "rows", np.arange(rows + 1)) if rows <= d else None


def _is_large(pattern: Pattern, d: int) -> bool:
    """Whether the numbers of an embedding are too many to be checked."""
    return pattern.size * d > _MOST_PRODUCTS


def _embed_at_two_points(question: Fit, items: Items) -> PartialEmbedding:
    """Put the keys at two points, on the sides of the most frequent row."""
    pattern = question.pattern
    frequent = _Frequent.of(pattern, 1)
    keys = frequent.embed(pattern, 1, np.zeros(0, dtype=np.int64)).keys
    two_points = KeyOrder("circle", np.where(keys[:, 0] > 0, 1, 0))
    if not _is_about_rows(question):
        return leave_out_wrong(pattern, items, two_points)
    is_right = np.isin(frequent.number_of, (_CONSTANT, 0))
    return PartialEmbedding("rows", np.flatnonzero(~is_right), two_points)


def _embed_frequent(question: Fit, items: Items, d: int) -> PartialEmbedding:
    """Embed the most frequent rows in d dimensions, or in fewer if the check would take long."""
    pattern, similarity = question.pattern, question.similarity
    if not _is_about_rows(question):
        witness = transfer(separate_rows(pattern, d), pattern, similarity)
        return leave_out_wrong(pattern, items, witness)
    if not similarity.is_attention:
        d = min(d, max(1, _MOST_NUMBERS // pattern.shape[1]))
    frequent = _Frequent.of(pattern, d)
    while d > 1 and not similarity.is_attention and _takes_long(frequent, d):
        d //= 2
        frequent = _Frequent.of(pattern, d)
    own = frequent.embed(pattern, d, frequent.right)
    wrong = np.flatnonzero(frequent.number_of == _OTHER)
    return PartialEmbedding("rows", wrong, transfer(own, pattern, similarity))


def _is_about_rows(question: Fit) -> bool:
    """Whether the rows that are right in an embedding of the most frequent ones are known."""
    return question.unit == "rows" and question.pattern.unspecified is None


def _takes_long(frequent: _Frequent, d: int) -> bool:
    """Whether caps or balls of the rows that are right take long to check."""
    return len(frequent.right) * len(frequent.sides) * d > _MOST_PRODUCTS_AT_ONCE


def separate_rows(pattern: Pattern, d: int) -> Embedding:
    """Embed the most frequent d + 1 rows, up to complement, or d rows if those are shattered.

    Don't-cares count as 0. d hyperplanes through the origin and the coordinates are in general
    position with one more: they have 2^(d+1) - 1 cells, so any d + 1 rows have an embedding that
    do not split the columns in all 2^(d+1) ways; a complement of some of the rows moves the missing
    cell to any place.
    """
    return _Frequent.of(pattern, d).embed(pattern, d, np.arange(pattern.shape[0]))


def order_frequent(pattern: Pattern, d: int) -> PartialEmbedding:
    """Order the rows of `separate_rows` and row 0 along the moment curve, without any number.

    Equal rows and complements stand side by side. So a column changes sides at most once for each
    different row; flips keep the columns from changing at all of d + 1 places.
    """
    frequent = _Frequent.of(pattern, d)
    right = frequent.right
    numbers = frequent.number_of[right]
    order = np.concatenate([[0], 1 + np.argsort(numbers, kind="stable")])
    is_flipped = ~frequent.begins[right]
    if frequent.missing is not None:
        # Only the side without columns would change everywhere: -, +, -, .. after the + of row 0.
        turned = frequent.missing ^ (np.arange(d + 1) % 2 == 0)
        is_flipped ^= (numbers != _CONSTANT) & turned[numbers]
    wrong = others_than(right, pattern.shape[0])
    return PartialEmbedding(
        "rows", wrong, MomentCurve(d, "rows", order, 1 + np.flatnonzero(is_flipped))
    )


_CONSTANT, _OTHER = -1, -2  # in place of the number of a class


@dataclass(frozen=True, slots=True, eq=False)
class _Frequent:
    """The most frequent rows, up to complement: d + 1 that do not shatter the columns, or d.

    `begins`: whether each row has a 1 in `column`. `number_of`: for each row, which of them it is.
    `sides` (columns x their number): which entries differ from that of `column`. `missing`: a row
    that `sides` lacks, if there are d + 1.
    """

    begins: Flags
    column: int
    number_of: Order
    sides: Flags
    missing: Flags | None

    @classmethod
    def of(cls, pattern: Pattern, d: int) -> _Frequent:
        """Merge equal rows, and choose: linear in the stored entries, and O(n d) for few rows."""
        folded, begins, column = _fold_rows(pattern.ones)
        first, class_of = distinct_rows(folded)
        counts = np.bincount(class_of)
        is_split = folded.row_counts[first] > 0
        splits = np.flatnonzero(is_split)
        frequent = splits[np.argsort(-counts[splits], kind="stable")][: d + _TRIES]
        rows = folded.take(first[frequent]).dense()
        chosen = _choose(rows, d)
        sides: Flags = rows[chosen].T
        numbers = np.where(is_split, _OTHER, _CONSTANT)
        numbers[frequent[chosen]] = np.arange(len(chosen))
        missing = _find_missing(sides) if len(chosen) > d else None
        return cls(begins, column, numbers[class_of], sides, missing)

    @property
    def right(self) -> Order:
        """The rows that an embedding represents: copies and complements, and constant rows."""
        return np.flatnonzero(self.number_of >= _CONSTANT)

    def embed(self, pattern: Pattern, d: int, rows: Order) -> Embedding:
        """Embed some rows; of others than `right`, all entries are equal then."""
        sides = self.sides
        if self.missing is not None:
            # Complements of rows move the cell without columns to the one the hyperplanes lack.
            sides = sides ^ self.missing ^ (np.arange(d + 1) == d)
        keys = _place_in_cells(sides, d)
        begins, number_of = self.begins[rows], self.number_of[rows]
        is_mostly_one = 2 * pattern.row_ones[rows] > pattern.shape[1]
        queries = np.zeros((len(rows), d), dtype=np.int64)
        thresholds = -is_mostly_one.astype(np.int64)
        for number in range(sides.shape[1]):
            own = np.flatnonzero(number_of == number)
            signs = np.where(begins[own] == sides[self.column, number], 1, -1)
            normal = np.arange(d) == number if number < d else np.ones(d, int)
            queries[own] = signs[:, None] * normal
            thresholds[own] = 0 if number < d else np.where(signs > 0, 2 * d, -2 * d - 1)
        return Embedding(queries, keys, thresholds)


def _fold_rows(
    ones: PackedMatrix | SparseMatrix,
) -> tuple[PackedMatrix | SparseMatrix, Flags, int]:
    """Complement the rows with a 1 in some column; return also which ones, and the column.

    Few sparse rows have a 1 in the column with the fewest ones, so they stay sparse.
    """
    rows = np.arange(ones.shape[0])
    column = 0
    if ones.is_sparse:
        column = int(ones.column_counts(np.ones(len(rows), dtype=np.bool_)).argmin())
    begins = ones.entries(rows, column)
    return ones.complement_rows(begins), begins, column


def _choose(classes: Flags, d: int) -> Order:
    """Choose d + 1 classes of rows, of those listed, that do not shatter the columns, or d."""
    for last in range(d, len(classes)):
        chosen = np.append(np.arange(d), last)
        if _find_missing(classes[chosen].T) is not None:
            return chosen
    return np.arange(min(d, len(classes)))


def _find_missing(sides: Flags) -> Flags | None:
    """Find a vector of sides that no column has; None if there is none.

    Of 62 sides, too few columns have all vectors, so that the others do not matter.
    """
    size = min(sides.shape[1], 62)
    numbers = np.unique(sides[:, :size] @ (1 << np.arange(size)))
    gaps = np.flatnonzero(numbers != np.arange(len(numbers)))
    least = int(gaps[0]) if gaps.size else len(numbers)
    if least >= 1 << size:
        return None
    return np.array([least >> place & 1 for place in range(sides.shape[1])], dtype=np.bool_)


def _place_in_cells(sides: Flags, d: int) -> NDArray[np.int64]:
    """Place keys on the sides of the coordinate hyperplanes, and of x_1 + .. + x_d = 2 d."""
    beyond = sides[:, d] if sides.shape[1] > d else np.zeros(len(sides), dtype=np.bool_)
    keys = np.full((len(sides), d), -1, dtype=np.int64)
    positive = np.where(beyond, 4 * d, 1)
    keys[:, : sides.shape[1]] = np.where(sides[:, :d], positive[:, None], -1)
    return keys


def _list_orders(pattern: Pattern) -> Iterator[Order]:
    """Yield orders of the keys: as they are, along the main directions of the columns, chained."""
    columns = pattern.shape[1]
    yield np.arange(columns)
    signs = np.where(pattern.to_array() == 1, 1.0, -1.0)
    random = np.random.RandomState(0)
    signs -= signs.mean(axis=1, keepdims=True)
    rank = min(2, *pattern.shape)
    _, values, right = iterate_subspace(signs, rank, random)
    yield np.argsort(right[0], kind="stable")
    if rank > 1:
        along, across = values[:, None] * right
        yield np.argsort(np.arctan2(across, along), kind="stable")
    if columns <= _MOST_CHAINED:
        yield _chain(signs)


def _chain(signs: NDArray[np.float64]) -> Order:
    """Return the columns, each followed by the most similar one of the others."""
    similar = signs.T @ signs
    order = [0]
    left = np.ones(len(similar), dtype=np.bool_)
    left[0] = False
    while left.any():
        order.append(int(np.where(left, similar[order[-1]], -np.inf).argmax()))
        left[order[-1]] = False
    return np.array(order)


def _place_along_curve(pattern: Pattern, d: int, order: Order) -> Iterator[PartialEmbedding]:
    """Put the keys on the moment curve: rows that change sides at most d times are right."""
    flips = np.ones(len(order), dtype=np.int8)
    changes = Covectors(pattern, "columns").count_changes(order, flips)
    right = changes[1:] <= d if len(changes) > pattern.shape[0] else changes <= d
    if right.any():
        proof = MomentCurve(min(d, max(1, len(order) - 1)), "columns", order)
        yield PartialEmbedding("rows", np.flatnonzero(~right), proof)
