"""Summaries of a result file, computed by SQL: counts, families, times, bounds, intervals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from samapprox.batch.report.heads import Interval
from samapprox.batch.report.selection import DECIDED_SQL, Selection
from samapprox.batch.results.question import Question
from samapprox.batch.results.store import Store
from samapprox.batch.results.trivial_bounds import trivial_upper_sql

_POINTS = 150  # points of a chart; no screen shows more


@dataclass(frozen=True, slots=True)
class Totals:
    """Counts over all selected results of a question."""

    results: int
    verdicts: dict[str, int]
    seconds: float  # the sum over all results, and the maximum
    slowest: float
    memory: int | None  # the highest peak, in bytes
    families: int
    hosts: int  # the number of machines, and the first by name
    host: str


@dataclass(frozen=True, slots=True)
class Family:
    """Counts over the results of one family; results without a family have the name None."""

    name: str | None
    results: int
    verdicts: dict[str, int]
    lower: float | None  # the least lower and the greatest upper bound
    upper: float | None
    median: float  # seconds
    slowest: float


@dataclass(frozen=True, slots=True)
class Cactus:
    """A cactus curve: the number of instances that are decided within a given time each."""

    name: str
    # number of decided instances, and seconds of the slowest of them; a sample that ends
    # with the slowest instance.
    points: tuple[tuple[int, float], ...]


def totals(store: Store, question: int, selection: Selection) -> Totals:
    """Count a question's results.

    One pass over the table. The other functions of this module take one or a few passes, too,
    some with a sort.
    """
    where, values = selection.sql(question)
    verdicts: dict[str, int] = {}
    seconds, slowest, memory = 0.0, 0.0, 0
    for verdict, count, some, longest, most in store.connection.execute(
        "SELECT verdict, count(*), total(seconds), max(seconds), max(memory) FROM result "
        f"WHERE {where} GROUP BY verdict",
        values,
    ):
        verdicts[verdict] = count
        seconds, slowest, memory = seconds + some, max(slowest, longest), max(memory, most or 0)
    (kinds,) = store.connection.execute(
        f"SELECT count(DISTINCT ifnull(family, '')) FROM result WHERE {where}", values
    ).fetchone()
    hosts, host = store.connection.execute(
        f"SELECT count(DISTINCT host), ifnull(min(host), '') FROM result WHERE {where}", values
    ).fetchone()
    total = sum(verdicts.values())
    return Totals(total, verdicts, seconds, slowest, memory or None, kinds, hosts, host)


def families(store: Store, question: int, selection: Selection, most: int) -> list[Family]:
    """Return the `most` families with the most results, the largest first."""
    where, values = selection.sql(question)
    run = store.connection.execute
    chosen = run(
        "SELECT family, count(*), min(lower), max(upper), max(seconds) FROM result "
        f"WHERE {where} GROUP BY family ORDER BY count(*) DESC, family LIMIT ?",
        (*values, most),
    ).fetchall()
    verdicts: dict[str | None, dict[str, int]] = {row[0]: {} for row in chosen}
    for family, verdict, count in run(
        f"SELECT family, verdict, count(*) FROM result WHERE {where} GROUP BY family, verdict",
        values,
    ):
        if family in verdicts:
            verdicts[family][verdict] = count
    medians = dict(
        run(
            "SELECT family, seconds FROM (SELECT family, seconds, "
            "row_number() OVER (PARTITION BY family ORDER BY seconds) AS place, "
            f"count(*) OVER (PARTITION BY family) AS size FROM result WHERE {where}) "
            "WHERE place = (size + 1) / 2",
            values,
        ).fetchall()
    )
    return [
        Family(name, count, verdicts[name], lower, upper, medians[name], slowest)
        for name, count, lower, upper, slowest in chosen
    ]


def bounds(
    store: Store, number: int, question: Question, selection: Selection
) -> dict[Interval, int]:
    """Count the results with each pair of bounds on a dimension or a rank."""
    where, values = selection.sql(number)
    trivial_upper = trivial_upper_sql(question)
    rows = store.connection.execute(
        f"SELECT lower, upper, ifnull({trivial_upper}, 0) AS has_trivial, count(*) FROM result "
        f"WHERE {where} AND lower IS NOT NULL AND upper IS NOT NULL "
        "GROUP BY lower, upper, has_trivial",
        values,
    )
    return {Interval(lower, upper, bool(trivial)): count for lower, upper, trivial, count in rows}


def cactus(
    store: Store, question: int, selection: Selection, names: Sequence[str | None]
) -> list[Cactus]:
    """Return the curve of all decided results, and the curves of the named families."""
    where, values = selection.sql(question)
    curves = [Cactus("all", _curve(store, f"{where} AND {DECIDED_SQL}", values))]
    for name in names:
        own = _curve(store, f"{where} AND {DECIDED_SQL} AND family IS ?", (*values, name))
        curves.append(Cactus("no family" if name is None else name, own))
    return [curve for curve in curves if curve.points]


def _curve(store: Store, where: str, values: Sequence[object]) -> tuple[tuple[int, float], ...]:
    """The seconds in increasing order, sampled evenly and up to the last."""
    return tuple(_sample(store, "seconds", f"FROM result WHERE {where}", values, "place, seconds"))


def _sample(
    store: Store, order: str, source: str, values: Sequence[object], shown: str
) -> list[tuple[Any, ...]]:
    """Return columns of some rows in an order, evenly distributed and up to the last."""
    return store.connection.execute(
        f"SELECT {shown} FROM (SELECT {order}, row_number() OVER (ORDER BY {order}) AS place, "
        f"count(*) OVER () AS size {source}) "
        f"WHERE place % max(1, size / {_POINTS}) = 0 OR place = size ORDER BY place",
        tuple(values),
    ).fetchall()


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number with bounds, in SQL on the table ``result``, and what all results add up to."""

    title: str
    lower: str
    upper: str
    total: str  # the quantity that the bounds of all results together bound
    total_lower: str
    total_upper: str
    end: float | None = None  # the greatest possible value, if there is one
    is_share: bool = False  # whether the numbers are shares, whose total is printed in percent


_ROWS = Quantity(
    "share of rows right",
    "1.0 - 1.0 * upper / rows",
    "1.0 - 1.0 * lower / rows",
    "of all rows can be right",
    "1.0 - 1.0 * sum(upper) / sum(rows)",
    "1.0 - 1.0 * sum(lower) / sum(rows)",
    end=1.0,
    is_share=True,
)

_QUANTITIES = {
    "rows": _ROWS,
    "evaluate": _ROWS,
    "entries": Quantity(
        "wrong entries", "lower", "upper", "wrong entries in total", "sum(lower)", "sum(upper)"
    ),
    "margin": Quantity(
        "margin", "lower", "upper", "least margin", "min(lower)", "min(upper)", end=1.0
    ),
    "orthogonal": Quantity(
        *("orthogonal pairs", "lower", "upper"),
        *("orthogonal pairs in total", "sum(lower)", "sum(upper)"),
    ),
    "furthest": Quantity(
        *("share of furthest vectors found", "lower", "upper"),
        *("of the furthest vectors are found, on average", "avg(lower)", "avg(upper)"),
        end=1.0,
        is_share=True,
    ),
}


@dataclass(frozen=True, slots=True)
class Spans:
    """The proven intervals of some results, and what they add up to."""

    quantity: Quantity
    # lower and upper ends in ascending order: of all results, or of a sample
    ends: tuple[tuple[float, float], ...]
    total_ends: tuple[float, float]

    @property
    def total_in_words(self) -> str:
        """The bounds of all results together."""
        interval = Interval(*self.total_ends)
        return interval.in_percent() if self.quantity.is_share else str(interval)


def spans(store: Store, number: int, question: Question, selection: Selection) -> Spans | None:
    """Return the intervals of the results for a question; None if dimensions or ranks are asked.

    Two passes over the table, one of them with a sort.
    """
    quantity = _QUANTITIES.get(question.unit or question.task)
    if quantity is None:
        return None
    where, values = selection.sql(number)
    where += " AND lower IS NOT NULL AND upper IS NOT NULL"
    source = (
        f"FROM (SELECT {quantity.lower} AS low, {quantity.upper} AS high FROM result WHERE {where})"
    )
    ends = _sample(store, "low, high", source, values, "low, high")
    if not ends:
        return None
    total = store.connection.execute(
        f"SELECT {quantity.total_lower}, {quantity.total_upper} FROM result WHERE {where}", values
    ).fetchone()
    return Spans(quantity, tuple(ends), tuple(total))


@dataclass(frozen=True, slots=True)
class LayerMeans:
    """The mean recall over all results of a question on a mask, after each layer."""

    name: str
    means: tuple[float, ...]


def measure_means(
    store: Store, number: int, question: Question, selection: Selection
) -> dict[str, float]:
    """Return the mean of each retrieval measure over all runs of a question; a pass over answers.

    Runs that were evaluated without ir_measures do not count.
    """
    if question.runs is None:
        return {}
    where, values = selection.sql(number)
    return dict(
        store.connection.execute(
            "SELECT measure.key, avg(measure.value) "
            "FROM result JOIN evidence ON evidence.result = result.id, "
            "json_each(evidence.answer, '$.measures') AS measure "
            f"WHERE {where} AND measure.value IS NOT NULL "
            "GROUP BY measure.key ORDER BY min(measure.id)",
            values,
        ).fetchall()
    )


def recall_means(
    store: Store, number: int, question: Question, selection: Selection
) -> Interval | None:
    """Return bounds on the greatest recall at K, as means over the results of ``fit`` with K.

    A result without bounds on recall counts as 0..1. None: no result has any.
    """
    if question.task != "fit" or question.at is None:
        return None
    where, values = selection.sql(number)
    count, least, most, exact = store.connection.execute(
        "SELECT count(answer), avg(coalesce(json_extract(answer, '$.least_recall'), 0)), "
        "avg(coalesce(json_extract(answer, '$.most_recall'), 1)), "
        "min(coalesce(json_extract(answer, '$.recall_exact'), 0)) "
        "FROM result JOIN evidence ON evidence.result = result.id "
        f"WHERE {where} AND lower IS NOT NULL",
        values,
    ).fetchone()
    return Interval(least, least if exact else most) if count else None


def layer_means(
    store: Store, number: int, question: Question, selection: Selection
) -> LayerMeans | None:
    """Return the mean recall by layer; None if no mask is asked about, or nothing is found yet.

    A search that ends before the last layer keeps its recall. Two passes over the stored answers.
    """
    if question.graph is None:
        return None
    where, values = selection.sql(number)
    source = f"FROM result JOIN evidence ON evidence.result = result.id {{}} WHERE {where} "
    sums = store.connection.execute(
        "SELECT json_extract(layer.value, '$.layer') AS place, "
        "total(json_extract(layer.value, '$.recall')) "
        + source.format(", json_each(evidence.answer, '$.layers') AS layer")
        + "AND verdict = 'EXACT' GROUP BY place ORDER BY place",
        values,
    ).fetchall()
    ends = store.connection.execute(
        "SELECT json_array_length(answer, '$.layers') AS place, count(*), total(lower) "
        + source.format("")
        + "AND verdict = 'EXACT' GROUP BY place",
        values,
    ).fetchall()
    count = sum(some for _, some, _ in ends)
    means = (
        (total + sum(recall for last, _, recall in ends if last < place)) / count
        for place, total in sums
    )
    return LayerMeans(question.layers_in_words, tuple(means)) if sums else None
