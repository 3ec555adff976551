"""Pairs of keys whose order contradicts itself: refutations of circular and consecutive ones."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from samapprox.problem import Problem
from samapprox.proofs.base import Submatrix
from samapprox.proofs.exact import ExactArray
from samapprox.proofs.kinds.similarities.key_order import Curve
from samapprox.proofs.members import Choice, Indices, Matrix
from samapprox.proofs.words import tabulate

__all__ = ["OddCycle"]

_MOST_SHOWN = 12


@dataclass(frozen=True, slots=True, eq=False)
class OddCycle(Submatrix):
    """A walk from a pair of keys to the same pair in the opposite order.

    Suppose that the ones of each row are an interval of a line. If a row holds keys a and a' but
    not b, then a and a' lie on the same side of b: a is before b if and only if a' is. Each step of
    the walk replaces one key of a pair in this way, so all of its pairs have the same order. But
    the last step leads to the first pair, reversed. In McConnell's incompatibility graph, in which
    (a, b) is adjacent to (b, a) and to (b, a'), the walk is an odd cycle. For arcs of a circle, cut
    the circle at a key, and complement the rows that hold it: the others become intervals.

    Parameters
    ----------
    curve : {"circle", "line"}
        NO for cosine similarity in d = 2 and below, or for Euclidean distance in d = 1.
    rows, columns : iterable of int
        The core. On the circle, the first column is the key at which it is cut.
    walk : array_like of int, shape (steps, 3)
        Two columns of the core, which differ, and the row of the core that leads to the next pair;
        the last row leads to the first pair, reversed.

    References
    ----------
    McConnell (2004), "A certifying algorithm for the consecutive-ones property", SODA; Tucker
    (1971), "Matrix characterizations of circular-arc graphs", Pacific J. Math. 39.

    Examples
    --------
    >>> walk = [[0, 1, 1], [2, 1, 2], [2, 0, 0]]
    >>> OddCycle("line", range(3), range(3), walk).dimension  # rows 011, 101, 110
    1
    """

    KIND = "odd-cycle"
    CLAIM = (
        "NO for cosine similarity in d = 2 (circle) or Euclidean distance in d = 1 (line): pairs "
        "of keys that must all have the same order, from one pair to its reverse."
    )
    MEMBERS = (
        Choice("curve", ("circle", "line")),
        Indices("rows"),
        Indices("columns"),
        Matrix("walk"),
    )

    curve: Curve
    rows: tuple[int, ...]
    columns: tuple[int, ...]
    walk: ExactArray

    def __init__(
        self, curve: str, rows: Iterable[int], columns: Iterable[int], walk: ArrayLike
    ) -> None:
        self._fill(curve=curve, rows=rows, columns=columns, walk=walk)

    @property
    def dimension(self) -> int:
        """The dimension that it excludes."""
        return 2 if self.curve == "circle" else 1

    @property
    def size(self) -> int:
        """The number of entries that the argument reads: up to four in each step."""
        return 4 * len(self.walk)

    @property
    def caption(self) -> str:
        """The caption of a picture of the core: half a line on the marked rows and columns."""
        order = "around a circle" if self.curve == "circle" else "along a line"
        return f"no order of the marked keys {order} keeps the ones of each marked row together"

    def entries_of_steps(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the core's row of each step, and its columns: the key that stays, then the others.

        Returns
        -------
        rows : ndarray of int64, shape (steps,)
        columns : ndarray of int64, shape (steps, 3)
            The key that stays, the key that is replaced, and its replacement. If both change, the
            first number is -1.

        Examples
        --------
        >>> walk = [[0, 1, 1], [2, 1, 2], [2, 0, 0]]
        >>> OddCycle("line", range(3), range(3), walk).entries_of_steps()[1].tolist()
        [[1, 0, 2], [2, 1, 0], [0, 2, 1]]
        """
        pairs = self.walk[:, :2].astype(np.int64)
        following = np.vstack([pairs[1:], pairs[:1, ::-1]])
        left_changes, right_changes = (pairs != following).T
        stays = np.where(left_changes, pairs[:, 1], pairs[:, 0])
        stays[left_changes == right_changes] = -1
        old = np.where(left_changes, pairs[:, 0], pairs[:, 1])
        new = np.where(left_changes, following[:, 0], following[:, 1])
        return self.walk[:, 2].astype(np.int64), np.column_stack([stays, old, new])

    def entries_read(self) -> list[tuple[int, int]]:
        """Return the entries that the argument reads, as (row, column)."""
        rows, columns = self.entries_of_steps()
        if self.curve == "circle":
            columns = np.column_stack([columns, np.zeros(len(columns), dtype=np.int64)])
        numbers = np.array(self.rows)[rows], np.array(self.columns)[columns]
        return sorted(
            {
                (i, j)
                for i, line in zip(*(part.tolist() for part in numbers), strict=True)
                for j in line
            }
        )

    def explain(self, problem: Problem) -> list[str]:
        """Explain the proof in lines of text."""
        pattern = problem.pattern
        rows, columns = self.entries_of_steps()
        first, last = (self._name(problem, int(column)) for column in self.walk[0, :2])
        if self.curve == "circle":
            why = (
                "On a circle, the ones of each row are an arc. Cut the circle at "
                f"{self._name(problem, 0)}, and complement the rows that hold it: each row is an "
                "interval then, and keys inside an interval lie on the same side of a key outside:"
            )
        else:
            why = (
                "On a line, the ones of each row are an interval, and keys inside an interval lie "
                "on the same side of a key outside:"
            )
        steps = [
            f"  {pattern.row_label(self.rows[row])}: {self._name(problem, old)} and "
            f"{self._name(problem, new)} lie on the same side of {self._name(problem, stays)}"
            for row, (stays, old, new) in zip(
                rows[:_MOST_SHOWN].tolist(), columns[:_MOST_SHOWN].tolist(), strict=True
            )
        ]
        if len(rows) > _MOST_SHOWN:
            steps.append(f"  .. and {len(rows) - _MOST_SHOWN} more steps")
        return [
            why,
            *steps,
            f"Together, {first} lies before {last} if and only if {last} lies before {first}. "
            "Contradiction.",
            *tabulate(pattern, self.rows, self.columns),
        ]

    def _name(self, problem: Problem, column: int) -> str:
        return problem.pattern.column_label(self.columns[column])
