"""`--arithmetic` with a set of values: a question of its own."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from helpers.commands import run

from samapprox import Certificate, load

SINGLES = "10000\n01000\n00100\n00010\n00001\n"


@pytest.fixture(name="singles")
def write_singles(tmp_path: Path) -> str:
    path = tmp_path / "singles.txt"
    path.write_text(SINGLES)
    return str(path)


def test_decide_saves_a_certificate_that_both_sides_verify(singles: str, tmp_path: Path) -> None:
    """One side is proven by vectors, the other by counting: 5 keys need 3 bits."""
    file = tmp_path / "answer.json"
    for d, answer in (("2", "NO"), ("3", "YES")):
        found = run(
            "decide", singles, "-d", d, "--arithmetic", "binary", "--certificate", str(file)
        )
        assert found.exit_code == 0
        assert "with binary queries and keys" in found.stdout.splitlines()[0]
        assert found.stdout.startswith(answer)
        valid = run("verify", singles, str(file))
        assert f"VALID: {answer} for d = {d} with binary queries and keys" in valid.stdout
        assert Certificate.load(file).verify(load(singles))


def test_dim_states_the_set_and_the_least_dimension(singles: str) -> None:
    found = run("dim", singles, "--arithmetic", "ternary", "--json")
    document = json.loads(found.stdout)
    assert document["similarity"] == "ternary"
    assert document["lower"] == document["upper"] == 3
    assert document["no"]["proof"]["kind"] == "few-values"
    assert "arithmetic" not in document


def test_vectors_are_saved_as_they_are(singles: str, tmp_path: Path) -> None:
    file = tmp_path / "vectors.npz"
    options = ("-d", "3", "--arithmetic", "binary", "--save-embedding", str(file))
    assert run("decide", singles, *options).exit_code == 0
    with np.load(file) as arrays:
        parts = [arrays[name] for name in arrays.files if arrays[name].ndim == 2]
    assert len(parts) == 2
    assert all((np.abs(part) == 1).all() for part in parts)


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (
            ("--arithmetic", "float16"),
            "--arithmetic binary is a question of its own; leave out flo",
        ),
        (("--similarity", "l2"), "--arithmetic binary is a question of its own; leave out l2"),
        (("--d-hid", "5"), "d_hid has a meaning for the similarity dot only, not for binary"),
        (("--only", "line"), "unknown strategy 'line'"),
    ],
)
def test_what_has_no_meaning_is_refused(singles: str, more: tuple[str, ...], message: str) -> None:
    found = run("decide", singles, "--arithmetic", "binary", *more)
    assert found.exit_code != 0
    assert message in str(found.stderr) + str(found.exception)
