"""`samapprox rank`, and the verification of its certificates."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from helpers.commands import refused, run
from helpers.schemas import schema

from samapprox import verify
from samapprox.proofs.questions import RANK_KINDS

SCHEMA = schema("rank")


@pytest.fixture
def matrix(tmp_path: Path) -> str:
    (tmp_path / "signs.txt").write_text("+---\n-+--\n--+-\n---+\n----\n")
    return str(tmp_path / "signs.txt")


@pytest.mark.parametrize("kind", RANK_KINDS)
def test_certificates_of_both_bounds_verify(matrix: str, tmp_path: Path, kind: str) -> None:
    files = {side: str(tmp_path / f"{side}.json") for side in ("yes", "no")}
    result = run("rank", matrix, "--kind", kind, "--yes", files["yes"], "--no", files["no"])
    assert result.exit_code == 0
    for side, path in files.items():
        checked = run("verify", matrix, path)
        assert checked.exit_code == 0
        assert checked.stdout.startswith(f"VALID: {side.upper()} for ")
        assert verify(matrix, path)
        assert not verify(np.eye(5), path)
    refused(run("verify", matrix, files["no"], "--causal"), "--causal is for patterns")


def test_the_answer_in_words(matrix: str) -> None:
    lines = run("rank", matrix).stdout.splitlines()
    assert lines[0] == "The sign-rank of this 5 x 4 matrix is 3."
    assert lines[1] == "NO for sign-rank at most 2:"
    assert "YES for sign-rank at most 3:" in lines


@pytest.mark.parametrize(("asked", "answer", "code"), [("2", "NO", 20), ("3", "YES", 10)])
def test_decisions(matrix: str, asked: str, answer: str, code: int) -> None:
    result = run("rank", matrix, "--rank", asked, "--exit-code")
    assert (result.exit_code, result.stdout[: len(answer) + 1]) == (code, f"{answer}:")
    document = json.loads(run("rank", matrix, "--rank", asked, "--json").stdout)
    SCHEMA.validate(document)
    assert (document["at_most"], document["answer"]) == (int(asked), answer)


def test_unknown_is_an_interval(matrix: str) -> None:
    result = run("rank", matrix, "--rank", "3", "--only", "line", "--exit-code")
    assert result.exit_code == 30
    assert result.stdout.startswith("UNKNOWN: whether the sign-rank of this 5 x 4 matrix is at ")


@pytest.mark.parametrize("kind", RANK_KINDS)
def test_json(matrix: str, kind: str) -> None:
    document = json.loads(run("rank", matrix, "--kind", kind, "--json").stdout)
    SCHEMA.validate(document)
    assert document["kind"] == kind
    assert document["exact"]
    assert "answer" not in document


def test_standard_streams(matrix: str) -> None:
    text = Path(matrix).read_text()
    result = run("rank", "-", "--yes", "-", stdin=text)
    assert json.loads(result.stdout)["problem"] == {"task": "rank", "rank": 3, "kind": "sign"}
    assert "The sign-rank" in result.stderr
    assert run("verify", matrix, "-", stdin=result.stdout).exit_code == 0


def test_factors_are_written_as_an_embedding(matrix: str, tmp_path: Path) -> None:
    yes, numbers = str(tmp_path / "yes.json"), str(tmp_path / "numbers.npz")
    run("rank", matrix, "--yes", yes)
    assert run("verify", matrix, yes, "--embedding", numbers).exit_code == 0
    with np.load(numbers) as arrays:
        product = arrays["queries"] @ arrays["keys"].T
        assert not arrays["thresholds"].any()
    assert ((product > 0) == (np.eye(5, 4) > 0)).all()
    assert (product != 0).all()


def test_trivial_bounds_have_no_certificate(tmp_path: Path) -> None:
    path = tmp_path / "no.json"
    result = run("rank", "-", "--no", str(path), stdin="+-\n")
    assert "the bound is trivial" in result.stderr
    assert not path.exists()


def test_bad_usage_is_one_line(matrix: str) -> None:
    refused(run("rank", "-", stdin="+x\n"), "line 1, column 1: 'x'")
    refused(run("rank", matrix, "--json", "--yes", "-"), "both go to standard output")
    for arguments in (["--rank", "0"], ["--kind", "signs"], ["--exit-code"]):
        result = run("rank", matrix, *arguments)
        assert result.exit_code == 2
        assert result.stdout == ""
