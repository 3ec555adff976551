"""Orders of the keys around a circle or along a line: proofs of YES without numbers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from samapprox.errors import InputError
from samapprox.pattern import Pattern
from samapprox.problem import Problem
from samapprox.proofs.base import Witness
from samapprox.proofs.embeddings.moment_curve import MomentCurve
from samapprox.proofs.exact import ExactArray, Vector
from samapprox.proofs.members import Choice
from samapprox.proofs.words import order_keys
from samapprox.storage import block_height
from samapprox.support.arrays import flags_at

if TYPE_CHECKING:
    from samapprox.proofs.embeddings.embedding import Embedding
    from samapprox.proofs.parts.simplify import Simplification


Runs = tuple[int, NDArray[np.bool_], NDArray[np.int64]]
"""A block of rows: its first row, which rows divide a point, and the runs of ones of each row."""

Curve = Literal["circle", "line"]
"""The curve on which the keys lie."""


@dataclass(frozen=True, slots=True, eq=False)
class KeyOrder(Witness):
    r"""An order of the keys in which the ones of each row are consecutive.

    On a circle, the keys are points of the unit circle, in this order, and each row is an arc: YES
    for cosine similarity and Euclidean distance in d = 2, or in d = 1 if there are at most two
    points. On a line, each row is an interval: YES for Euclidean distance in d = 1.

    Parameters
    ----------
    curve : {"circle", "line"}
        The curve on which the keys lie.
    places : array_like of int, shape (n,)
        The place of each column, at least 0. Columns with the same place have the same key.

    Raises
    ------
    InputError
        A negative place, or one beyond 64 bits.

    Examples
    --------
    >>> from samapprox import Pattern
    >>> proof = KeyOrder("circle", [0, 1, 2, 1])
    >>> proof.dimension, KeyOrder("circle", [0, 1, 1, 1]).dimension
    (2, 1)
    >>> proof.embedding(Pattern.from_text("1000\n0101\n1010")).dimension
    2
    """

    KIND = "key-order"
    TASK = "dimension"
    SIMILARITIES = ("cosine", "l2")
    CLAIM = (
        "YES for cosine similarity and Euclidean distance in d = 2 (circle; d = 1 with at most two "
        "places), or for Euclidean distance in d = 1 (line): in the order of the places, each "
        "row's ones form an arc or interval that contains none of its zeros."
    )
    MEMBERS = (Choice("curve", ("circle", "line")), Vector("places", minimum=0))

    curve: Curve
    places: ExactArray

    def __init__(self, curve: str, places: ArrayLike) -> None:
        self._fill(curve, places)
        if self.places.dtype != np.int64:
            raise InputError("places must be numbers below 2^62")

    @property
    def dimension(self) -> int:
        """The d in which it represents the pattern."""
        if self.curve == "line" or not len(self.places):
            return 1
        first = self.places == self.places.min()
        return 1 if np.all(first | (self.places == self.places.max())) else 2

    @property
    def points(self) -> NDArray[np.int64]:
        """The point of each column: 0 for the least place, 1 for the next, and so on."""
        return np.unique(self.places, return_inverse=True)[1].reshape(-1).astype(np.int64)

    def embedding(self, pattern: Pattern, /) -> Embedding:
        """Write queries, keys and thresholds as whole numbers, for dot products.

        Parameters
        ----------
        pattern : Pattern
            One that it represents.

        Raises
        ------
        InputError
            It does not represent the pattern, or the numbers are too large to be written out.

        Notes
        -----
        The dimension is 2 or less also for keys on a line, whose intervals are no halfspaces.
        """
        order = np.argsort(self.places, kind="stable")
        return MomentCurve(2, "columns", order).embedding(pattern)

    def lift(self, simplification: Simplification, /) -> KeyOrder | str:
        """Carry the order for a simplified pattern over to the original."""
        if self.curve == "line" and simplification.flipped.any():
            return "the complement of an interval is no interval"
        return KeyOrder(self.curve, self.places[simplification.column_of])

    def find_fault(self, problem: Problem) -> str | None:
        """Return the reason why the order does not represent the pattern, or None.

        O(k log k + m + n) time for a sparse pattern of k ones, O(m n) else, in blocks of rows.
        """
        if self.curve == "line" and "line" not in problem.similarity.curves:
            return f"intervals of a line do not prove YES for {problem}"
        columns = problem.pattern.shape[1]
        if len(self.places) != columns:
            return f"it has {len(self.places)} places for {columns} columns"
        points = self.points
        count = _count_sparse_runs if problem.pattern.ones.is_sparse else _count_runs
        for start, divided, runs in count(problem.pattern, points, self.curve == "circle"):
            if divided.any():
                row = problem.pattern.row_label(start + int(divided.argmax()))
                return f"{row} has both a one and a zero at one place"
            if (runs > 1).any():
                worst = int(runs.argmax())
                row = problem.pattern.row_label(start + worst)
                along = "around the circle" if self.curve == "circle" else "along the line"
                return f"{row} has {runs[worst]} runs of ones {along}"
        return None

    def explain(self, problem: Problem) -> list[str]:
        order = order_keys(problem.pattern, self.places)
        if self.curve == "line":
            return [f"In this order of the keys, the ones of each row are consecutive: {order}"]
        if self.dimension == 1:
            return [f"Each row is constant on the keys at each of two points: {order}"]
        return [f"In this order around the circle, the ones of each row are an arc: {order}"]


def _count_sparse_runs(
    pattern: Pattern, points: NDArray[np.int64], circular: bool
) -> Iterator[Runs]:
    """Count from the ones alone: distinct points less those whose successor holds ones, too."""
    assert pattern.ones.is_sparse
    sizes = np.bincount(points)
    total = len(sizes)
    for start, stop, rows, columns in pattern.ones.blocks_of_ones():
        height = stop - start
        keys, held = np.unique(rows * total + points[columns], return_counts=True)
        row, point = np.divmod(keys, total)
        divided = flags_at(row[held < sizes[point]], height)
        followed = keys[1:] == keys[:-1] + 1
        followed &= row[1:] == row[:-1]
        runs = np.bincount(row, minlength=height) - np.bincount(row[1:][followed], minlength=height)
        if circular:
            first, last = (
                np.bincount(row[point == end], minlength=height) for end in (0, total - 1)
            )
            runs = runs - first * last
        yield start, divided, runs


def _count_runs(pattern: Pattern, points: NDArray[np.int64], circular: bool) -> Iterator[Runs]:
    """Count from entries written out, block by block; runs continue over points of * alone."""
    order = np.argsort(points, kind="stable")
    starts = np.flatnonzero(np.diff(points[order], prepend=-1))
    step = block_height(8 * len(points))
    for start in range(0, pattern.shape[0], step):
        entries = pattern.block(start, start + step)[:, order]
        ones, zeros = (np.logical_or.reduceat(entries == value, starts, axis=1) for value in (1, 0))
        divided: NDArray[np.bool_] = np.any(ones & zeros, axis=1)
        if not circular:  # beyond the ends of the line, all is zero
            ones = np.pad(ones, ((0, 0), (1, 0)))
            zeros = np.pad(zeros, ((0, 0), (1, 0)), constant_values=True)
        yield start, divided, _count_rises(ones, zeros)


def _count_rises(ones: NDArray[np.bool_], zeros: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Count the points of ones whose last specified point before, around the circle, is a zero."""
    ones, zeros = (np.concatenate([part, part], axis=1) for part in (ones, zeros))
    columns = np.arange(ones.shape[1])
    last_one, last_zero = (
        np.maximum.accumulate(np.where(part, columns, -1), axis=1)[:, :-1] for part in (ones, zeros)
    )
    rises = ones[:, 1:] & (last_zero > last_one)
    return np.asarray(rises[:, ones.shape[1] // 2 - 1 :].sum(axis=1))
