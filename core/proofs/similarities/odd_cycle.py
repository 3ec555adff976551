"""Pairs of keys whose order contradicts itself: refutations of circular and consecutive ones."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from samapprox.pattern import Pattern
from samapprox.problem import Problem
from samapprox.proofs.base import Submatrix
from samapprox.proofs.exact import ExactArray, Matrix
from samapprox.proofs.members import Choice, Indices
from samapprox.proofs.similarities.key_order import Curve
from samapprox.proofs.words import tabulate
from samapprox.support.arrays import Entries

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
    TASK = "dimension"
    SIMILARITIES = ("cosine", "l2")
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
        self._fill(curve, rows, columns, walk)

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
        order = "around a circle" if self.curve == "circle" else "along a line"
        return f"no order of the marked keys {order} keeps the ones of each marked row together"

    def entries_of_steps(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the core's row of each step, and its columns: the key that stays, then the others.

        Returns
        -------
        rows : ndarray of int64, shape (steps,)
            The row of each step, by its place in the core.
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

    def find_fault(self, problem: Problem) -> str | None:
        """Return the reason why the pairs need not all have the same order, or None.

        Reads up to four entries in each step.
        """
        if self.curve not in problem.similarity.curves:
            return f"an order on a {self.curve} is not what {problem} is about"
        if fault := _find_fault_of_numbers(self):
            return fault
        rows, columns = self.entries_of_steps()
        if (wrong := np.flatnonzero(columns[:, 0] < 0)).size:
            return f"step {wrong[0]} does not keep exactly one column of its pair"
        lines = np.array(self.rows, dtype=np.int64)[rows]
        names = np.array(self.columns, dtype=np.int64)
        stays, old, new = (_read(problem.pattern, lines, names[part]) for part in columns.T)
        outside = np.zeros_like(stays)
        if self.curve == "circle":
            outside = _read(problem.pattern, lines, np.broadcast_to(names[0], lines.shape))
        unspecified = (stays < 0) | (old < 0) | (new < 0) | (outside < 0)
        if (wrong := np.flatnonzero(unspecified)).size:
            return f"step {wrong[0]} reads a don't-care entry"
        holds = (stays == outside) & (old != outside) & (new != outside)
        if (wrong := np.flatnonzero(~holds)).size:
            row = problem.pattern.row_label(int(lines[wrong[0]]))
            return f"{row} does not justify step {wrong[0]}"
        return None

    def explain(self, problem: Problem) -> list[str]:
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


def _find_fault_of_numbers(proof: OddCycle) -> str | None:
    """Return the first step that names other things than two columns and a row, or None."""
    if proof.walk.shape[1] != 3 or not len(proof.walk):
        return f"each step must be two columns and a row, not {proof.walk.shape[1]} numbers"
    least = int(proof.curve == "circle")  # the first column is where the circle is cut
    for place, low, end in (
        (0, least, len(proof.columns)),
        (1, least, len(proof.columns)),
        (2, 0, len(proof.rows)),
    ):
        numbers = proof.walk[:, place]
        if (wrong := np.flatnonzero((numbers < low) | (numbers >= end))).size:
            what = "row" if place == 2 else "column"
            return f"step {wrong[0]} names a {what} of the core outside {low}..{end - 1}"
    if (wrong := np.flatnonzero(proof.walk[:, 0] == proof.walk[:, 1])).size:
        return f"step {wrong[0]} has the same column twice"
    return None


def _read(pattern: Pattern, rows: NDArray[np.int64], columns: NDArray[np.int64]) -> Entries:
    """Return entries as 1, 0, and -1 for a don't-care."""
    entries: Entries = pattern.ones.entries(rows, columns).astype(np.int8)
    if pattern.unspecified is not None:
        entries[pattern.unspecified.entries(rows, columns)] = -1
    return entries
