"""From patterns to layers: `approximate --weak`."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from helpers.schemas import schema
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from safetensors import safe_open
from safetensors.numpy import load_file

from samapprox import Embedding, InputError, Pattern, Problem, Verdict, WeakDimension, decide
from samapprox.attention.approximation import AttentionLayer
from samapprox.attention.approximation.pattern_layer import layer_of, run, save_layer
from samapprox.attention.self_attention import csam, sam
from samapprox.cli.main import cli

PATTERN = "1100\n0110\n0011\n1001"


def shown(matrix: np.ndarray, entries: np.ndarray) -> bool:
    """Every one above every zero of its row."""
    return all(
        row[marks == 1].min() > row[marks == 0].max()
        for row, marks in zip(matrix, entries, strict=True)
        if (marks == 0).any()
    )


patterns = st.integers(1, 6).flatmap(
    lambda n: hnp.arrays(np.int8, (n, n), elements=st.sampled_from([0, 1, 1]))
)


@settings(deadline=None, max_examples=40)
@given(patterns, st.booleans())
def test_running_the_layer_shows_the_pattern(entries: np.ndarray, causal: bool) -> None:
    entries = entries.copy()
    entries[:, 0] |= entries.sum(axis=1) == 0
    if causal:
        entries[:, 0] |= np.tril(entries).sum(axis=1) == 0
    pattern = Pattern.from_array(entries)
    pattern = pattern.causal() if causal else pattern
    d = max(1, min(pattern.shape[0], pattern.shape[1] - 1))
    proof = decide(pattern, d).proof
    assert isinstance(proof, Embedding)
    found = layer_of(pattern, proof, causal=causal)
    assert found.holds
    assert found.sharpness > 1
    function = csam if causal else sam
    matrix = function(found.layer.X, found.layer.W_Q, found.layer.W_K)
    assert shown(matrix, pattern.to_array())


def test_huge_integers_become_small_floats() -> None:
    proof = Embedding([[2**200], [-(2**200)]], [[2**300], [2**300 + 2**299]], [0, -(2**600)])
    pattern = Pattern.from_text("01\n10")
    found = layer_of(pattern, proof)
    assert found.holds
    assert np.abs(found.layer.X).max() < 1000


def test_rows_that_an_arithmetic_loses_are_named() -> None:
    keys = [[k] for k in (0, 4096, 4097)]
    proof = Embedding([[1], [-1], [1]], keys, [4096, -1, 4095])
    pattern = Pattern.from_text("001\n100\n011")
    assert layer_of(pattern, proof, kind=np.float64).holds
    assert layer_of(pattern, proof, kind=np.float16).rows_lost == (0,)


def test_a_wrong_layer_is_not_called_right() -> None:
    pattern = Pattern.from_text(PATTERN)
    embedding = decide(pattern, 2).proof
    assert isinstance(embedding, Embedding)
    layer = layer_of(pattern, embedding).layer
    other = Pattern.from_array(1 - pattern.to_array())
    assert run(other, layer).rows_lost == (0, 1, 2, 3)
    flat = AttentionLayer(np.zeros((4, 2)), np.eye(2), np.eye(2))
    assert run(pattern, flat).rows_lost == (0, 1, 2, 3)


def test_only_squares_of_the_right_size() -> None:
    wide = Pattern.from_text("110\n011")
    proof = decide(wide, 1).proof
    assert isinstance(proof, Embedding)
    with pytest.raises(InputError, match="as many queries as keys"):
        layer_of(wide, proof)
    square = Pattern.from_text("10\n01")
    with pytest.raises(InputError, match="another number"):
        layer_of(square, proof)
    with pytest.raises(InputError, match="tokens"):
        run(wide, AttentionLayer(np.eye(2), np.eye(2), np.eye(2)))


def test_the_command_writes_what_models_load(tmp_path: Path) -> None:
    file, layer = tmp_path / "pattern.txt", tmp_path / "layer.safetensors"
    file.write_text(PATTERN)
    arguments = ["approximate", "--weak", str(file), "--output", str(layer), "--json"]
    result = CliRunner().invoke(cli, arguments)
    assert result.exit_code == 0
    document = json.loads(result.stdout)
    schema("pattern_layer").validate(document)
    assert (document["d"], document["lower"], document["d_hid"]) == (2, 2, 4)
    stored = load_file(layer)
    matrix = sam(stored["X"], stored["W_Q"], stored["W_K"])
    assert shown(matrix, Pattern.from_text(PATTERN).to_array())
    with safe_open(layer, framework="numpy") as opened:
        assert opened.metadata() == {"d": "2", "d_hid": "4", "causal": "false"}
    told = CliRunner().invoke(cli, ["approximate", "--weak", str(file), "--causal"])
    assert told.exit_code == 0
    assert "Verified by running it: in each row of its causal attention" in told.stdout


def test_the_command_takes_types_that_numpy_lacks(tmp_path: Path) -> None:
    file, layer = tmp_path / "pattern.txt", tmp_path / "layer.safetensors"
    file.write_text(PATTERN)
    arguments = ["approximate", "--weak", str(file), "--arithmetic", "bfloat16"]
    result = CliRunner().invoke(cli, [*arguments, "--output", str(layer)])
    assert result.exit_code == 0
    assert "in bfloat16\n" in result.stdout
    assert layer.read_bytes().count(b'"BF16"') == 3


def test_the_command_names_the_rows_that_its_layer_loses(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All of it on the line, by keys that float16 rounds to the same."""
    file = tmp_path / "pattern.txt"
    file.write_text("001\n100\n011\n")
    problem = Problem(Pattern.from_text("001\n100\n011"), 1)
    proof = Embedding([[1], [-1], [1]], [[0], [4096], [4097]], [4096, -1, 4095])
    found = WeakDimension(problem.pattern, Verdict(problem, proof), None)
    place = "samapprox.cli.papers.approximate_modes.weak_dimension"
    monkeypatch.setattr(place, lambda *_, **__: found)
    arguments = ["approximate", "--weak", str(file), "--arithmetic", "float16"]
    result = CliRunner().invoke(cli, arguments)
    assert result.exit_code == 1
    assert (
        "NOT represented: in float16, 1 of 3 rows of its attention comes out wrong: row 0;"
        in result.stdout
    )


def test_without_time_there_is_still_a_layer(tmp_path: Path) -> None:
    file = tmp_path / "pattern.txt"
    rng = np.random.default_rng(0)
    chosen = [rng.permutation(30)[:3] for _ in range(30)]
    rows = ["".join("01"[j in ones] for j in range(30)) for ones in chosen]
    file.write_text("\n".join(rows))
    arguments = ["approximate", "--weak", str(file), "--time-limit", "0.001", "--json"]
    result = CliRunner().invoke(cli, [*arguments, "--arithmetic", "float64"])
    document = json.loads(result.stdout)
    assert document["d"] <= 6
    assert document["verified"]


def test_types_that_numpy_lacks_are_stored(tmp_path: Path) -> None:
    from ml_dtypes import bfloat16

    layer = AttentionLayer([[1.5]], [[2.0]], [[3.0]]).astype(bfloat16)
    save_layer(layer, tmp_path / "layer.safetensors")
    with safe_open(tmp_path / "layer.safetensors", framework="numpy") as opened:
        assert opened.get_slice("X").get_dtype() == "BF16"
    save_layer(layer, tmp_path / "layer.npz")
    assert np.load(tmp_path / "layer.npz")["X"].tolist() == [[1.5]]


@pytest.mark.parametrize(
    ("text", "more"),
    [
        ("110\n011", ()),
        ("10\n0x", ()),
        ("10\n01", ("--d-hid", "1")),
        ("10\n01", ("--arithmetic", "int8")),
        ("10\n01", ("--output", "layer.txt")),
        ("10\n01", ("--sample", "4,1,1")),
        ("10\n01", ("--frontier",)),
        ("10\n01", ("--time-limit", "-1")),
    ],
)
def test_bad_input_is_one_line(tmp_path: Path, text: str, more: tuple[str, ...]) -> None:
    file = tmp_path / "pattern.txt"
    file.write_text(text)
    result = CliRunner().invoke(cli, ["approximate", "--weak", str(file), *more])
    assert result.exit_code == 2
    assert "Traceback" not in result.stderr
    assert result.stdout == ""


def test_exact_layers_have_no_tensors(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"layer\.safetensors: no tensor holds exact numbers"):
        save_layer(AttentionLayer([[1]], [[1]], [[1]]), tmp_path / "layer.safetensors")
