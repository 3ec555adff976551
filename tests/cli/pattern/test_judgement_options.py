"""``--relevant`` and ``--unjudged`` of all commands that read judgements, and bad lines."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from helpers.schemas import schema

from samapprox import load
from samapprox.cli.main import cli

pytestmark = pytest.mark.usefixtures("_in_process")

# Four documents, three queries; entries at a threshold of 2 with unjudged pairs left open.
QRELS = "q1 0 d1 2\nq1 0 d2 1\nq2 0 d2 3\nq2 0 d3 -1\nq3 0 d3 2\nq3 0 d1 0\n"
OPEN = "10*\n*10\n0*1"
OPTIONS = ["--relevant", "2", "--unjudged", "unspecified"]


@pytest.fixture(autouse=True)
def _in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.qrels").write_text(QRELS)
    Path("open.txt").write_text(OPEN)


def run(*arguments: str) -> Result:
    return CliRunner().invoke(cli, arguments)


def test_the_pattern_is_the_one_written_by_hand() -> None:
    assert load("a.qrels", relevant=2, unjudged="unspecified") == load("open.txt")


def test_show() -> None:
    document = json.loads(run("show", "a.qrels", *OPTIONS, "--json").stdout)
    schema("show").validate(document)
    assert document["sha256"] == load("open.txt").sha256
    assert document["origin"] == ["relevant = 2", "unjudged = unspecified"]
    left_out = json.loads(run("show", "a.qrels", "--relevant", "3", "--json").stdout)
    assert left_out["origin"][2:] == ["queries left out = 2", "left out = q1 q3"]


@pytest.mark.parametrize(
    "command",
    [
        ["decide", "-d", "1"],
        ["decide", "-d", "2"],
        ["dim"],
        ["encode", "-d", "2", "--to", "smtlib"],
    ],
)
def test_commands_read_the_same_pattern(command: list[str]) -> None:
    name, *rest = command
    graded, written = run(name, "a.qrels", *OPTIONS, *rest), run(name, "open.txt", *rest)
    assert graded.exit_code == written.exit_code == 0
    words = re.sub(r" \('[qd]\d'\)| '[qd]\d'", "", graded.stdout)  # only one of them has names
    assert words.split() == written.stdout.split()


def test_certificates_are_about_the_rule() -> None:
    for question in (["-d", "1"], ["-d", "2"]):
        run("decide", "a.qrels", *OPTIONS, *question, "--certificate", "c.json")
        assert run("verify", "a.qrels", "c.json", *OPTIONS).exit_code == 0
        assert run("verify", "open.txt", "c.json").exit_code == 0
        assert run("verify", "a.qrels", "c.json").exit_code == 1


def test_plot_and_decode_take_them() -> None:
    assert run("plot", "a.qrels", *OPTIONS, "-d", "2", "--output", "p.svg").exit_code == 0
    for command in ("plot", "decode", "batch"):
        assert "--unjudged" in run(command, "--help").stdout


def test_the_reduction() -> None:
    done = run("reduce", "judgements-to-pattern", "a.qrels", *OPTIONS)
    assert done.stdout == f"{OPEN}\n"
    refused = run("reduce", "judgements-to-pattern", "a.qrels", "--relevant", "0")
    assert (refused.exit_code, refused.stderr.count("\n")) == (2, 1)


def test_a_batch_says_by_which_rule_it_read() -> None:
    done = run("batch", "a.qrels", "--task", "dim", *OPTIONS, "--results", "r.sqlite", "--json")
    document = json.loads(done.stdout)
    schema("batch").validate(document)
    assert document["question"]["relevant"] == 2
    assert document["question"]["unjudged"] == "unspecified"
    again = run("batch", "a.qrels", "--task", "dim", *OPTIONS, "--results", "r.sqlite")
    assert "relevant >= 2, unjudged unspecified" in again.stdout
    assert "(1 from earlier runs)" in again.stdout
    other = run("batch", "a.qrels", "--task", "dim", "--results", "r.sqlite")
    assert "before" not in other.stdout


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("b.qrels", "q 0 d 1\nq 0 d\n", "line 2 has 3 fields; TREC qrels have 4"),
        ("b.qrels", "q 0 d 1\nq 0 e 0.5\n", "line 2: the grade '0.5' is not a whole number"),
        ("b.qrels", "q 0 d nan\n", "line 1: the grade 'nan' is not a whole number"),
        ("b.qrels", "q 0 d 1e3\n", "line 1: the grade '1e3' is not a whole number"),
        ("b.qrels", "q 0 d 1\nr 0 d 1\nq 0 d 2\n", "line 3: document 'd' has grade 2 for query"),
        ("b.qrels", "q 0 d -1\n", "no query has a relevant document (a grade of 1 or more)"),
        ("b.tsv", "query-id\tcorpus-id\tscore\nq\td\n", "line 2 has 2 fields"),
        ("b.jsonl", '{"q": {"d": 0.5}}\n', "line 1: the grade 0.5 is not a whole number"),
    ],
)
@pytest.mark.parametrize("command", ["decide", "dim", "show"])
def test_bad_lines_are_one_line(command: str, name: str, text: str, message: str) -> None:
    Path(name).write_text(text)
    done = run(command, name)
    assert done.exit_code == 2
    assert done.stderr.count("\n") == 1
    assert f"samapprox: error: {name}: {message}" in done.stderr
    assert done.stdout == ""


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["a.qrels", "--relevant", "0"], "--relevant: the least relevant grade must be"),
        (["a.qrels", "--relevant", "-2"], "--relevant: the least relevant grade must be"),
        (["a.qrels", "--relevant", "4"], "a.qrels: no query has a relevant document (a grade of 4"),
        (["open.txt", "--relevant", "2"], "open.txt: text files have no grades; drop relevant"),
    ],
)
def test_bad_rules_are_one_line(arguments: list[str], message: str) -> None:
    done = run("decide", *arguments)
    assert (done.exit_code, done.stderr.count("\n")) == (2, 1)
    assert f"samapprox: error: {message}" in done.stderr


def test_repetitions_and_queries_left_out_are_notes() -> None:
    Path("b.qrels").write_text("q 0 d 1\nq 0 d 1\nr 0 d 0\nq 0 d 1\n")
    done = run("decide", "b.qrels")
    assert done.exit_code == 0
    assert done.stderr.splitlines() == [
        "samapprox: note: b.qrels: 2 judgements repeat earlier ones (line 2 first) and count once",
        "samapprox: note: b.qrels: 1 of 2 queries has no relevant document and is left out: 'r'",
    ]


@pytest.mark.parametrize(("command", "name"), [("decide", "verdict"), ("dim", "dimension")])
def test_documents_state_the_rule(command: str, name: str) -> None:
    graded = json.loads(run(command, "a.qrels", *OPTIONS, "--json").stdout)
    schema(name).validate(graded)
    assert graded["pattern"]["judgements"] == {"relevant": 2, "unjudged": "unspecified"}
    written = json.loads(run(command, "open.txt", "--json").stdout)
    assert "judgements" not in written["pattern"]
