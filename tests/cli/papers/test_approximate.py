"""`samapprox approximate`: its answers, its files, and one line for bad input."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result
from helpers.schemas import schema

from samapprox.attention.approximation import METHODS, AttentionLayer, check, sample
from samapprox.attention.approximation.known_methods import builder
from samapprox.cli.main import cli

SCHEMA = schema("approximation")


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(cli, ["approximate", *map(str, arguments)])


def stored(folder: Path, matrix: object) -> Path:
    np.save(folder / "A.npy", np.array(matrix, dtype=float))
    return folder / "A.npy"


def test_a_sample_and_its_file(tmp_path: Path) -> None:
    result = run("--sample", "32,2,3", "--seed", "7", "--output", tmp_path / "layer.npz", "--json")
    assert result.exit_code == 0, result.output
    document = json.loads(result.stdout)
    SCHEMA.validate(document)
    assert document["verified"]
    assert document["proven"]
    assert document["d"] == 2 * document["rank"] == document["d_hid"]
    with np.load(tmp_path / "layer.npz") as arrays:
        layer = AttentionLayer(arrays["X"], arrays["W_Q"], arrays["W_K"])
    report = check(layer, sample(32, 2, 3.0, seed=7), 0.5, 1.0)
    assert report.holds
    assert report.zeros.log_ratio == pytest.approx(document["zeros"]["log_ratio"])


def test_words_for_people(tmp_path: Path) -> None:
    result = run(stored(tmp_path, np.eye(5)[[1, 0, 2, 4, 3]]), "--d-min", "--step", "2")
    assert result.exit_code == 0, result.output
    assert "projection: rank " in result.output
    assert "proven for real numbers" in result.output
    assert "condition (8), ratios: nothing to compare" in result.output


def test_what_fails_says_so(tmp_path: Path) -> None:
    result = run("--sample", "64,1,1", "-d", "4")
    assert result.exit_code == 0
    assert "NOT verified" in result.output
    document = json.loads(run("--sample", "64,1,1", "-d", "4", "--json").stdout)
    SCHEMA.validate(document)
    assert not document["verified"]
    assert document["facts"]["draws"] == {"4": 64}


def test_causal(tmp_path: Path) -> None:
    matrix = [[1, 0, 0], [0.25, 0.75, 0], [0.2, 0, 0.8]]
    result = run(stored(tmp_path, matrix), "--causal", "--gamma", "4", "--k", "3")
    assert result.exit_code == 0, result.output
    assert "Verified for causal attention" in result.output


def test_the_same_seed_gives_the_same_file(tmp_path: Path) -> None:
    for name in ("a.npz", "b.npz"):
        assert run("--sample", "40,1,1", "--seed", "3", "--output", tmp_path / name).exit_code == 0
    assert (tmp_path / "a.npz").read_bytes() == (tmp_path / "b.npz").read_bytes()


EYE = np.eye(3)


@pytest.mark.parametrize(
    ("matrix", "options", "words"),
    [
        ([[1, 0], [0.4, 0.5]], [], "row 1 sums to 0.9, off by -0.1"),
        ([[1, 0], [1.5, -0.5]], [], "row 1 has -0.5 in column 1"),
        ([[1.0, 0.0]], [], "must be square"),
        (EYE, ["--eps1", "1"], "eps1 must be above 0 and below 1"),
        (EYE, ["--eps1", "nan"], "eps1 must be"),
        (EYE, ["--eps2", "0"], "eps2 must be a positive number"),
        (EYE, ["-d", "3"], "needs an even d of at most 2n = 6, not 3"),
        (EYE, ["-d", "8"], "needs an even d of at most 2n = 6, not 8"),
        (EYE, ["-d", "4", "--d-hid", "3"], "d_hid must be at least d = 4"),
        (EYE, ["--k", "0"], "k = 0 is less than A's"),
        (EYE, ["--gamma", "nan"], "is less than A's"),
        (EYE, ["--gamma", "inf"], "gamma must be finite"),
        ([[1, 5e-324], [0, 1]], [], "differ too much for floats"),
        (EYE, ["--d-hid", "9" * 20], "more than 268,435,456 numbers"),
        (EYE, ["-d", "1000000"], "more than 268,435,456 numbers"),
        ([[0.5, 0.5], [0, 1]], ["--k", "1"], "give k >= 2"),
        ([[0.2, 0.8], [0, 1]], ["--gamma", "3"], "give gamma >= 4"),
        ([[0.5, 0.5], [0, 1]], ["--causal"], "row 0, column 1"),
        (EYE, ["--seed", "-1"], "the seed must be in"),
        (EYE, ["--step", "3"], "must be even"),
        (EYE, ["--redraws", "0"], "Q must be above 0"),
        (EYE, ["--frontier", "--ranks", "4,x"], "--ranks takes positive numbers such as 4,8,16"),
        (EYE, ["--frontier", "--ranks", "0"], "--ranks takes positive numbers such as 4,8,16"),
        (EYE, ["--sample", "4,1,1"], "give the matrix A as a file, or draw one"),
        (EYE, ["-d", "2", "--d-min"], "not both"),
        (EYE, ["--output", "layer.txt"], "written as .npz"),
    ],
)
def test_bad_input(tmp_path: Path, matrix: object, options: list[str], words: str) -> None:
    result = run(stored(tmp_path, matrix), *options)
    assert result.exit_code == 2
    assert words in result.output
    assert not isinstance(result.exception, AssertionError)


@pytest.mark.parametrize(
    "text",
    ["5", "5,6,1", "5,0,1", "5,1,0.5", "5,1,inf", "0,1,1", "a,b,c", "100000000000000000000,1,1"],
)
def test_bad_samples(text: str) -> None:
    result = run("--sample", text)
    assert result.exit_code == 2
    assert "Traceback" not in result.output


@pytest.mark.parametrize(
    "options",
    [
        ["--eps2", "1e6"],
        ["--eps2", "1e-300"],
        ["--eps1", "1e-320"],
        ["--sample", "1,1,1"],
        ["--sample", "5,5,1e100"],
    ],
)
def test_far_out(options: list[str]) -> None:
    """Numbers at the limits of what floats hold."""
    result = run("--sample", "5,2,2", *options, "--json")
    assert result.exit_code == 0, result.output
    SCHEMA.validate(json.loads(result.stdout))


def test_no_matrix_and_no_file(tmp_path: Path) -> None:
    assert run().exit_code == 2
    missing = run(tmp_path / "none.npy")
    assert missing.exit_code == 2
    assert "none.npy" in missing.output
    (tmp_path / "text.npy").write_text("hello")
    assert run(tmp_path / "text.npy").exit_code == 2


@pytest.mark.parametrize("method", METHODS)
def test_methods_of_the_table_are_there(method: str) -> None:
    assert callable(builder(method))
