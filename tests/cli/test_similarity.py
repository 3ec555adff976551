"""`--similarity` of decide, dim and plot."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from samapprox.cli.main import cli

TRIANGLE = "110\n011\n101\n"


@pytest.fixture(autouse=True)
def _inside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("s.txt").write_text(TRIANGLE)


def invoke(*arguments: str, status: int = 0) -> str:
    found = CliRunner().invoke(cli, arguments)
    assert found.exit_code == status, found.output
    return found.output


@pytest.mark.parametrize(
    ("similarity", "d", "words"),
    [
        ("cosine", "1", "NO: no attention with cosine similarity and d = 1 represents this 3 x 3"),
        ("cosine", "2", "YES: attention with cosine similarity and d = 2 can represent this 3 x 3"),
        ("l2", "1", "NO: no attention with Euclidean distance and d = 1 represents this 3 x 3"),
        ("l2", "2", "YES: attention with Euclidean distance and d = 2 can represent this 3 x 3"),
    ],
)
def test_decide_names_the_similarity_and_verify_accepts(
    similarity: str, d: str, words: str
) -> None:
    question = ("s.txt", "-d", d, "--similarity", similarity)
    assert invoke("decide", *question, "--certificate", "c.json").startswith(words)
    assert json.loads(Path("c.json").read_text())["problem"]["similarity"] == similarity
    assert invoke("verify", "s.txt", "c.json").startswith("VALID: ")
    verdict = json.loads(invoke("decide", *question, "--json"))
    assert verdict["problem"]["similarity"] == similarity


def test_number_formats_are_tested_for_dot_products_alone() -> None:
    invoke("decide", "s.txt", "-d", "2", "--similarity", "l2", "--certificate", "c.json")
    message = invoke("verify", "s.txt", "c.json", "--arithmetic", "int8", status=2)
    assert message.startswith("samapprox: error: --arithmetic tests dot products, and the simil")


def test_dim_saves_both_certificates() -> None:
    text = invoke("dim", "s.txt", "--similarity", "l2", "--yes", "y.json", "--no", "n.json")
    assert text.startswith("2: attention with Euclidean distance and d = 2 can represent this")
    for path, answer in (("y.json", "YES for d = 2"), ("n.json", "NO for d = 1")):
        assert invoke("verify", "s.txt", path) == f"VALID: {answer} with Euclidean distance\n"
    found = json.loads(invoke("dim", "s.txt", "--similarity", "l2", "--json"))
    assert (found["similarity"], found["lower"], found["upper"]) == ("l2", 2, 2)
    assert "similarity" not in json.loads(invoke("dim", "s.txt", "--json"))


def test_plot_draws_arcs() -> None:
    invoke("plot", "s.txt", "-d", "2", "--similarity", "cosine", "--output", "p.svg")
    assert "row 2" in Path("p.svg").read_text()
    invoke("plot", "s.txt", "--dim", "--similarity", "l2", "--output", "q.png")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("decide", "s.txt", "-d", "2", "--d-hid", "2", "--similarity", "l2"), "leave one of them"),
        (("dim", "s.txt", "--d-hid", "--similarity", "cosine"), "leave one of them out"),
        (("plot", "s.txt", "--similarity", "l2", "--output", "p.png"), "needs -d or --dim"),
        (("decide", "s.txt", "--similarity", "cosine", "--only", "rank"), "unknown strategy"),
        (("decide", "s.txt", "--only", "sphere"), "unknown strategy"),
    ],
)
def test_questions_without_a_meaning_are_refused(arguments: tuple[str, ...], words: str) -> None:
    text = invoke(*arguments, status=2)
    assert words in text
    assert text.count("\n") == 1
