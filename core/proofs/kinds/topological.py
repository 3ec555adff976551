"""Sign patterns on d + 2 elements that pair up along their faces: a topological refutation."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from samapprox.problem import Problem
from samapprox.proofs.base import Side, Submatrix
from samapprox.proofs.exact import ExactArray
from samapprox.proofs.members import Choice, Indices, Matrix, Whole
from samapprox.proofs.words import tabulate
from samapprox.support.plural import plural

__all__ = ["Topological"]


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
        self._fill(d=d, rows=rows, columns=columns, elements=elements, members=members)

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
        """The caption of a picture of the core: half a line on the marked rows and columns."""
        elements = "keys" if self.elements == "columns" else "queries"
        return f"the marked entries always contain a circuit of the marked {elements}"

    def places(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the row and the column of each member's entries; row -1 is the row of +.

        Returns
        -------
        rows, columns : ndarray of int64, shape (members, d + 2)

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
        """Return the entries that the argument reads, as (row, column)."""
        rows, columns = (part.ravel().tolist() for part in self.places())
        return sorted({(i, j) for i, j in zip(rows, columns, strict=True) if i >= 0})

    def explain(self, problem: Problem) -> list[str]:
        """Explain the proof in lines of text."""
        by_columns = self.elements == "columns"
        elements, covectors = ("keys", "queries") if by_columns else ("queries", "keys")
        size, count = self.d + 2, plural(len(self.members), "sign pattern")
        extra = "" if by_columns else " (an extra one, positive on all keys, included)"
        return [
            f"Any {size} {elements}{extra} in general position have one sign pattern, their "
            f"circuit, that none of the {covectors} can have. These {covectors} have {count} on "
            f"{size} {elements} each, which pair up along their faces. While the {elements} move, "
            "the number of circuits among them stays even or stays odd. On the moment curve it is "
            "odd, so it is never 0:",
            *tabulate(problem.pattern, self.rows, self.columns),
        ]
