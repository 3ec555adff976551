"""Bounds as intervals, and the least dimension of each head of a model."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import reduce
from operator import or_

from samapprox.batch.report.selection import Selection
from samapprox.batch.results.outcome import Outcome
from samapprox.batch.results.question import Question
from samapprox.batch.results.store import Store
from samapprox.batch.results.trivial_bounds import trivial_upper_sql
from samapprox.problem import trivial_dimension
from samapprox.support.text import percent, plural


@dataclass(frozen=True, slots=True)
class Interval:
    """Proven bounds on a number.

    >>> str(Interval(2, 2)), str(Interval(1, 16, has_trivial_upper=True))
    ('2', '1..16')
    >>> str(Interval(2, 5) | Interval(3, 4)), str(Interval(0.6666, 0.6671))
    ('3..5', '0.666..0.668')
    """

    lower: float
    upper: float
    # the upper bound holds for every pattern of this size: nothing better is known
    has_trivial_upper: bool = False

    @classmethod
    def of_pattern(cls, lower: float, upper: float, shape: tuple[int, int]) -> Interval:
        """Return the bounds on the weak dimension of a pattern of a shape."""
        return cls(lower, upper, lower < upper and upper >= trivial_dimension(shape))

    @property
    def is_exact(self) -> bool:
        """Whether the bounds meet."""
        return self.lower == self.upper

    @property
    def has_trivial_lower(self) -> bool:
        """Whether the lower bound is 1 and the upper is not: nothing better is known."""
        return self.lower <= 1 and not self.is_exact

    def __or__(self, other: Interval) -> Interval:
        """Return the bounds on the dimension that represents the patterns of both intervals."""
        lower, upper = max(self.lower, other.lower), max(self.upper, other.upper)
        trivial = any(one.has_trivial_upper and one.upper == upper for one in (self, other))
        return Interval(lower, upper, lower < upper and trivial)

    def __str__(self) -> str:
        if self.is_exact:
            return str(self.lower) if isinstance(self.lower, int) else f"{self.lower:.3f}"
        return f"{_format(self.lower, math.floor)}..{_format(self.upper, math.ceil)}"

    def in_percent(self) -> str:
        """Write the bounds on a share in percent: rounded outwards unless they meet.

        >>> Interval(0.5625, 0.5625).in_percent(), Interval(1 / 3, 2 / 3).in_percent()
        ('56.2 %', '33.3..66.7 %')
        """
        if self.is_exact:
            return percent(self.lower)
        low, high = math.floor(round(1000 * self.lower, 6)), math.ceil(round(1000 * self.upper, 6))
        return f"{low / 10:.1f}..{high / 10:.1f} %"


def _format(value: float, rounding: Callable[[float], int]) -> str:
    """Format a whole number, or three digits of another one."""
    if isinstance(value, int):
        return str(value)
    return f"{rounding(round(1000 * value, 6)) / 1000:.3f}"


_MOST_LINES = 256  # layers or heads of a map


@dataclass(frozen=True, slots=True)
class Cell:
    """The bounds for all patterns of one head."""

    # the greatest bounds among the head's patterns: bounds on the least dimension that
    # represents each of them.
    bounds: Interval
    count: int  # number of patterns

    def __or__(self, other: Cell) -> Cell:
        """Return the bounds for the patterns of both cells."""
        return Cell(self.bounds | other.bounds, self.count + other.count)


@dataclass(frozen=True, slots=True)
class HeadMap:
    """The heads of a model, for one family of patterns."""

    family: str | None
    cells: dict[tuple[int, int], Cell]  # by layer and head; heads without a result are missing

    @property
    def layers(self) -> list[int]:
        """The layers with results, in order."""
        return sorted({layer for layer, _ in self.cells})

    @property
    def heads(self) -> list[int]:
        """The heads with results, in order."""
        return sorted({head for _, head in self.cells})

    @property
    def bounds(self) -> Interval:
        """The bounds on the least dimension that represents every pattern of the map."""
        return reduce(or_, (cell.bounds for cell in self.cells.values()))

    @property
    def patterns(self) -> int:
        """The number of patterns of all heads."""
        return sum(cell.count for cell in self.cells.values())

    def claim(self, every: str = "every head", left_out: str = "", size: int | None = None) -> str:
        """State what the bounds of the map prove, and the size that the model gives its heads.

        >>> HeadMap("top1", {(0, 0): Cell(Interval(2, 2), 1)}).claim()
        'For this text and rule, every head fits into d = 2, by some embedding.'
        """
        lower, upper = self.bounds.lower, self.bounds.upper
        several = any(cell.count > 1 for cell in self.cells.values())
        words = f"For {'these texts and this' if several else 'this text and'} rule, {every} fits "
        words += f"into d = {upper}{left_out}, by some embedding"
        words += f", and some head needs at least {lower}" if 1 < lower < upper else ""
        if size is not None:
            words += f"; the model gives its heads {plural(size, 'dimension')}"
        return f"{words}."


def head_maps(
    store: Store, number: int, question: Question, selection: Selection, most: int
) -> list[HeadMap]:
    """Return a map for each family whose results have a layer and a head; at most `most` maps.

    One pass over the table. Layers and heads beyond 255 are left out.
    """
    where, values = selection.sql(number)
    rows = store.connection.execute(
        "SELECT family, layer, head, max(lower), max(upper), "
        f"max(CASE WHEN {trivial_upper_sql(question)} THEN upper END), count(*) FROM result "
        f"WHERE {where} AND layer < {_MOST_LINES} AND head < {_MOST_LINES} "
        "AND layer >= 0 AND head >= 0 AND lower IS NOT NULL AND upper IS NOT NULL "
        "GROUP BY family, layer, head ORDER BY family, layer, head",
        values,
    )
    maps: dict[str | None, HeadMap] = {}
    for family, layer, head, lower, upper, trivial, count in rows:
        if family not in maps and len(maps) == most:
            break
        bounds = Interval(lower, upper, lower < upper and trivial == upper)
        _enter(maps, family, (layer, head), Cell(bounds, count))
    return list(maps.values())


def unanswered_heads(store: Store, number: int, selection: Selection) -> dict[str | None, int]:
    """Count the results with a layer and a head that have no bounds, by family."""
    where, values = selection.sql(number)
    rows = store.connection.execute(
        f"SELECT family, count(*) FROM result WHERE {where} AND layer IS NOT NULL "
        "AND head IS NOT NULL AND (lower IS NULL OR upper IS NULL) GROUP BY family",
        values,
    )
    return dict(rows.fetchall())


def head_maps_of(outcomes: Iterable[Outcome]) -> list[HeadMap]:
    """Return a map for each family of some results, in the order of the families' names.

    Results without layer, head or bounds are left out.

    >>> some = [Outcome(f"t{d}", "", "top1", 0, 3, lower=d, upper=d) for d in (2, 4)]
    >>> [found] = head_maps_of(some)
    >>> found.family, {place: str(cell.bounds) for place, cell in found.cells.items()}
    ('top1', {(0, 3): '4'})
    """
    maps: dict[str | None, HeadMap] = {}
    for one in outcomes:
        if one.layer is None or one.head is None or one.lower is None or one.upper is None:
            continue
        if one.rows is None or one.columns is None:
            bounds = Interval(one.lower, one.upper)
        else:
            bounds = Interval.of_pattern(one.lower, one.upper, (one.rows, one.columns))
        _enter(maps, one.family, (one.layer, one.head), Cell(bounds, 1))
    return [maps[family] for family in sorted(maps, key=lambda family: family or "")]


def _enter(
    maps: dict[str | None, HeadMap], family: str | None, place: tuple[int, int], cell: Cell
) -> None:
    """Enter the bounds for some more patterns of a head."""
    cells = maps.setdefault(family, HeadMap(family, {})).cells
    cells[place] = cells[place] | cell if place in cells else cell
