"""Proofs of YES for the parts into which a pattern falls."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike, NDArray

from samapprox.errors import InputError
from samapprox.pattern import Pattern
from samapprox.problem import Problem
from samapprox.proofs.base import Nested, Record, Records, Witness
from samapprox.proofs.checker import check
from samapprox.proofs.embeddings.embedding import Embedding
from samapprox.proofs.exact import ExactArray, Matrix, require_writable
from samapprox.proofs.members import Whole
from samapprox.proofs.parts.gluing import Picture
from samapprox.proofs.parts.joining import glue_parts
from samapprox.storage.matrices import coordinates, is_among
from samapprox.support.text import plural


@dataclass(frozen=True, slots=True, eq=False)
class Copies(Record):
    """Equal parts of a pattern, and one proof for all of them.

    Parameters
    ----------
    proof : Witness
        For the part with its border: see `Components`.
    rows : array_like of int, shape (copies, r)
        The rows of each copy.
    columns : array_like of int, shape (copies, c)
        The columns of each copy; entry (i, j) of all copies is the same.

    Raises
    ------
    InputError
        Not integers, no line, or as many lists of rows as there are not of columns.
    """

    TITLE = "a part"
    MEMBERS = (
        Nested("proof"),
        Matrix("rows"),
        Matrix("columns"),
    )

    proof: Witness
    rows: ExactArray
    columns: ExactArray

    def __init__(self, proof: Witness, rows: ArrayLike, columns: ArrayLike) -> None:
        self._fill(proof, rows, columns)
        if len(self.rows) != len(self.columns) or not self.rows.size or not self.columns.size:
            raise InputError("a part needs rows and columns, as many lists of each")
        if min(self.rows.min(), self.columns.min()) < 0:
            raise InputError("rows and columns of a part must be numbers of at least 0")


@dataclass(frozen=True, slots=True, eq=False)
class Components(Witness):
    """A proof for each part of a pattern: YES in the largest of their dimensions.

    Each row lies in one part, and its ones in that part's columns. A column of several parts is
    a *cut column*; parts and cut columns form a forest, so that no two parts share more than one
    column and there is no way round. Each part is proven with a border, in this order:

    - a part without cut columns S gets one row and one column: [S, 0; 0, 1];
    - for each cut column c, in the order of its columns, any other part gets a column z, which is
      zero in all other rows, and then three rows, which hold c and z, c alone and z alone.

    Copies of a part have the same entries and the same border: where one has a cut column, all do.

    Parameters
    ----------
    columns : int
        The number of columns of the whole pattern; those in no part have no 1.
    parts : iterable of Copies
        Equal parts are listed together.

    References
    ----------
    docs/theory/components.md has the proof that the parts represent the whole.

    Examples
    --------
    >>> pair = Embedding([[1], [-1]], [[1], [-1]], [0, 0])
    >>> proof = Components(3, [Copies(pair, rows=[[0], [1], [2]], columns=[[0], [1], [2]])])
    >>> proof.dimension
    2
    """

    KIND = "components"
    TASK = "dimension"
    SIMILARITIES = ("dot",)
    CLAIM = (
        "YES: each row lies in one part, and its ones in that part's columns; parts and the "
        "columns that they share form a forest; the proofs hold for the parts with their borders."
    )
    MEMBERS = (Whole("columns"), Records("parts", Copies, least=1))

    columns: int
    parts: tuple[Copies, ...]

    def __init__(self, columns: int, parts: Iterable[Copies]) -> None:
        self._fill(columns, parts)
        if not self.parts:
            raise InputError("there must be parts")

    @property
    def dimension(self) -> int:
        """The largest of the proofs, at least 2, and 3 where three parts share a column."""
        _, counts = self._count_columns()
        own = max(part.proof.dimension for part in self.parts)
        return max(own, 3 if counts.max() > 2 else 2)

    @property
    def cut_columns(self) -> NDArray[np.int64]:
        """The columns that several parts share, ascending."""
        columns, counts = self._count_columns()
        return columns[counts > 1]

    def embedding(self, pattern: Pattern, /) -> Embedding:
        """Glue the parts' embeddings together in whole numbers.

        Parameters
        ----------
        pattern : Pattern
            One that it represents.

        Raises
        ------
        InputError
            It has more than 2^26 numbers, or they get too long.
        """
        rows = 1 + max(int(part.rows.max()) for part in self.parts)
        dimension = self.dimension
        require_writable((rows + self.columns) * dimension + rows)
        cuts = self.cut_columns
        pictures = []
        for part in self.parts:
            bordered = add_border(pattern, part.rows[0], part.columns[0], cuts)
            own = part.proof.embedding(bordered)
            pictures.append(Picture.of(own.queries, own.keys, own.thresholds))
        glued = glue_parts((rows, self.columns), dimension, pictures, self.parts, cuts)
        return Embedding(glued.normals, glued.points, glued.bounds)

    def find_fault(self, problem: Problem) -> str | None:
        """Return the reason why the parts are wrong or a part's proof fails, or None.

        O(ones log ones), and the check of each part's proof.
        """
        if fault := _find_fault_of_lines(problem.pattern, self):
            return fault
        cuts = self.cut_columns
        if fault := _find_fault_of_cuts(self, cuts):
            return fault
        if fault := _find_fault_of_entries(problem.pattern, self):
            return fault
        for number, part in enumerate(self.parts):
            try:
                bordered = add_border(problem.pattern, part.rows[0], part.columns[0], cuts)
            except InputError as error:
                return f"part {number}: {error}"
            if fault := check(Problem(bordered, problem.d), part.proof):
                return f"part {number}: {fault}"
        return None

    def explain(self, problem: Problem) -> list[str]:
        copies = sum(len(part.rows) for part in self.parts)
        largest = max(self.parts, key=lambda part: (part.rows.shape[1], part.columns.shape[1]))
        size = f"{largest.rows.shape[1]} x {largest.columns.shape[1]}"
        rows, columns = problem.pattern.shape
        cuts = len(self.cut_columns)
        sharing = f" that share {plural(cuts, 'column')}" * (cuts > 0)
        return [
            f"The {rows} x {columns} pattern falls into {plural(copies, 'part')} "
            f"({len(self.parts)} distinct){sharing}; the largest is {size}.",
            f"Each part, with its border, has an embedding in dimension at most {self.dimension}, "
            "and these embeddings can be glued together.",
        ]

    def _count_columns(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the columns of all parts, and how many parts have each."""
        every = np.concatenate([part.columns.reshape(-1) for part in self.parts])
        columns, counts = np.unique(every, return_counts=True)
        return columns, counts


def add_border(
    pattern: Pattern,
    rows: NDArray[np.int64],
    columns: NDArray[np.int64],
    cut_columns: NDArray[np.int64],
) -> Pattern:
    r"""Return a part of a pattern with the border that `Components` describes.

    `rows` and `columns`: the rows and columns of the part. `cut_columns`: all columns that several
    parts share.

    A part with a row without a 1 is refused.

    >>> pattern = Pattern.from_text("110\n011")
    >>> print(add_border(pattern, np.array([0]), np.array([0, 1]), np.array([1])).to_text())
    110
    011
    010
    001
    """
    part = pattern.take(rows, columns)
    height, width = part.shape
    cuts = np.flatnonzero(is_among(columns, cut_columns))
    extra = width + np.arange(max(1, len(cuts)))  # the columns z
    if len(cuts):
        border_rows = height + np.repeat(np.arange(3 * len(cuts)), np.tile([2, 1, 1], len(cuts)))
        border_columns = np.stack([cuts, extra, cuts, extra], axis=1).reshape(-1)
        shape = height + 3 * len(cuts), width + len(cuts)
    else:
        border_rows, border_columns, shape = np.array([height]), extra, (height + 1, width + 1)
    own_rows, own_columns = coordinates(part.ones)
    one_rows = np.concatenate([own_rows, border_rows])
    one_columns = np.concatenate([own_columns, border_columns])
    if part.unspecified is not None:
        ones = np.zeros(shape, dtype=np.bool_)
        ones[one_rows, one_columns] = True
        care = np.ones(shape, dtype=np.bool_)
        care[:height, :width] = ~part.unspecified.dense()
        return Pattern.from_array(ones, care)
    starts = np.searchsorted(one_rows, np.arange(shape[0] + 1))
    return Pattern.from_csr(starts, one_columns, None, shape)


def _find_fault_of_lines(pattern: Pattern, components: Components) -> str | None:
    """Check that the parts hold each row once, and no column twice in one copy."""
    rows, columns = pattern.shape
    if components.columns != columns:
        return f"it is about {components.columns} columns, the pattern has {columns}"
    for number, part in enumerate(components.parts):
        if part.rows.max() >= rows or part.columns.max() >= columns:
            return f"part {number} names a row or column outside the {rows} x {columns} pattern"
        ascending = np.sort(part.columns, axis=1)
        if (ascending[:, 1:] == ascending[:, :-1]).any():
            return f"part {number} names a column twice"
    every = np.concatenate([part.rows.reshape(-1) for part in components.parts])
    counts = np.bincount(every, minlength=rows)
    if (wrong := np.flatnonzero(counts != 1)).size:
        return f"row {wrong[0]} lies in {counts[wrong[0]]} parts"
    return None


def _find_fault_of_cuts(components: Components, cuts: NDArray[np.int64]) -> str | None:
    """Check that the cut columns of a part's copies correspond, without cycles through them.

    The border of the first copy is that of all copies, so each needs the same exits.
    """
    leader = list(range(len(cuts)))  # of the trees so far, by their columns
    for number, part in enumerate(components.parts):
        is_cut = is_among(part.columns, cuts)
        if (is_cut != is_cut[0]).any():
            return f"part {number}: its copies differ in the columns that they share with others"
        for columns in part.columns[:, is_cut[0]]:
            shared = np.searchsorted(cuts, columns).tolist()
            roots = [_find(leader, column) for column in shared]
            if len(set(roots)) < len(roots):
                return "the parts and the columns that they share do not form a forest"
            for root in roots[1:]:
                leader[root] = roots[0]
    return None


def _find(leader: list[int], node: int) -> int:
    """Return the root of a node's tree; the way there gets shorter for the next time."""
    while leader[node] != node:
        leader[node] = leader[leader[node]]
        node = leader[node]
    return node


def _find_fault_of_entries(pattern: Pattern, components: Components) -> str | None:
    """Name the first one outside the parts, or a copy that differs."""
    places = _Places(pattern, components)
    rows, columns = coordinates(pattern.ones)
    copies, positions = places.locate(rows, columns)
    if (outside := np.flatnonzero(positions < 0)).size:
        row, column = rows[outside[0]], columns[outside[0]]
        return (
            f"{pattern.row_label(row)} and {pattern.column_label(column)}: the entry is 1, but "
            "the column is in no part of the row"
        )
    order = np.lexsort((positions, copies))
    copies, positions = copies[order], positions[order]
    starts = np.searchsorted(copies, places.first_copy)
    for number, (part, (start, stop)) in enumerate(
        zip(components.parts, pairwise(starts.tolist()), strict=True)
    ):
        height = len(part.rows)
        counts = np.bincount(copies[start:stop] - places.first_copy[number], minlength=height)
        if (counts != counts[0]).any():
            return f"part {number}: its copies differ in their ones"
        entries = positions[start:stop].reshape(height, -1)
        if (entries != entries[0]).any():
            return f"part {number}: its copies differ in their ones"
        if pattern.unspecified is not None and height > 1:
            stars = [
                pattern.unspecified.entries(own_rows[:, None], own_columns[None])
                for own_rows, own_columns in zip(part.rows, part.columns, strict=True)
            ]
            if any((other != stars[0]).any() for other in stars[1:]):
                return f"part {number}: its copies differ in their don't-cares"
    return None


class _Places:
    """The place of each row, and of each column of a copy.

    `components`: with each row once. `first_copy`: copies are numbered through; where those of each
    part begin, and the end of the last.
    """

    def __init__(self, pattern: Pattern, components: Components) -> None:
        rows, self._columns = pattern.shape
        parts = components.parts
        self.first_copy = np.concatenate(([0], np.cumsum([len(part.rows) for part in parts])))
        self._copy_of = np.empty(rows, dtype=np.int64)
        self._row_at = np.empty(rows, dtype=np.int64)
        self._width = np.empty(rows, dtype=np.int64)
        keys, at = [], []
        for part, first in zip(parts, self.first_copy.tolist(), strict=False):
            copies = first + np.arange(len(part.rows))[:, None]
            self._copy_of[part.rows] = copies
            self._row_at[part.rows] = np.arange(part.rows.shape[1])
            self._width[part.rows] = part.columns.shape[1]
            keys.append((copies * self._columns + part.columns).reshape(-1))
            at.append(np.tile(np.arange(part.columns.shape[1]), len(part.rows)))
        every = np.concatenate(keys)
        order = np.argsort(every)
        self._keys, self._column_at = every[order], np.concatenate(at)[order]

    def locate(
        self, rows: NDArray[np.int64], columns: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the copy of each row, and the entry's number in it; -1 if it lacks the column."""
        copies = self._copy_of[rows]
        wanted = copies * self._columns + columns
        found = np.minimum(np.searchsorted(self._keys, wanted), len(self._keys) - 1)
        inside = self._keys[found] == wanted
        positions = self._row_at[rows] * self._width[rows] + self._column_at[found]
        return copies, np.where(inside, positions, -1)
