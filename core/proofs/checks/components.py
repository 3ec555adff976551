"""The check of proofs for the parts of a pattern."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from samapprox.errors import InputError
from samapprox.pattern import Pattern
from samapprox.problem import Problem
from samapprox.proofs.checks import check
from samapprox.proofs.kinds.components import Components, add_border
from samapprox.storage.coordinates import coordinates, is_among

__all__ = ["find_fault"]


def find_fault(problem: Problem, components: Components) -> str | None:
    r"""Return the reason why the parts are wrong or a part's proof fails, or None.

    Parameters
    ----------
    problem : Problem
    components : Components

    Notes
    -----
    O(ones log ones), and the check of each part's proof.

    Examples
    --------
    >>> from samapprox import Embedding, Pattern
    >>> from samapprox.proofs.kinds.components import Copies
    >>> pair = Embedding([[1], [-1]], [[1], [-1]], [0, 0])
    >>> proof = Components(3, [Copies(pair, rows=[[0], [1], [2]], columns=[[0], [1], [2]])])
    >>> find_fault(Problem(Pattern.from_text("100\n010\n001"), 2), proof) is None
    True
    >>> find_fault(Problem(Pattern.from_text("100\n010\n011"), 2), proof)
    'row 2 and column 1: the entry is 1, but the column is in no part of the row'
    """
    if problem.coupled:
        return f"with {problem}, queries and keys share X: X, W_Q and W_K are needed"
    if fault := _find_fault_of_lines(problem.pattern, components):
        return fault
    if components.dimension > problem.d:
        return f"its parts need dimension {components.dimension}, more than d = {problem.d}"
    cuts = components.cut_columns
    if fault := _find_fault_of_cuts(components, cuts):
        return fault
    if fault := _find_fault_of_entries(problem.pattern, components):
        return fault
    for number, part in enumerate(components.parts):
        try:
            bordered = add_border(problem.pattern, part.rows[0], part.columns[0], cuts)
        except InputError as error:
            return f"part {number}: {error}"
        if fault := check(Problem(bordered, problem.d), part.proof):
            return f"part {number}: {fault}"
    return None


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

    Parameters
    ----------
    pattern : Pattern
    components : Components
        With each row once.

    Attributes
    ----------
    first_copy : ndarray of int64
        Copies are numbered through; where those of each part begin, and the end of the last.
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
