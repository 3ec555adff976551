"""The least dimension of each head of a model."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import reduce
from operator import or_

from samapprox.batch.report.interval import Interval
from samapprox.batch.report.selection import Selection
from samapprox.batch.results.outcome import Outcome
from samapprox.batch.results.question import Question
from samapprox.batch.results.store import Store
from samapprox.batch.results.trivial import trivial_upper_sql

__all__ = ["Cell", "HeadMap", "head_maps", "head_maps_of"]

_MOST_LINES = 256  # layers or heads of a map


@dataclass(frozen=True, slots=True)
class Cell:
    """The bounds for all patterns of one head.

    Attributes
    ----------
    bounds : Interval
        The greatest bounds among the head's patterns: bounds on the least dimension that
        represents each of them.
    count : int
        Number of patterns.
    """

    bounds: Interval
    count: int

    def __or__(self, other: Cell) -> Cell:
        """Return the bounds for the patterns of both cells."""
        return Cell(self.bounds | other.bounds, self.count + other.count)


@dataclass(frozen=True, slots=True)
class HeadMap:
    """The heads of a model, for one family of patterns.

    Attributes
    ----------
    family : str or None
    cells : dict of (int, int) to Cell
        By layer and head; heads without a result are missing.
    """

    family: str | None
    cells: dict[tuple[int, int], Cell]

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


def head_maps(
    store: Store, number: int, question: Question, selection: Selection, most: int
) -> list[HeadMap]:
    """Return a map for each family whose results have a layer and a head; at most `most` maps.

    Parameters
    ----------
    store : Store
    number : int
    question : Question
        About a dimension, with this number in the file.
    selection : Selection
    most : int

    Notes
    -----
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


def head_maps_of(outcomes: Iterable[Outcome]) -> list[HeadMap]:
    """Return a map for each family of some results, in the order of the families' names.

    Parameters
    ----------
    outcomes : iterable of Outcome
        Those without layer, head or bounds are left out.

    Examples
    --------
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
