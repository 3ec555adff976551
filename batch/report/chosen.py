"""Which results a page lists one by one, where there are more than it can hold."""

from __future__ import annotations

from dataclasses import dataclass

from samapprox.batch.report.selection import DECIDED_SQL, Selection
from samapprox.batch.results.store import Store

__all__ = ["Chosen", "chosen_results"]


@dataclass(frozen=True, slots=True)
class Chosen:
    """One listed result; attributes as in `samapprox.batch.Outcome`, and its id."""

    id: int
    name: str
    family: str | None
    layer: int | None
    head: int | None
    rows: int | None
    columns: int | None
    verdict: str
    lower: int | None
    upper: int | None
    seconds: float
    error: str | None


def chosen_results(store: Store, question: int, selection: Selection, most: int) -> list[Chosen]:
    """The results that ask for attention: of each family in turn the next hardest.

    Parameters
    ----------
    store : Store
    question : int
    selection : Selection
    most : int
        How many.

    Returns
    -------
    list of Chosen
        Errors first in each family, then what is open, then the slowest.

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
