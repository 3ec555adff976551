"""Least dimensions by layer and head."""

from __future__ import annotations

from dataclasses import dataclass

from samapprox.batch.report.selection import Selection
from samapprox.batch.results.store import Store

__all__ = ["Cell", "HeadMap", "head_maps"]

_MOST_LINES = 256  # layers or heads of a map


@dataclass(frozen=True, slots=True)
class Cell:
    """The bounds proven for the patterns of one head.

    Attributes
    ----------
    lower, upper : int
        The greatest bounds among its patterns: the dimension that shows each of them.
    count : int
        Number of patterns.
    """

    lower: int
    upper: int
    count: int

    def __str__(self) -> str:
        return str(self.lower) if self.lower == self.upper else f"{self.lower}..{self.upper}"


@dataclass(frozen=True, slots=True)
class HeadMap:
    """The heads of a model, for one family of patterns.

    Attributes
    ----------
    family : str or None
    cells : dict of (int, int) to Cell
        By layer and head; those without a result are missing.
    """

    family: str | None
    cells: dict[tuple[int, int], Cell]

    @property
    def layers(self) -> list[int]:
        """Those with results, in order."""
        return sorted({layer for layer, _ in self.cells})

    @property
    def heads(self) -> list[int]:
        """Those with results, in order."""
        return sorted({head for _, head in self.cells})


def head_maps(store: Store, question: int, selection: Selection, most: int) -> list[HeadMap]:
    """A map for each family whose names carry layer and head, in order; at most so many.

    Notes
    -----
    One pass over the table. Layers and heads beyond 255 are left out.
    """
    where, values = selection.sql(question)
    maps: dict[str | None, HeadMap] = {}
    for family, layer, head, lower, upper, count in store.connection.execute(
        "SELECT family, layer, head, max(lower), max(upper), count(*) FROM result "
        f"WHERE {where} AND layer < {_MOST_LINES} AND head < {_MOST_LINES} "
        "AND layer >= 0 AND head >= 0 AND lower IS NOT NULL AND upper IS NOT NULL "
        "GROUP BY family, layer, head ORDER BY family, layer, head",
        values,
    ):
        if family not in maps and len(maps) == most:
            break
        own = maps.setdefault(family, HeadMap(family, {}))
        own.cells[layer, head] = Cell(lower, upper, count)
    return list(maps.values())
