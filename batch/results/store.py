"""Result files: SQLite databases, to which every finished instance is added at once."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import astuple, dataclass, fields
from pathlib import Path
from typing import Any

from samapprox.batch.results.outcome import (
    Outcome,
    unpacked_answer,
    unpacked_certificate,
    unpacked_pattern,
    unpacked_trail,
)
from samapprox.batch.results.question import Question
from samapprox.batch.results.schema import (
    APPLICATION,
    COLUMNS,
    EVIDENCE,
    RESULTS,
    SCHEMA,
    VERSION,
    insert,
    overlay,
    upgrade,
)
from samapprox.errors import InputError, errors_within, file_errors, require_flag, require_path
from samapprox.instance import Grading
from samapprox.pattern import Pattern
from samapprox.proofs.certificate import Certificate
from samapprox.results.verdict import Attempt

_WAIT = 60.0  # seconds to wait for another program to release the file
_QUESTION = tuple(field.name for field in fields(Question))


@dataclass(frozen=True, slots=True)
class Evidence:
    """The pattern, proofs and trail of one result.

    Attributes
    ----------
    pattern : Pattern or None
        The pattern without names; None if it is large or could not be read.
    yes, no : Certificate or None
        The certificates of the upper and the lower bound.
    trail : tuple of (int or None, Attempt)
        The dimension (None for ``decide``), and a strategy's attempt at it.
    answer : dict or None
        What a task found besides its bounds.
    recall_yes, recall_no : Certificate or None
        The certificates of the bounds on the mean recall at K.
    """

    pattern: Pattern | None
    yes: Certificate | None
    no: Certificate | None
    trail: tuple[tuple[int | None, Attempt], ...]
    answer: dict[str, Any] | None = None
    recall_yes: Certificate | None = None
    recall_no: Certificate | None = None

    @property
    def certificates(self) -> list[Certificate]:
        """All certificates, of each NO before that of the YES."""
        every = (self.no, self.yes, self.recall_no, self.recall_yes)
        return [certificate for certificate in every if certificate is not None]


class Store(AbstractContextManager["Store"]):
    """An open result file.

    Parameters
    ----------
    path : path
        The SQLite file.
    write : bool
        Whether to add to the file, and create it if it does not exist; otherwise it is only read.

    Attributes
    ----------
    connection : sqlite3.Connection
        For other queries; the view ``results`` has one row for each result.

    Raises
    ------
    InputError
        The file does not exist, is not a result file, has another version, or is damaged.

    Notes
    -----
    SQLite's write-ahead log with full synchronisation: saved results survive a crash of the
    process and of the machine.

    Examples
    --------
    >>> import tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> with Store(folder.name + "/results.sqlite", write=True) as store:
    ...     number = store.question(Question("decide", d=1))
    ...     store.finished(number)
    {}
    >>> folder.cleanup()
    """

    def __init__(self, path: str | Path, *, write: bool = False) -> None:
        require_path("path", path)
        self.path = Path(path)
        self._write = write
        require_flag("write", write)
        with file_errors(path):
            exists = self.path.is_file()
        if not exists and (not write or self.path.exists()):
            raise InputError(f"{path}: {'no such' if not self.path.exists() else 'not a'} file")
        if not exists and not self.path.absolute().parent.is_dir():
            raise InputError(f"{path}: there is no such folder")
        with self._errors():
            mode = "rwc" if write else "ro"
            address = f"{self.path.absolute().as_uri()}?mode={mode}"
            self.connection = sqlite3.connect(
                address, uri=True, timeout=_WAIT, isolation_level=None, check_same_thread=False
            )
            try:
                self._begin()
            except BaseException:
                self.connection.close()
                raise

    def close(self) -> None:
        """Close the file; it is a single file then, unless another program still reads it."""
        if self._write:
            # Readers of a file with a log would write files beside it, if they are allowed to.
            with suppress(sqlite3.Error):
                self.connection.execute("PRAGMA busy_timeout = 0")
                self.connection.execute("PRAGMA journal_mode = DELETE")
        self.connection.close()

    def __exit__(self, *_error: object) -> None:
        self.close()

    # ------------------------------------------------------------ writing

    def question(self, question: Question) -> int:
        """Return the number of a question in this file; a new question is added."""
        known = " AND ".join(f"{name} IS ?" for name in _QUESTION)
        values = astuple(question)
        with self._transaction():
            found = self.connection.execute(
                f"SELECT id FROM question WHERE {known}", values
            ).fetchone()
            if found is None:
                marks = ", ".join("?" * len(values))
                found = self.connection.execute(
                    f"INSERT INTO question ({', '.join(_QUESTION)}) VALUES ({marks}) RETURNING id",
                    values,
                ).fetchone()
        return int(found[0])

    def save(self, question: int, outcomes: Iterable[Outcome]) -> None:
        """Add results, or replace those with the same names; they are durable on return."""
        with self._transaction():
            first = self._number("SELECT coalesce(max(id), 0) + 1 FROM result")
            columns = list(zip(*outcomes, strict=True))
            if not columns:
                return
            count, cut = len(columns[0]), len(RESULTS)
            numbers = range(first, first + count)
            results = [numbers, (question,) * count, *columns[:cut]]
            insert(self.connection, _SAVE, results)
            insert(self.connection, _SAVE_EVIDENCE, [numbers, *columns[cut:]])

    # ------------------------------------------------------------ reading

    def questions(self) -> dict[int, Question]:
        """Return the questions by their numbers."""
        with self._errors():
            rows = self.connection.execute(
                f"SELECT id, {', '.join(_QUESTION)} FROM question ORDER BY id"
            ).fetchall()
        with errors_within(str(self.path)):
            return {row[0]: _question(row[1:]) for row in rows}

    def finished(self, question: int) -> dict[str, str]:
        """Return the names and stamps of the instances with a result other than ERROR.

        A million takes a second: one pass over the table is faster than a million index lookups.
        """
        with self._errors():
            return dict(
                self.connection.execute(
                    "SELECT name, stamp FROM result NOT INDEXED "
                    "WHERE question = ? AND verdict <> 'ERROR'",
                    (question,),
                )
            )

    def outcomes(self, question: int, *, evidence: bool = False) -> Iterator[Outcome]:
        """Yield all results of a question in the order of their names, if asked with evidence."""
        columns = COLUMNS if evidence else tuple(RESULTS)
        joined = "result LEFT JOIN evidence ON result.id = evidence.result"
        with self._errors():
            for row in self.connection.execute(
                f"SELECT {', '.join(columns)} FROM {joined if evidence else 'result'} "
                "WHERE question = ? ORDER BY name",
                (question,),
            ):
                yield Outcome(*row)

    def query(self, text: str, values: tuple[object, ...] = ()) -> sqlite3.Cursor:
        """Return the rows of an SQL query; the view ``results`` has one row for each result.

        Raises
        ------
        InputError
            SQLite refuses the query.
        """
        with self._errors():
            return self.connection.execute(text, values)

    def certificates(self, name: str, grading: Grading) -> list[bytes | None]:
        """Return the packed certificates of an instance, for questions with the same grading."""
        with self._errors():
            rows = self.connection.execute(
                "SELECT yes, no, recall_yes, recall_no "
                "FROM result JOIN evidence ON result.id = evidence.result "
                "WHERE name = ? AND question IN "
                "(SELECT id FROM question WHERE relevant = ? AND unjudged = ?)",
                (name, grading.relevant, grading.unjudged),
            ).fetchall()
        return list(dict.fromkeys(side for row in rows for side in row))

    def evidence(self, result: int) -> Evidence:
        """Return pattern, certificates and trail of the result with this id.

        Raises
        ------
        InputError
            There is no such result, or it is damaged.
        """
        with self._errors():
            row = self.connection.execute(
                f"SELECT {', '.join(EVIDENCE)} FROM evidence WHERE result = ?", (result,)
            ).fetchone()
        if row is None:
            raise InputError(f"{self.path}: no result with id {result}")
        pattern, yes, no, trail, answer, recall_yes, recall_no = row
        with errors_within(f"{self.path}: result {result}"):
            return Evidence(
                unpacked_pattern(pattern),
                unpacked_certificate(yes),
                unpacked_certificate(no),
                unpacked_trail(trail),
                unpacked_answer(answer),
                unpacked_certificate(recall_yes),
                unpacked_certificate(recall_no),
            )

    # ------------------------------------------------------------ inside

    def _begin(self) -> None:
        """Check the format of the file; create the tables in an empty file."""
        if self._write:
            with self._transaction():
                empty = self._number("SELECT count(*) FROM sqlite_schema") == 0
                if empty and self._number("PRAGMA application_id") == 0:
                    for statement in SCHEMA:
                        self.connection.execute(statement)
        if self._number("PRAGMA application_id") != APPLICATION:
            raise InputError(f"{self.path}: not a result file of samapprox")
        version = self._number("PRAGMA user_version")
        if 1 <= version < VERSION:
            self._bring_up_to_date(version)
        elif version != VERSION:
            raise InputError(
                f"{self.path}: a result file of version {version}, but this samapprox writes "
                f"version {VERSION}; name another file"
            )
        if self._write:
            for setting in ("journal_mode = WAL", "synchronous = FULL", "foreign_keys = ON"):
                self.connection.execute(f"PRAGMA {setting}")

    def _bring_up_to_date(self, version: int) -> None:
        """Add later parameters to the questions of an older file; in memory if it is only read."""
        if not self._write:
            for statement in overlay(version):
                self.connection.execute(statement)
            return
        with self._transaction():
            if self._number("PRAGMA user_version") == version:  # no other process has done it
                for statement in upgrade(version):
                    self.connection.execute(statement)

    def _number(self, query: str) -> int:
        return int(self.connection.execute(query).fetchone()[0])

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        """All or nothing."""
        with self._errors():
            self.connection.execute("BEGIN IMMEDIATE")
            try:
                yield
            except BaseException:
                self.connection.execute("ROLLBACK")
                raise
            self.connection.execute("COMMIT")

    @contextmanager
    def _errors(self) -> Iterator[None]:
        """Turn errors of SQLite into one line about the file."""
        try:
            yield
        except sqlite3.Error as error:
            raise InputError(f"{self.path}: cannot be used as a result file: {error}") from None
        except OSError as error:
            raise InputError(f"{self.path}: {error.strerror or error}") from None


_SAVE = f"INSERT OR REPLACE INTO result (id, question, {', '.join(RESULTS)})"
_SAVE_EVIDENCE = f"INSERT INTO evidence (result, {', '.join(EVIDENCE)})"


def _question(values: tuple[Any, ...]) -> Question:
    named = dict(zip(_QUESTION, values, strict=True))
    try:
        return Question(**{**named, "causal": bool(named["causal"])})
    except (TypeError, InputError) as error:
        raise InputError(f"a damaged question: {error}") from None
