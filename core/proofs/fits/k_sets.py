"""Rows that split columns in more ways than points allow, by the sizes of the splits."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from math import comb

import numpy as np
from numpy.typing import NDArray

from samapprox.pattern import UNSPECIFIED
from samapprox.proofs.base import Obstruction
from samapprox.proofs.members import Indices
from samapprox.proofs.questions import Fit
from samapprox.proofs.records import Record, Records
from samapprox.similarities import ATTENTION, Similarity
from samapprox.support.text import plural

__all__ = ["KSets", "Limit", "SplitColumns", "count_right", "limit_splits"]

_MOST_PARTS = 1 << 13
"""Each takes a tenth of a millisecond at least; honest proofs have some hundred."""


@dataclass(frozen=True, slots=True)
class SplitColumns(Record):
    """Columns, and rows that split them.

    Parameters
    ----------
    rows, columns : iterable of int
        The rows, and the columns that they split.
    """

    TITLE = "a part"
    MEMBERS = (Indices("rows"), Indices("columns"))

    rows: tuple[int, ...]
    columns: tuple[int, ...]

    def __init__(self, rows: Iterable[int], columns: Iterable[int]) -> None:
        self._fill(rows=rows, columns=columns)


@dataclass(frozen=True, slots=True)
class KSets(Obstruction):
    r"""Rows that split columns in more ways than points allow, by the sizes of the splits.

    In an embedding, a row that is right cuts its ones from its zeros, on any set of columns. Few
    splits of n points cut off a small number k of them (*k-sets*): two on a line, at most 3n/2
    pairs in the plane. So of the rows with other splits, many must be wrong. The parts share no
    row, or no entry if entries are counted, and their numbers of wrong rows add up.

    Parameters
    ----------
    parts : iterable of SplitColumns
        Rows and columns whose splits are counted, part by part.

    Examples
    --------
    >>> from samapprox import Pattern
    >>> fit = Fit(Pattern.from_text("1000\n0100\n0010\n0001"), 1, wrong=1)
    >>> print(*KSets([SplitColumns(range(4), range(4))]).explain(fit), sep="\n")
    In dimension 1, halfspaces split the keys in few ways, so rows must be wrong:
      4 rows on 4 columns: at most 2 are right, at least 2 wrong
    """

    KIND = "k-sets"
    TASK = "fit"
    SIMILARITIES = ("dot", "cosine", "l2")
    CLAIM = "NO: more rows or entries are wrong, as points have few splits of these sizes."
    caption = "the marked rows split the marked keys in too many ways"
    MEMBERS = (Records("parts", SplitColumns),)

    parts: tuple[SplitColumns, ...]

    def __init__(self, parts: Iterable[SplitColumns]) -> None:
        self._fill(parts=parts)

    @property
    def rows(self) -> tuple[int, ...]:
        """The rows of all parts, ascending."""
        return tuple(sorted({row for part in self.parts for row in part.rows}))

    @property
    def columns(self) -> tuple[int, ...]:
        """The columns of all parts, ascending."""
        return tuple(sorted({column for part in self.parts for column in part.columns}))

    @property
    def dimension(self) -> int:
        """0: the question states the dimension."""
        return 0

    @property
    def size(self) -> int:
        """The number of entries that the check reads."""
        return sum(len(part.rows) * len(part.columns) for part in self.parts)

    def entries_read(self) -> list[tuple[int, int]]:
        return sorted({(i, j) for part in self.parts for i in part.rows for j in part.columns})

    def find_fault(self, fit: Fit) -> str | None:
        """Return the reason why so few rows or entries may be wrong after all, or None."""
        if fault := _find_fault_of_parts(fit, self):
            return fault
        wrong = 0
        for part in self.parts:
            entries = fit.pattern.submatrix(part.rows, part.columns)
            if (entries == UNSPECIFIED).any():
                return "it reads a don't-care entry"
            wrong += len(part.rows) - count_right(entries, fit.d, fit.similarity)
        if wrong <= fit.wrong:
            return f"it shows that at least {wrong} {fit.unit} are wrong, not more than {fit.wrong}"
        return None

    def explain(self, problem: Fit) -> list[str]:
        lines = []
        for part in self.parts:
            rows, columns = len(part.rows), len(part.columns)
            entries = problem.pattern.submatrix(part.rows, part.columns)
            right = count_right(entries, problem.d, problem.similarity)
            lines.append(
                f"  {plural(rows, 'row')} on {plural(columns, 'column')}: at most {right} are "
                f"right, at least {rows - right} wrong"
            )
        return [
            f"In dimension {problem.d}, {problem.similarity.regions} split the keys in few ways, "
            "so rows must be wrong:",
            *lines,
        ]


def _find_fault_of_parts(fit: Fit, proof: KSets) -> str | None:
    """Check that the parts are few and share no row; no entry, if entries are counted."""
    if len(proof.parts) > _MOST_PARTS:
        return f"it has {len(proof.parts)} parts, more than {_MOST_PARTS}: too large to check"
    blocks = [np.zeros(0, dtype=np.int64)]
    for part in proof.parts:
        rows, columns = (np.array(lines, dtype=np.int64) for lines in (part.rows, part.columns))
        entries = np.add.outer(rows * fit.pattern.shape[1], columns).ravel()
        blocks.append(rows if fit.unit == "rows" else entries)
    items = np.sort(np.concatenate(blocks))  # much faster than np.unique for millions of entries
    if (items[1:] == items[:-1]).any():
        return f"its parts share {fit.unit}"
    return None


@dataclass(frozen=True, slots=True)
class Limit:
    """A limit on the number of splits whose smaller side has so many points.

    `low` and `high`: the least and the largest size of the smaller side. `most`: no point set has
    more such splits.
    """

    low: int
    high: int
    most: int


def limit_splits(
    n: int, d: int, sizes: Iterable[int], similarity: Similarity = ATTENTION, *, enough: int
) -> list[Limit]:
    """Return limits on the splits of n points in R^d into two nonempty sides.

    `sizes`: sizes of smaller sides, each from 1 to n / 2. The limits concern these. `similarity`:
    queries cut off halfspaces, caps of a sphere, or balls. `enough`: limits of at least this number
    are left out.

    The ranges of any two limits are disjoint, or one contains the other.

    docs/theory/ceilings.md has the proofs. Balls in R^d are halfspaces that cut a paraboloid in
    R^(d+1), and points on a circle or a parabola are in convex position.

    Reference: Cover (1965), "Geometrical and statistical properties of systems of linear
    inequalities with applications in pattern recognition"; Alon and Gyori (1986), "The number of
    small semispaces of a finite set of points in the plane"; Welzl (2001), "Entering and leaving
    j-facets".

    >>> limit_splits(46, 2, [2], enough=1000)
    [Limit(low=1, high=2, most=92), Limit(low=2, high=2, most=69)]
    """
    dimension = d + similarity.below
    limits = [Limit(1, n // 2, _count_all(n, dimension, enough))]
    for size in sizes:
        if dimension == 1:
            limits.append(Limit(size, size, 1 if 2 * size == n else 2))
        elif dimension == 2 and similarity.is_convex:
            limits.append(Limit(size, size, n // 2 if 2 * size == n else n))
        elif dimension == 2 and 2 * size < n:
            limits.append(Limit(1, size, size * n))
            if size == 2:
                limits.append(Limit(2, 2, 3 * n // 2))
        elif dimension == 3 and 2 * size <= n - 2:
            limits.append(Limit(1, size, _count_convex(n, size)))
            if size == 2:
                limits.append(Limit(2, 2, 3 * n - 6))
    return [limit for limit in limits if limit.most < enough]


def count_right(entries: NDArray[np.int8], d: int, similarity: Similarity = ATTENTION) -> int:
    """Count how many rows can be right at most, by the sizes of their splits of the columns.

    `entries` (shape (m, n)): zeros and ones.

    Rows that are equal or complementary are right together. The sets of splits that respect the
    limits are the independent sets of a laminar matroid, so to take the most frequent splits first
    is optimal.
    """
    rows, columns = entries.shape
    normal = entries ^ entries[:, :1] if columns else entries
    ones = normal.sum(axis=1, dtype=np.int64)
    smaller = np.minimum(ones, columns - ones).tolist()
    frequency = Counter(zip(smaller, map(bytes, normal), strict=True))
    sizes = sorted({size for size in smaller if size})
    limits = limit_splits(columns, d, sizes, similarity, enough=rows)
    low = np.array([limit.low for limit in limits], dtype=np.int64)
    high = np.array([limit.high for limit in limits], dtype=np.int64)
    room = np.array([limit.most for limit in limits], dtype=np.int64)
    right = 0
    for (size, _), count in frequency.most_common():
        inside = (low <= size) & (size <= high)
        if (room[inside] > 0).all():
            room[inside] -= 1
            right += count
    return right


def _count_all(n: int, d: int, enough: int) -> int:
    """Count the splits of n points in general position in R^d, as far as they are below a bound."""
    total = 0
    for size in range(1, min(d, n - 1) + 1):
        total += comb(n - 1, size)
        if total >= enough:
            break
    return total


def _count_convex(n: int, k: int) -> int:
    """Count the splits that cut off at most k of n points in convex position in R^3."""
    return n * k * (k + 1) - k * (k + 1) * (2 * k + 1) // 3 - k * (n - 2)
