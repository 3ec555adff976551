"""The tables of a result file, and fast insertion of many rows."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from functools import lru_cache
from itertools import chain, compress, count
from typing import Any

APPLICATION = 0x73616D61
"""The application id of result files in SQLite: "sama"."""

VERSION = 6
"""The version of the tables, as SQLite's user version."""

RESULTS = {
    "name": "TEXT NOT NULL",
    "stamp": "TEXT NOT NULL",
    "family": "TEXT",
    "layer": "INTEGER",
    "head": "INTEGER",
    "sha256": "TEXT",
    "rows": "INTEGER",
    "columns": "INTEGER",
    "ones": "INTEGER",
    "verdict": "TEXT NOT NULL",
    "lower": "INTEGER",
    "upper": "INTEGER",
    "known": "TEXT",
    "known_lower": "INTEGER",
    "known_upper": "INTEGER",
    "seconds": "REAL NOT NULL",
    "memory": "INTEGER",
    "host": "TEXT NOT NULL",
    "error": "TEXT",
}
"""Columns of the table ``result``, as in `Outcome`: short, so that scans are quick."""

EVIDENCE = {
    "pattern": "BLOB",
    "yes": "BLOB",
    "no": "BLOB",
    "trail": "TEXT",
    "answer": "TEXT",
    "recall_yes": "BLOB",
    "recall_no": "BLOB",
}
"""Columns of ``evidence``, the rest of `Outcome`: read for one result at a time."""

COLUMNS = (*RESULTS, *EVIDENCE)


def _listed(columns: dict[str, str]) -> str:
    return ", ".join(f"{name} {kind}" for name, kind in columns.items())


FIRST = {
    "id": "INTEGER PRIMARY KEY",
    "task": "TEXT NOT NULL",
    "d": "INTEGER",
    "d_hid": "INTEGER",
    "causal": "INTEGER NOT NULL",
    "time_limit": "REAL NOT NULL",
    "memory_limit": "INTEGER",
    "seed": "INTEGER NOT NULL",
    "certificates": "TEXT",
    "version": "TEXT NOT NULL",
}
"""Columns of ``question`` in files of version 1."""

_ADDED = {
    2: {"relevant": "INTEGER NOT NULL DEFAULT 1", "unjudged": "TEXT NOT NULL DEFAULT 'zero'"},
    3: {"similarity": "TEXT NOT NULL DEFAULT 'dot'", "unit": "TEXT", "kind": "TEXT"},
    4: {"at": "INTEGER"},
    5: {
        "graph": "TEXT",
        "layers": "INTEGER",
        "relabel": "INTEGER",
        "embeddings": "TEXT",
        "runs": "TEXT",
    },
    6: {"arithmetic": "TEXT"},
}
"""Columns of ``question`` that later versions added; the defaults are those of older questions."""

_WITH_ANSWERS = 5
"""The first version whose evidence has the following columns."""

_ANSWERS = ("answer", "recall_yes", "recall_no")

_QUESTION = FIRST | {name: kind for more in _ADDED.values() for name, kind in more.items()}

_VIEW = (
    "VIEW results AS SELECT result.*, task, d, d_hid, causal, relevant, unjudged, time_limit, "
    "memory_limit, seed, certificates, version, similarity, unit, kind, at, graph, layers, "
    "relabel, embeddings, runs, arithmetic "
    "FROM result JOIN question ON question.id = result.question"
)
"""The view for pandas, DuckDB and exports: one row per result, with its question."""

SCHEMA = (
    f"PRAGMA application_id = {APPLICATION}",
    f"PRAGMA user_version = {VERSION}",
    f"CREATE TABLE question ({_listed(_QUESTION)})",
    "CREATE TABLE result (id INTEGER PRIMARY KEY, question INTEGER NOT NULL REFERENCES question, "
    f"{_listed(RESULTS)}, UNIQUE (question, name))",
    "CREATE TABLE evidence (result INTEGER PRIMARY KEY REFERENCES result ON DELETE CASCADE, "
    f"{_listed(EVIDENCE)})",
    f"CREATE {_VIEW}",
)
"""Statements that create the tables."""


def upgrade(version: int) -> tuple[str, ...]:
    """Return statements that bring the tables of an older version up to date.

    >>> upgrade(2)[0]
    "ALTER TABLE question ADD COLUMN similarity TEXT NOT NULL DEFAULT 'dot'"
    """
    added = (column for later, more in _ADDED.items() if later > version for column in more.items())
    return (
        *(f"ALTER TABLE question ADD COLUMN {name} {kind}" for name, kind in added),
        *(
            f"ALTER TABLE evidence ADD COLUMN {name} {EVIDENCE[name]}"
            for name in _ANSWERS
            if version < _WITH_ANSWERS
        ),
        "DROP VIEW results",
        f"CREATE {_VIEW}",
        f"PRAGMA user_version = {VERSION}",
    )


def overlay(version: int) -> tuple[str, ...]:
    """Return statements that do the same for a reader, who must not change the file."""
    later = {name for added, more in _ADDED.items() if added > version for name in more}
    lacking = ", ".join(f"NULL AS {name}" for name in _ANSWERS)
    present = ", ".join(name for name in _QUESTION if name not in later)
    return (
        "PRAGMA temp_store = MEMORY",
        f"CREATE TEMP TABLE question ({_listed(_QUESTION)})",
        f"INSERT INTO temp.question ({present}) SELECT {present} FROM main.question",
        *(
            [f"CREATE TEMP VIEW evidence AS SELECT *, {lacking} FROM main.evidence"]
            * (version < _WITH_ANSWERS)
        ),
        f"CREATE TEMP {_VIEW}",
    )


_AT_ONCE = 64
"""Rows per statement; more of them are not faster."""


def insert(connection: sqlite3.Connection, head: str, columns: Sequence[Sequence[Any]]) -> None:
    """Insert rows, dozens per statement; values that all rows share are passed once.

    Twice as fast as `executemany`, which spends its time on passing values: in the results of small
    patterns, two thirds of the columns are constant.

    >>> connection = sqlite3.connect(":memory:")
    >>> cursor = connection.execute("CREATE TABLE t (a, b)")
    >>> insert(connection, "INSERT INTO t", [(1, 2, 3), ("same", "same", "same")])
    >>> connection.execute("SELECT * FROM t").fetchall()
    [(1, 'same'), (2, 'same'), (3, 'same')]
    >>> connection.close()
    """
    many = len(columns[0])
    if not many:
        return
    own = tuple(column.count(column[0]) < many for column in columns)
    shared = tuple(column[0] for column, differs in zip(columns, own, strict=True) if not differs)
    rows = list(zip(*compress(columns, own), strict=True)) or [()] * many
    for first in range(0, many, _AT_ONCE):
        some = rows[first : first + _AT_ONCE]
        values = chain(shared, chain.from_iterable(some))
        connection.execute(f"{head} {_values(own, len(some))}", tuple(values))


@lru_cache(maxsize=256)
def _values(own: tuple[bool, ...], rows: int) -> str:
    """Return the placeholders of the values; shared values come first.

    >>> _values((True, False), 2)
    'VALUES (?2, ?1), (?3, ?1)'
    """
    shared = count(1)
    places = [None if differs else next(shared) for differs in own]
    next_one = count(next(shared))
    marks = (
        ", ".join(f"?{next(next_one) if place is None else place}" for place in places)
        for _ in range(rows)
    )
    return f"VALUES {', '.join(f'({mark})' for mark in marks)}"
