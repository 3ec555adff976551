"""The tables of a result file."""

from __future__ import annotations

__all__ = [
    "APPLICATION",
    "COLUMNS",
    "EVIDENCE",
    "OVERLAY",
    "RESULTS",
    "SCHEMA",
    "UPGRADE",
    "VERSION",
    "VERSION_WITHOUT_GRADES",
]

APPLICATION = 0x73616D61
"""The application id of result files in SQLite: "sama"."""

VERSION = 2
"""The version of the tables, as SQLite's user version."""

VERSION_WITHOUT_GRADES = 1
"""The version without `relevant` and `unjudged`: it reads judgements by the default rule."""

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

EVIDENCE = {"pattern": "BLOB", "yes": "BLOB", "no": "BLOB", "trail": "TEXT"}
"""Columns of ``evidence``, the rest of `Outcome`: read for one result at a time."""

COLUMNS = (*RESULTS, *EVIDENCE)


def _listed(columns: dict[str, str]) -> str:
    return ", ".join(f"{name} {kind}" for name, kind in columns.items())


_GRADING = ("relevant INTEGER NOT NULL DEFAULT 1", "unjudged TEXT NOT NULL DEFAULT 'zero'")

_QUESTION = (
    "id INTEGER PRIMARY KEY, task TEXT NOT NULL, d INTEGER, d_hid INTEGER, "
    "causal INTEGER NOT NULL, time_limit REAL NOT NULL, memory_limit INTEGER, "
    f"seed INTEGER NOT NULL, certificates TEXT, version TEXT NOT NULL, {', '.join(_GRADING)}"
)

_VIEW = (
    "VIEW results AS SELECT result.*, task, d, d_hid, causal, relevant, unjudged, time_limit, "
    "memory_limit, seed, certificates, version "
    "FROM result JOIN question ON question.id = result.question"
)
"""The view for pandas, DuckDB and exports: one row per result, with its question."""

SCHEMA = (
    f"PRAGMA application_id = {APPLICATION}",
    f"PRAGMA user_version = {VERSION}",
    f"CREATE TABLE question ({_QUESTION})",
    "CREATE TABLE result (id INTEGER PRIMARY KEY, question INTEGER NOT NULL REFERENCES question, "
    f"{_listed(RESULTS)}, UNIQUE (question, name))",
    "CREATE TABLE evidence (result INTEGER PRIMARY KEY REFERENCES result ON DELETE CASCADE, "
    f"{_listed(EVIDENCE)})",
    f"CREATE {_VIEW}",
)
"""Statements that create the tables."""

UPGRADE = (
    *(f"ALTER TABLE question ADD COLUMN {column}" for column in _GRADING),
    "DROP VIEW results",
    f"CREATE {_VIEW}",
    f"PRAGMA user_version = {VERSION}",
)
"""Statements that add the grading to an older file."""

_BEFORE = "id, task, d, d_hid, causal, time_limit, memory_limit, seed, certificates, version"

OVERLAY = (
    "PRAGMA temp_store = MEMORY",
    f"CREATE TEMP TABLE question ({_QUESTION})",
    f"INSERT INTO temp.question ({_BEFORE}) SELECT {_BEFORE} FROM main.question",
    f"CREATE TEMP {_VIEW}",
)
"""Statements that add it for a reader, who must not change the file."""
