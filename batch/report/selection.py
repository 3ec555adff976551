"""The results that a report is about, and those that it lists one by one."""

from __future__ import annotations

from dataclasses import dataclass

from samapprox.batch.results.known_tasks import EVERY_VERDICT
from samapprox.batch.results.store import Store
from samapprox.support.packages import require_name

DECIDED = ("YES", "NO", "EXACT", "UNBOUNDED", "VALID")
"""Verdicts that leave nothing open."""

DECIDED_SQL = f"verdict IN ({', '.join(repr(verdict) for verdict in DECIDED)})"


@dataclass(frozen=True, slots=True)
class Selection:
    """Conditions on results; None means no condition.

    Attributes
    ----------
    family : str or None
        The origin of instances, as in `Outcome`.
    verdict : str or None
        One of `EVERY_VERDICT`.
    name : str or None
        A shell pattern such as ``*_top1*``.

    Raises
    ------
    InputError
        The verdict is unknown.

    Examples
    --------
    >>> str(Selection(family="line", name="a*"))
    'family line, names like a*'
    >>> Selection(verdict="NO").sql(1)
    ('question = ? AND verdict = ?', (1, 'NO'))
    """

    family: str | None = None
    verdict: str | None = None
    name: str | None = None

    def __post_init__(self) -> None:
        if self.verdict is not None:
            require_name("verdict", self.verdict, EVERY_VERDICT)

    def sql(self, question: int) -> tuple[str, tuple[int | str, ...]]:
        """Return a condition on the table ``result``, and its values."""
        given: list[tuple[str, int | str | None]] = [
            ("question = ?", question),
            ("family = ?", self.family),
            ("verdict = ?", self.verdict),
            ("name GLOB ?", self.name),
        ]
        asked = [(condition, value) for condition, value in given if value is not None]
        return " AND ".join(c for c, _ in asked), tuple(v for _, v in asked)

    def __str__(self) -> str:
        words = [f"family {self.family}"] * (self.family is not None)
        words += [f"verdict {self.verdict}"] * (self.verdict is not None)
        words += [f"names like {self.name}"] * (self.name is not None)
        return ", ".join(words)


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

    In each family errors come first, then open cases, then the slowest results. One pass over the
    table and a sort.
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
