"""Sign patterns on d + 2 elements that pair up along their faces: a topological refutation."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from samapprox.pattern import Pattern
from samapprox.problem import Problem
from samapprox.proofs.base import Side, Submatrix
from samapprox.proofs.exact import ExactArray, Matrix
from samapprox.proofs.members import Choice, Indices, Whole
from samapprox.proofs.words import tabulate
from samapprox.support.arrays import Signs
from samapprox.support.text import plural

_MOST_NUMBERS = 1 << 26
"""Elements, over all faces of all members, of the largest proof that is read: some ten seconds."""


Signed = NDArray[np.int32]
"""Sign patterns up to a flip, one a row: 2e + 1 where element e has the sign of the first, or 2e"""


@dataclass(frozen=True, slots=True, eq=False)
class Topological(Submatrix):
    """A cycle of sign patterns that contains the circuits of any vectors an odd number of times.

    Queries and keys of dimension d are vectors in R^(d+1), the queries with an extra one that is
    positive on all keys. Say that the elements are the keys (or the queries and that one), and that
    the covectors are the signs of the other side on them. A member is the signs of a covector on
    d + 2 elements, up to a global flip. Its d + 2 faces are its restrictions to d + 1 of them, up
    to a flip as well. Every face lies in evenly many members, and oddly many members alternate.
    Then some member is the circuit of its elements, wherever these lie. But a covector never has
    the signs of a circuit.

    Parameters
    ----------
    d : int
        The dimension that it excludes, and with it every smaller one.
    rows, columns : iterable of int
        The core; their order numbers the covectors and elements.
    elements : {"columns", "rows"}
        Whether the keys are the elements, or the queries and the extra one.
    members : array_like of int, shape (members, d + 3)
        A covector, then d + 2 ascending elements. Where columns are the elements, covector 0 is
        the row of + and covector i the i-th row of the core, counted from 1. Where rows are, the
        same holds for elements, and covectors are counted from 0.

    Notes
    -----
    The parity of the alternating members depends neither on the order of the elements nor on the
    elements that are negated: docs/theory/topological.md.

    References
    ----------
    Frick, Hosseini, Vasileuski (2026), arXiv 2604.01510, for the bound by the Z2-index.

    Examples
    --------
    >>> triangle = [[1, 0, 1, 2], [2, 0, 1, 2], [3, 0, 1, 2], [0, 0, 1, 2]]
    >>> Topological(1, range(3), range(3), "columns", triangle).dimension
    1
    """

    KIND = "topological"
    TASK = "dimension"
    SIMILARITIES = ("dot",)
    CLAIM = (
        "NO: sign patterns of covectors on d + 2 elements, up to a flip; every face of d + 1 "
        "elements lies in evenly many, and oddly many alternate."
    )
    MEMBERS = (
        Whole("d"),
        Indices("rows"),
        Indices("columns"),
        Choice("elements", ("rows", "columns")),
        Matrix("members"),
    )

    d: int
    rows: tuple[int, ...]
    columns: tuple[int, ...]
    elements: Side
    members: ExactArray

    def __init__(
        self,
        d: int,
        rows: Iterable[int],
        columns: Iterable[int],
        elements: Side,
        members: ArrayLike,
    ) -> None:
        self._fill(d, rows, columns, elements, members)

    @property
    def dimension(self) -> int:
        """The dimension d that it excludes."""
        return self.d

    @property
    def size(self) -> int:
        """The number of entries that the argument reads, each once for each member."""
        return int(self.members[:, 1:].size)

    @property
    def caption(self) -> str:
        elements = "keys" if self.elements == "columns" else "queries"
        return f"the marked entries always contain a circuit of the marked {elements}"

    def places(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the row and the column of each member's entries; row -1 is the row of +.

        Returns
        -------
        rows, columns : ndarray of int64, shape (members, d + 2)
            The numbers of the pattern's rows and columns.

        Examples
        --------
        >>> rows, columns = Topological(1, [5], [7, 8, 9], "columns", [[1, 0, 1, 2]]).places()
        >>> rows.tolist(), columns.tolist()
        ([[5, 5, 5]], [[7, 8, 9]])
        """
        rows = np.array([-1, *self.rows], dtype=np.int64)
        columns = np.array(self.columns, dtype=np.int64)
        covectors, elements = self.members[:, :1], self.members[:, 1:]
        if self.elements == "columns":
            return np.broadcast_to(rows[covectors], elements.shape), columns[elements]
        return rows[elements], np.broadcast_to(columns[covectors], elements.shape)

    def entries_read(self) -> list[tuple[int, int]]:
        rows, columns = (part.ravel().tolist() for part in self.places())
        return sorted({(i, j) for i, j in zip(rows, columns, strict=True) if i >= 0})

    def find_fault(self, problem: Problem) -> str | None:
        """Return the reason why the members need not contain a circuit, or None.

        O(members (d + 2)^2) numbers are sorted.
        """
        count, width = self.members.shape
        size = self.d + 2
        if width != 1 + size:
            return f"each member must be a covector and {size} elements, not {width} numbers"
        if count * size * (size - 1) > _MOST_NUMBERS:
            return f"it is too large to check: {count} members with {size} faces each"
        if (fault := _find_fault_of_names(self)) is not None:
            return fault
        signs = _read_signs(problem.pattern, self)
        if (unspecified := np.argwhere(signs == 0)).size:
            member, place = unspecified[0].tolist()
            row, column = (int(part[member, place]) for part in self.places())
            return f"member {member} reads the don't-care entry at row {row} and column {column}"
        elements = self.members[:, 1:].astype(np.int32)
        order, starts = _group(_signed(elements, signs))
        if len(starts) < count:
            first, second = _repeated(order, starts)
            return f"member {second} repeats member {first}"
        faces = np.concatenate(
            [_signed(np.delete(elements, x, 1), np.delete(signs, x, 1)) for x in range(size)]
        )
        order, starts = _group(faces)
        times = np.diff(starts, append=len(faces))
        if (odd := np.flatnonzero(times % 2)).size:
            shared = int(times[odd[0]])
            members = "member" if shared == 1 else "members"
            face = _write(faces[order[starts[odd[0]]]])
            return f"the face {face} lies in {shared} {members}, an odd number"
        alternating = int((signs[:, 1:] != signs[:, :-1]).all(axis=1).sum())
        if alternating % 2 == 0:
            return f"{alternating} of the members alternate, an even number"
        return None

    def explain(self, problem: Problem) -> list[str]:
        by_columns = self.elements == "columns"
        elements, covectors = ("keys", "queries") if by_columns else ("queries", "keys")
        size, count = self.d + 2, plural(len(self.members), "sign pattern")
        extra = "" if by_columns else " (an extra one, positive on all keys, included)"
        return [
            f"Any {size} {elements}{extra} in general position have one sign pattern, their "
            f"circuit (two parts whose hulls meet), that none of the {covectors} can have. "
            f"These {covectors} have {count} on "
            f"{size} {elements} each, which pair up along their faces. While the {elements} move, "
            "the number of circuits among them stays even or stays odd. On the moment curve "
            "(points t, t^2, ..) it is odd, so it is never 0:",
            *tabulate(problem.pattern, self.rows, self.columns),
        ]


def _find_fault_of_names(proof: Topological) -> str | None:
    """Return the first member that names covectors or elements that are not there, or None."""
    rows, columns = 1 + len(proof.rows), len(proof.columns)
    by_columns = proof.elements == "columns"
    covectors, elements = (rows, columns) if by_columns else (columns, rows)
    members = proof.members
    outside = (members < 0) | (members >= np.array([covectors] + [elements] * (proof.d + 2)))
    if outside.any():
        member, place = np.argwhere(outside)[0].tolist()
        what, most = ("an element", elements) if place else ("a covector", covectors)
        return f"member {member} names {what} beyond 0..{most - 1}"
    repeated = (members[:, 2:] <= members[:, 1:-1]).any(axis=1)
    if repeated.any():
        return f"the elements of member {int(repeated.argmax())} do not ascend"
    return None


def _read_signs(pattern: Pattern, proof: Topological) -> Signs:
    """Return the signs of each member's covector on its elements, 0 for a don't-care."""
    rows, columns = proof.places()
    extra = rows < 0
    rows = np.where(extra, 0, rows)
    signs = np.where(extra | pattern.ones.entries(rows, columns), 1, -1).astype(np.int8)
    if pattern.unspecified is not None:
        signs[~extra & pattern.unspecified.entries(rows, columns)] = 0
    return signs


def _signed(elements: NDArray[np.int32], signs: Signs) -> Signed:
    """Return sign patterns with the same code if they are equal up to a flip."""
    return np.asarray(2 * elements + (signs == signs[:, :1]), dtype=np.int32)


def _group(patterns: Signed) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Sort the patterns, and return their order and where in it each different one begins."""
    order = np.lexsort(patterns.T[::-1])
    ascending = patterns[order]
    fresh = np.ones(len(patterns), dtype=np.bool_)
    fresh[1:] = (ascending[1:] != ascending[:-1]).any(axis=1)
    return order, np.flatnonzero(fresh)


def _repeated(order: NDArray[np.int64], starts: NDArray[np.int64]) -> tuple[int, int]:
    """Return the first two equal patterns of the first pattern that occurs twice."""
    times = np.diff(starts, append=len(order))
    start = int(starts[np.flatnonzero(times > 1)[0]])
    return int(order[start]), int(order[start + 1])  # the sort keeps the order of equal ones


def _write(face: Signed) -> str:
    """Write a sign pattern with its elements, the first one as +."""
    return " ".join(f"{'+' if code % 2 else '-'}{code // 2}" for code in face.tolist())
