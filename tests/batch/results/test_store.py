"""Result files: nothing lost, nothing twice, and nothing that is not ours."""

from __future__ import annotations

import csv
import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from samapprox import InputError, decide
from samapprox.batch import Outcome, Question, Store, export
from samapprox.batch.results.outcome import packed_certificate, packed_pattern, packed_trail
from samapprox.batch.results.schema import COLUMNS, EVIDENCE, RESULTS, insert

QUESTION = Question("decide", d=1)


def outcome(name: str, verdict: str = "YES") -> Outcome:
    found = decide([[1, 0], [0, 1]])
    pattern = found.problem.pattern
    return Outcome(
        name=name,
        stamp="stamp",
        family="family",
        head=3,
        sha256=pattern.sha256,
        rows=2,
        columns=2,
        ones=2,
        verdict=verdict,
        lower=1,
        upper=1,
        seconds=0.5,
        memory=1000,
        host="host",
        pattern=packed_pattern(pattern),
        yes=packed_certificate(found.certificate),
        trail=packed_trail((None, step) for step in found.trail),
    )


def test_results_are_rows_of_the_tables() -> None:
    """In their order, with the defaults that the tables allow."""
    assert Outcome._fields == COLUMNS
    optional = {name for name, kind in {**RESULTS, **EVIDENCE}.items() if "NOT NULL" not in kind}
    without = {name for name, value in Outcome._field_defaults.items() if value is None}
    assert without == optional


VALUES = st.one_of(st.none(), st.integers(-1, 1), st.text(max_size=1), st.binary(max_size=1))


@given(
    rows=st.integers(0, 140),
    shared=st.lists(st.one_of(st.none(), VALUES.map(lambda value: (value,))), min_size=1),
    data=st.data(),
)
@settings(deadline=None, max_examples=25)
def test_rows_by_the_dozen_are_the_rows_one_by_one(
    rows: int, shared: list[tuple[object] | None], data: st.DataObject
) -> None:
    columns = [
        data.draw(st.lists(VALUES, min_size=rows, max_size=rows)) if one is None else [*one] * rows
        for one in shared
    ]
    names = ", ".join(f"c{at}" for at in range(len(shared)))
    marks = ", ".join("?" * len(shared))
    tables = []
    for by_the_dozen in (False, True):
        with closing(sqlite3.connect(":memory:")) as connection:
            connection.execute(f"CREATE TABLE t ({names})")
            if by_the_dozen:
                insert(connection, "INSERT INTO t", columns)
            else:
                rows_of = zip(*columns, strict=True)
                connection.executemany(f"INSERT INTO t VALUES ({marks})", rows_of)
            tables.append(connection.execute("SELECT * FROM t ORDER BY rowid").fetchall())
    assert tables[0] == tables[1]


def test_what_goes_in_comes_out(tmp_path: Path) -> None:
    path = tmp_path / "a.sqlite"
    with Store(path, write=True) as store:
        number = store.question(QUESTION)
        store.save(number, [outcome("b"), outcome("a")])
        store.save(number, [outcome("b", "NO"), outcome("c", "ERROR")])
        assert store.question(QUESTION) == number
        assert store.question(Question("decide", d=2)) != number
    assert [file.name for file in tmp_path.iterdir()] == ["a.sqlite"]
    with Store(path) as store:
        assert list(store.questions().values())[:1] == [QUESTION]
        assert store.finished(number) == {"a": "stamp", "b": "stamp"}
        expected = [outcome("a"), outcome("b", "NO"), outcome("c", "ERROR")]
        kept = list(store.outcomes(number, evidence=True))
        assert [one._replace(trail=None) for one in kept] == [
            one._replace(trail=None) for one in expected
        ]
        assert [one.yes for one in store.outcomes(number)] == [None] * 3
        ids = [row[0] for row in store.query("SELECT id FROM results ORDER BY name")]
        evidence = store.evidence(ids[0])
        assert evidence.pattern is not None
        assert evidence.yes is not None
        assert evidence.yes.verify(evidence.pattern)
        assert evidence.no is None
        assert [step.strategy for _, step in evidence.trail] == ["line"]
        # The evidence of a result that was replaced is gone with it.
        assert store.query("SELECT count(*) FROM evidence").fetchone() == (3,)
        with pytest.raises(InputError, match="no result with id 999"):
            store.evidence(999)


def test_one_failing_transaction_leaves_nothing(tmp_path: Path) -> None:
    with Store(tmp_path / "a.sqlite", write=True) as store:
        number = store.question(QUESTION)
        damaged = outcome("b")._replace(verdict=None)  # type: ignore[arg-type]
        with pytest.raises(InputError, match="NOT NULL"):
            store.save(number, [outcome("a"), damaged])
        assert store.finished(number) == {}


@pytest.mark.parametrize("content", [b"", b"SQLite format 3\x00 and no more", b"a text\n" * 1000])
def test_what_is_no_result_file(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "x.sqlite"
    path.write_bytes(content)
    with pytest.raises(InputError, match=r"x\.sqlite"):
        Store(path)
    if content:
        with pytest.raises(InputError, match=r"x\.sqlite"):
            Store(path, write=True)
        assert path.read_bytes() == content
    else:
        Store(path, write=True).close()  # an empty file is as good as none
    with pytest.raises(InputError, match="no such file"):
        Store(tmp_path / "none.sqlite")
    with pytest.raises(InputError, match="not a file"):
        Store(tmp_path, write=True)


def test_files_of_others_and_of_other_versions(tmp_path: Path) -> None:
    other, newer = tmp_path / "other.sqlite", tmp_path / "newer.sqlite"
    connection = sqlite3.connect(other)
    connection.execute("CREATE TABLE theirs (x)")
    connection.close()
    Store(newer, write=True).close()
    connection = sqlite3.connect(newer)
    connection.execute("PRAGMA user_version = 7")
    connection.close()
    for write in (False, True):
        with pytest.raises(InputError, match="not a result file of samapprox"):
            Store(other, write=write)
        with pytest.raises(InputError, match=r"version 7.*name another file"):
            Store(newer, write=write)


def test_a_damaged_question_is_told_in_one_line(tmp_path: Path) -> None:
    path = tmp_path / "a.sqlite"
    with Store(path, write=True) as store:
        store.question(QUESTION)
        store.query("UPDATE question SET task = 'guess'")
        with pytest.raises(
            InputError, match=r"a\.sqlite: a damaged question: unknown task 'guess'"
        ):
            store.questions()


def test_damage_is_told_in_one_line(tmp_path: Path) -> None:
    path = tmp_path / "a.sqlite"
    with Store(path, write=True) as store:
        store.save(store.question(QUESTION), [outcome(str(number)) for number in range(200)])
        store.query("UPDATE evidence SET yes = x'00', trail = '{}' WHERE result = 1")
        store.query("UPDATE evidence SET trail = '[1]' WHERE result = 2")
        store.query("UPDATE evidence SET answer = '[1]' WHERE result = 3")
        store.query("UPDATE evidence SET answer = '{' WHERE result = 4")
        for number in (1, 2, 3, 4):
            with pytest.raises(InputError, match=f"result {number}: .*damaged"):
                store.evidence(number)
    content = bytearray(path.read_bytes())
    content[8192:] = b"\xff" * (len(content) - 8192)
    path.write_bytes(bytes(content))
    with pytest.raises(InputError, match="cannot be used as a result file"), Store(path) as store:
        list(store.outcomes(1, evidence=True))


def test_exports_hold_the_same_rows(tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    with Store(tmp_path / "a.sqlite", write=True) as store:
        store.save(store.question(QUESTION), [outcome("b"), outcome('a,"\nü')])
        store.save(store.question(Question("decide", d=2)), [outcome("b", "NO")])
        for ending in ("csv", "jsonl", "parquet"):
            export(store, tmp_path / f"r.{ending}")
        with pytest.raises(InputError, match="exported as"):
            export(store, tmp_path / "r.xlsx")
    lines = (tmp_path / "r.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    assert [(row["name"], row["d"], row["verdict"]) for row in rows] == [
        ('a,"\nü', 1, "YES"),
        ("b", 1, "YES"),
        ("b", 2, "NO"),
    ]
    assert parquet.read_table(tmp_path / "r.parquet").to_pylist() == rows
    with (tmp_path / "r.csv").open(encoding="utf-8", newline="") as stream:
        told = list(csv.DictReader(stream))
    assert told == [
        {key: "" if value is None else str(value) for key, value in row.items()} for row in rows
    ]


def test_who_reads_leaves_nothing_beside_the_file(tmp_path: Path) -> None:
    path = tmp_path / "r.sqlite"
    with Store(path, write=True) as store:
        store.question(Question("decide", d=1))
        with Store(path, write=True) as other:  # who closes first leaves the log to the other
            other.question(Question("decide", d=2))
        store.question(Question("decide", d=3))
    assert [file.name for file in tmp_path.iterdir()] == ["r.sqlite"]
    with Store(path) as store:
        assert len(store.questions()) == 3
    assert [file.name for file in tmp_path.iterdir()] == ["r.sqlite"]


# ---------------------------------------------------------------- files of older versions


NEWEST = ("graph", "layers", "relabel", "embeddings", "runs", "arithmetic")

LATER = {
    1: ("relevant", "unjudged", "similarity", "unit", "kind", "at", *NEWEST),
    2: ("similarity", "unit", "kind", "at", *NEWEST),
    3: ("at", *NEWEST),
    4: NEWEST,
    5: ("arithmetic",),
}
"""Columns that files of older versions lack."""


def make_older(path: Path, version: int) -> None:
    """A file as an older version wrote it, with one result."""
    with Store(path, write=True) as store:
        store.save(store.question(QUESTION), [outcome("a")])
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("DROP VIEW results")
        for column in LATER[version]:
            connection.execute(f"ALTER TABLE question DROP COLUMN {column}")
        for column in ("answer", "recall_yes", "recall_no") if version < 5 else ():
            connection.execute(f"ALTER TABLE evidence DROP COLUMN {column}")
        grading = "relevant, unjudged, " if version >= 2 else ""
        connection.execute(
            f"CREATE VIEW results AS SELECT result.*, task, d, d_hid, causal, {grading}time_limit, "
            "memory_limit, seed, certificates, version "
            "FROM result JOIN question ON question.id = result.question"
        )
        connection.execute(f"PRAGMA user_version = {version}")


@pytest.mark.parametrize("version", LATER)
def test_older_files_are_read_without_a_change(tmp_path: Path, version: int) -> None:
    path = tmp_path / "a.sqlite"
    make_older(path, version)
    before = path.read_bytes()
    with Store(path) as store:
        assert store.questions() == {1: QUESTION}
        assert store.finished(1) == {"a": "stamp"}
        query = "SELECT name, relevant, unjudged, similarity, unit, upper FROM results"
        assert store.query(query).fetchall() == [("a", 1, "zero", "dot", None, 1)]
        assert store.evidence(1).yes is not None
        assert store.evidence(1).answer is None
        assert len(store.evidence(1).certificates) == 1
        assert [one.answer for one in store.outcomes(1, evidence=True)] == [None]
        for ending in ("csv", "jsonl", "parquet"):
            export(store, tmp_path / f"a.{ending}")
    assert path.read_bytes() == before
    with (tmp_path / "a.csv").open(newline="") as stream:
        (row,) = csv.DictReader(stream)
    assert (row["relevant"], row["unjudged"]) == ("1", "zero")


@pytest.mark.parametrize("version", LATER)
def test_older_files_get_new_questions(tmp_path: Path, version: int) -> None:
    path = tmp_path / "a.sqlite"
    make_older(path, version)
    graded = Question("dim", relevant=2, unjudged="unspecified", similarity="l2")
    with Store(path, write=True) as store:
        assert store.question(QUESTION) == 1
        number = store.question(graded)
        store.save(number, [outcome("a", "NO")])
    with Store(path) as store:
        assert store.questions() == {1: QUESTION, number: graded}
        query = "SELECT verdict, relevant, unjudged, similarity, unit FROM results ORDER BY id"
        assert store.query(query).fetchall() == [
            ("YES", 1, "zero", "dot", None),
            ("NO", 2, "unspecified", "l2", None),
        ]
    with Store(path, write=True) as store:
        assert store.question(graded) == number
