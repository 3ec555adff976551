"""Certificates and documents through standard input and output, which - stands for."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from helpers.commands import refused, run

from samapprox import Certificate, data, load, save

YES = str(data.path("minilm/s02_L4_H10_unif_n11.npz"))
NO = str(data.path("minilm/s00_L0_H08_top1_n8.npz"))


@pytest.mark.parametrize(("source", "answer"), [(YES, "YES"), (NO, "NO")])
def test_a_certificate_goes_from_one_command_to_the_next(source: str, answer: str) -> None:
    done = run("decide", source, "--certificate", "-")
    certificate = Certificate.from_bytes(done.stdout.encode())
    assert (certificate.answer, done.stdout.count("\n")) == (answer, 1)
    assert done.stderr.startswith(f"{answer}: ")
    assert "saved" not in done.stderr
    checked = run("verify", source, "-", stdin=done.stdout)
    assert checked.exit_code == 0
    assert checked.stdout.startswith(f"VALID: {answer} for d = 1\n")
    other = run("verify", NO if source == YES else YES, "-", stdin=done.stdout)
    assert (other.exit_code, other.stdout[:10]) == (1, "NOT VALID:")


def test_pattern_in_and_certificate_out() -> None:
    text = load(YES).to_text()
    done = run("decide", "-", "--certificate", "-", stdin=text)
    assert Certificate.from_bytes(done.stdout.encode()).verify(load(YES))


@pytest.mark.parametrize("arguments", [("decide", "-"), ("verify", YES, "-")])
def test_a_closed_standard_input_is_one_line(arguments: tuple[str, ...]) -> None:
    command = [sys.executable, "-m", "samapprox", *arguments]
    done = subprocess.run(
        ["sh", "-c", '"$@" <&-', "sh", *command], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "samapprox: error: standard input is closed\n"


def test_an_unknown_leaves_standard_output_empty() -> None:
    done = run("decide", NO, "-d", "2", "--only", "line", "--certificate", "-")
    assert (done.exit_code, done.stdout) == (0, "")
    assert "UNKNOWN" in done.stderr
    assert "no certificate to save" in done.stderr


def test_one_bound_of_dim_goes_to_standard_output() -> None:
    for option, answer in (("--yes", "YES"), ("--no", "NO")):
        done = run("dim", NO, option, "-")
        assert Certificate.from_bytes(done.stdout.encode()).answer == answer
        assert done.stderr.startswith("2: ")


def test_pictures_and_reductions_read_certificates_from_standard_input(tmp_path: Path) -> None:
    certificate = run("decide", YES, "--certificate", "-").stdout
    picture = str(tmp_path / "p.svg")
    assert run("plot", YES, "--certificate", "-", "-o", picture, stdin=certificate).exit_code == 0
    document = run("graph", "check", YES, "--json").stdout
    assert run("graph", "verify", YES, "-", stdin=document).stdout.startswith("VALID")
    np.save(tmp_path / "a.npy", np.eye(3))
    reduce = ["reduce", "attention-to-pattern", str(tmp_path / "a.npy"), "--rule", "unif"]
    target = run(*reduce, "-o", "-").stdout
    answer = run("decide", "-", "-d", "2", "--certificate", "-", stdin=target).stdout
    lifted = run(*reduce, "--answer", "-", stdin=answer).stdout
    assert np.argmax(json.loads(lifted), axis=1).tolist() == [0, 1, 2]


def test_texts_go_to_standard_output_by_name_too() -> None:
    for command in (
        ["encode", NO, "-d", "2", "--to", "dimacs"],
        ["generate", "line", "--rows", "3", "--columns", "4"],
        ["binarize", str(data.path("attention/att_s02_n11.npz")), "--uniform", "--select", "4,10"],
    ):
        plain, named = run(*command), run(*command, "-o", "-")
        assert plain.exit_code == named.exit_code == 0
        assert plain.stdout == named.stdout != ""


def test_decode_reads_the_answer_or_writes_the_certificate(tmp_path: Path) -> None:
    source, cnf = str(tmp_path / "p.npz"), str(tmp_path / "p.cnf")
    save(load(NO), source)
    run("encode", source, "-d", "2", "--to", "dimacs", "-o", cnf)
    done = run("decode", source, "-", "--encoding", cnf, stdin="s UNSATISFIABLE\n")
    assert (done.exit_code, done.stdout[:8]) == (0, "UNKNOWN:")
    assert "gives no proof" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["verify", "-", "-"], "-: standard input can be read only once"),
        (
            ["plot", "-", "--certificate", "-", "-o", "p.png"],
            "standard input can be read only once",
        ),
        (["decode", "-", "-", "--encoding", "x"], "standard input can be read only"),
        (["decode", YES, "-", "--encoding", "-"], "standard input can be read only"),
        (["graph", "verify", "-", "-"], "standard input can be read only"),
        (["decide", YES, "--json", "--certificate", "-"], "--json and a certificate both go to"),
        (["dim", YES, "--json", "--yes", "-"], "--json and a certificate both go to"),
        (["dim", YES, "--yes", "-", "--no", "-"], "two outputs would go to standard output"),
        (["report", "r.sqlite", "-o", "-"], "cannot be written to standard output; name a file"),
        (["batch", "set", "--junit", "-"], "cannot be written to standard output; name a file"),
        (["plot", YES, "-d", "1", "-o", "-"], "pictures are written as"),
    ],
)
def test_streams_that_cannot_be_shared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    refused(run(*arguments), message)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("content", ["", "{}", "[1]", json.dumps({"format": "x"}), "\0"])
def test_what_is_no_certificate_on_standard_input_is_one_line(content: str) -> None:
    refused(run("verify", YES, "-", stdin=content), "samapprox: error: standard input: ")
