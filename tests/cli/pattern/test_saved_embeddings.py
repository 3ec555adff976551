"""`--save-embedding` of decide, dim and fit: files that `fit --embeddings` reads again."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from helpers.commands import refused, run

JUDGEMENTS = "q1 0 a 1\nq1 0 b 1\nq2 0 b 1\nq2 0 c 1\nq3 0 c 1\nq3 0 a 1\nq4 0 d 1\n"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("my.qrels").write_text(JUDGEMENTS)
    return tmp_path


@pytest.mark.parametrize(
    "arguments",
    [
        ("decide", "-d", "3"),
        ("decide", "-d", "3", "--arithmetic", "float16"),
        ("decide", "-d", "3", "--similarity", "cosine"),
        ("decide", "-d", "3", "--similarity", "l2"),
        ("dim",),
        ("dim", "--arithmetic", "bfloat16"),
        ("fit", "-d", "3"),
    ],
)
def test_saved_embeddings_are_right(arguments: tuple[str, ...]) -> None:
    command, *options = arguments
    result = run(command, "my.qrels", *options, "--save-embedding", "e.npz")
    assert result.exit_code == 0, result.output
    assert "queries and documents saved to e.npz" in result.stderr
    with np.load("e.npz") as file:
        assert file["query_ids"].tolist() == ["q1", "q2", "q3", "q4"]
        assert file["document_ids"].tolist() == ["a", "b", "c", "d"]
        assert file["queries"].dtype == ("float16" if "float16" in options else "float32")
    similarity = options[3] if "--similarity" in options else "dot"
    again = run("fit", "my.qrels", "--embeddings", "e.npz", "--similarity", similarity)
    assert "get 4 of 4 rows right" in again.stdout


def test_files_are_overwritten_only_on_request() -> None:
    Path("e.npz").write_text("mine")
    arguments = ("decide", "my.qrels", "-d", "3", "--save-embedding", "e.npz")
    refused(run(*arguments), "e.npz: the file exists; --force overwrites it")
    assert Path("e.npz").read_text() == "mine"
    assert run(*arguments, "--force").exit_code == 0
    assert Path("e.npz").read_bytes()[:2] == b"PK"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("decide", "--save-embedding", "e.npy"), "are saved as .npz"),
        (("decide", "--force"), "--force needs --save-embedding"),
        (("fit", "--curve", "--save-embedding", "e.npz"), "saves the embedding of one d"),
        (
            (
                *("decide", "--arithmetic", "float16", "--arithmetic", "float32"),
                *("--save-embedding", "e.npz"),
            ),
            "give one --arithmetic",
        ),
    ],
)
def test_refusals(arguments: tuple[str, ...], message: str) -> None:
    command, *options = arguments
    result = run(command, "my.qrels", *options)
    assert result.exit_code == 2
    assert message in result.stderr
    assert not Path("e.npz").exists()


@pytest.mark.parametrize(("options", "status"), [((), 0), (("--exit-code",), 20)])
def test_the_answer_sets_the_exit_status_without_an_embedding(
    options: tuple[str, ...], status: int
) -> None:
    result = run("decide", "my.qrels", "-d", "1", "--save-embedding", "e.npz", *options)
    assert result.exit_code == status
    assert result.stdout.startswith("NO: ")
    assert result.stderr == "samapprox: no file is written to e.npz: no embedding was found\n"
    assert not Path("e.npz").exists()


@pytest.mark.parametrize("command", ["decide", "dim"])
def test_formats_that_are_not_saved_are_refused_before_the_search(command: str) -> None:
    result = run(command, "my.qrels", "--arithmetic", "int8", "--save-embedding", "e.npz")
    refused(result, "unknown format of saved embeddings 'int8'; there are: float64, float32")
    assert not Path("e.npz").exists()


def test_an_embedding_that_is_wrong_in_the_format_is_not_saved() -> None:
    """The two keys in the middle of a long line differ by less than bfloat16 can tell."""
    lines = [f"q{row} 0 d{column} 1\n" for row in range(300) for column in range(row + 1)]
    Path("long.qrels").write_text("".join(lines))
    arguments = ("decide", "long.qrels", "--arithmetic", "bfloat16", "--save-embedding", "e.npz")
    result = run(*arguments)
    assert result.exit_code == 2
    assert "e.npz: no file is written: in bfloat16, " in result.stderr
    assert not Path("e.npz").exists()
