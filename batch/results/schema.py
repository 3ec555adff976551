"""The tables of a result file."""

from __future__ import annotations

__all__ = ["APPLICATION", "COLUMNS", "EVIDENCE", "RESULTS", "SCHEMA", "VERSION"]

APPLICATION = 0x73616D61
"""SQLite's application id of result files: "sama"."""

VERSION = 1
"""Of the tables, as SQLite's user version."""

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


SCHEMA = (
    f"PRAGMA application_id = {APPLICATION}",
    f"PRAGMA user_version = {VERSION}",
    "CREATE TABLE question (id INTEGER PRIMARY KEY, task TEXT NOT NULL, d INTEGER, d_hid INTEGER, "
    "causal INTEGER NOT NULL, time_limit REAL NOT NULL, memory_limit INTEGER, "
    "seed INTEGER NOT NULL, certificates TEXT, version TEXT NOT NULL)",
    "CREATE TABLE result (id INTEGER PRIMARY KEY, question INTEGER NOT NULL REFERENCES question, "
    f"{_listed(RESULTS)}, UNIQUE (question, name))",
    "CREATE TABLE evidence (result INTEGER PRIMARY KEY REFERENCES result ON DELETE CASCADE, "
    f"{_listed(EVIDENCE)})",
    "CREATE VIEW results AS SELECT result.*, task, d, d_hid, causal, time_limit, memory_limit, "
    "seed, certificates, version FROM result JOIN question ON question.id = result.question",
)
"""``results`` is the view for pandas, DuckDB and exports: one row a result, with its question."""
