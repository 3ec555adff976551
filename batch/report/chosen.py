"""The choice of results that a page lists one by one, if it cannot hold all."""

from __future__ import annotations

from dataclasses import dataclass

from samapprox.batch.report.selection import DECIDED_SQL, Selection
from samapprox.batch.results.store import Store

__all__ = ["Chosen", "chosen_results"]


@dataclass(frozen=True, slots=True)
class Chosen:
    """One listed result: its id, and attributes as in `samapprox.batch.Outcome`."""

    id: int
    name: str
    family: str | None
    layer: int | None
    head: int | None
    rows: int | None
    columns: int | None
    verdict: str
    lower: float | None
    upper: float | None
    seconds: float
    error: str | None


def chosen_results(store: Store, question: int, selection: Selection, most: int) -> list[Chosen]:
    """Return the results that deserve attention: from each family in turn the next hardest.

    Parameters
    ----------
    store : Store
    question : int
    selection : Selection
    most : int
        The greatest number of results.

    Returns
    -------
    list of Chosen
        In each family errors come first, then open cases, then the slowest results.

    Notes
    -----
    One pass over the table and a sort.
    """
    where, values = selection.sql(question)
    kept = ", ".join(f"result.{name}" for name in Chosen.__dataclass_fields__)
    turns = (
        "SELECT id, row_number() OVER (PARTITION BY family ORDER BY CASE "
        f"WHEN verdict IN ('ERROR', 'INVALID') THEN 0 WHEN {DECIDED_SQL} THEN 2 ELSE 1 END, "
        f"seconds DESC, id) AS turn FROM result WHERE {where} ORDER BY turn, family LIMIT ?"
    )
    rows = store.connection.execute(
        f"SELECT {kept} FROM result JOIN ({turns}) AS own ON result.id = own.id "
        "ORDER BY own.turn, result.family",
        (*values, most),
    )
    return [Chosen(*row) for row in rows]
