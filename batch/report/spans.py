"""Intervals of single results: shares of rows that are right, numbers of wrong entries, margins."""

from __future__ import annotations

from dataclasses import dataclass

from samapprox.batch.report.interval import Interval
from samapprox.batch.report.selection import Selection
from samapprox.batch.results.question import Question
from samapprox.batch.results.store import Store

__all__ = ["Spans", "spans"]

_SHOWN = 150  # no screen shows more


@dataclass(frozen=True, slots=True)
class _Quantity:
    """A number with bounds, in SQL on the table ``result``."""

    title: str
    lower: str
    upper: str
    total: str
    total_lower: str
    total_upper: str
    end: float | None = None
    is_share: bool = False


_QUANTITIES = {
    "rows": _Quantity(
        "share of rows right",
        "1.0 - 1.0 * upper / rows",
        "1.0 - 1.0 * lower / rows",
        "of all rows can be right",
        "1.0 - 1.0 * sum(upper) / sum(rows)",
        "1.0 - 1.0 * sum(lower) / sum(rows)",
        end=1.0,
        is_share=True,
    ),
    "entries": _Quantity(
        "wrong entries", "lower", "upper", "wrong entries in total", "sum(lower)", "sum(upper)"
    ),
    "margin": _Quantity(
        "margin", "lower", "upper", "least margin", "min(lower)", "min(upper)", end=1.0
    ),
}


@dataclass(frozen=True, slots=True)
class Spans:
    """The proven intervals of some results, and what they add up to.

    Attributes
    ----------
    title : str
        What the intervals are about.
    ends : tuple of (float, float)
        Lower and upper ends in ascending order: of all results, or of a sample.
    end : float or None
        The greatest possible value, if there is one.
    total : str
        What the bounds of all results together are about.
    total_ends : tuple of (float, float)
    is_share : bool
        Whether the numbers are shares, whose total is printed in percent.
    """

    title: str
    ends: tuple[tuple[float, float], ...]
    end: float | None
    total: str
    total_ends: tuple[float, float]
    is_share: bool = False

    @property
    def total_in_words(self) -> str:
        """The bounds of all results together.

        Examples
        --------
        >>> Spans("share", ((0.5, 0.5),), 1.0, "can be right", (0.5, 0.5), True).total_in_words
        '50.0 %'
        """
        interval = Interval(*self.total_ends)
        return interval.in_percent() if self.is_share else str(interval)


def spans(store: Store, number: int, question: Question, selection: Selection) -> Spans | None:
    """Return the intervals of the results for a question; None if dimensions or ranks are asked.

    Notes
    -----
    Two passes over the table, one of them with a sort.
    """
    quantity = _QUANTITIES.get(question.unit or question.task)
    if quantity is None:
        return None
    where, values = selection.sql(number)
    where += " AND lower IS NOT NULL AND upper IS NOT NULL"
    run = store.connection.execute
    ends = run(
        "SELECT low, high FROM (SELECT low, high, row_number() OVER (ORDER BY low, high) AS place, "
        f"count(*) OVER () AS size FROM (SELECT {quantity.lower} AS low, {quantity.upper} AS high "
        f"FROM result WHERE {where})) "
        f"WHERE place % max(1, size / {_SHOWN}) = 0 OR place = size ORDER BY place",
        values,
    ).fetchall()
    if not ends:
        return None
    total = run(
        f"SELECT {quantity.total_lower}, {quantity.total_upper} FROM result WHERE {where}", values
    ).fetchone()
    return Spans(
        quantity.title,
        tuple(ends),
        quantity.end,
        quantity.total,
        tuple(total),
        quantity.is_share,
    )
