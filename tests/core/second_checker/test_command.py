"""The command of the second checker: files, exit statuses, and no traceback."""

from __future__ import annotations

import gzip
import json
import subprocess
from pathlib import Path

import numpy as np
import pytest
from helpers.checkers.second_checker import COMMAND, node
from helpers.commands import refused
from helpers.commands import run as invoke
from helpers.paths import ROOT

from samapprox import Pattern, data, decide, load, save


def run(*arguments: str | Path, stdin: bytes = b"") -> tuple[int, str, str]:
    """Return the exit status, and what is on standard output and standard error."""
    done = subprocess.run(
        [node(), COMMAND, *arguments], input=stdin, capture_output=True, timeout=60, check=False
    )
    return done.returncode, done.stdout.decode(), done.stderr.decode()


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("files")
    eye = Pattern.from_text("100\n010\n001")
    certificate = decide(eye).certificate
    assert certificate is not None
    document = json.dumps(certificate.to_json())
    (folder / "eye.txt").write_text("# queries\n1 0 0\n\n0,1,0\r\n001\n")
    (folder / "eye.json").write_text('{"rows":3,"columns":3,"ones":[[0],[1],[2]]}')
    (folder / "other.txt").write_text("100\n010\n011\n")
    (folder / "no.json").write_text(document)
    (folder / "no.json.gz").write_bytes(gzip.compress(document.encode()))
    (folder / "mark.txt").write_bytes(b"\xef\xbb\xbf100\n010\n001")
    (folder / "mark.json").write_bytes(b"\xef\xbb\xbf" + document.encode())
    (folder / "latin.txt").write_bytes(b"\xff")
    (folder / "bomb.gz").write_bytes(gzip.compress(bytes(2**28 + 1)))
    return folder


@pytest.mark.parametrize("pattern", ["eye.txt", "eye.json"])
@pytest.mark.parametrize("certificate", ["no.json", "no.json.gz"])
def test_valid(files: Path, pattern: str, certificate: str) -> None:
    assert run(files / pattern, files / certificate) == (0, "VALID: NO for d = 1\n", "")


def test_standard_input(files: Path) -> None:
    text = (files / "no.json").read_bytes()
    assert run(files / "eye.txt", "-", stdin=text)[0] == 0
    assert run("-", files / "no.json", stdin=b"100\n010\n001")[0] == 0


def test_a_pattern_may_begin_with_a_byte_order_mark(files: Path) -> None:
    assert run(files / "mark.txt", files / "no.json")[0] == 0


def test_not_valid(files: Path) -> None:
    status, out, error = run(files / "other.txt", files / "no.json")
    assert (status, error) == (1, "")
    assert out.startswith("NOT VALID: it is about another pattern (3 x 3, sha256 ")


@pytest.mark.parametrize(
    ("pattern", "certificate", "words"),
    [
        ("none.txt", "no.json", "none.txt: no such file"),
        ("latin.txt", "no.json", "latin.txt: not text in UTF-8"),
        (".", "no.json", "is a folder"),
        ("no.json", "no.json", "the pattern cannot be read: the pattern lacks the member"),
        ("eye.txt", "latin.txt", "latin.txt: not text in UTF-8"),
        ("eye.txt", "eye.txt", "the certificate cannot be read: not JSON at character 0"),
        ("eye.txt", "eye.json", "the certificate lacks the member"),
        ("eye.txt", "bomb.gz", "bomb.gz: "),
        ("eye.txt", "mark.json", "not JSON at character 0"),
    ],
)
def test_unreadable(files: Path, pattern: str, certificate: str, words: str) -> None:
    status, out, error = run(files / pattern, files / certificate)
    assert (status, out) == (2, "")
    assert error.startswith("error: ")
    assert words in error
    assert error.count("\n") == 1


@pytest.mark.parametrize("ending", [".npz", ".npy"])
@pytest.mark.parametrize("question", [["decide", "-d", "1"], ["rank"]])
def test_files_of_numpy_take_one_command_more(
    tmp_path: Path, ending: str, question: list[str]
) -> None:
    source, proof = str(tmp_path / f"p{ending}"), str(tmp_path / "no.json")
    save(Pattern.from_text("1000\n0100\n0010\n0001"), source)
    option = "--no" if question == ["rank"] else "--certificate"
    assert invoke(*question, source, option, proof).exit_code == 0
    status, out, error = run(source, proof)
    assert (status, out) == (2, "")
    assert (
        "an npz or npy file; write a pattern as text first: samapprox show PATTERN --text" in error
    )
    (tmp_path / "p.txt").write_text(invoke("show", source, "--text").stdout)
    status, out, _ = run(tmp_path / "p.txt", proof)
    assert (status, out.split(":")[0]) == (0, "VALID")


def test_large_patterns_and_don_t_cares_are_written_as_text(tmp_path: Path) -> None:
    source = str(tmp_path / "p.npz")
    pattern = Pattern.from_array(np.eye(300), care=np.tri(300))
    save(pattern, source)
    assert Pattern.from_text(invoke("show", source, "--text").stdout) == pattern
    causal = invoke("show", source, "--text", "--causal").stdout
    assert Pattern.from_text(causal) == pattern.causal()
    refused(
        invoke("show", source, "--text", "--json"), "--text, --ids and --json exclude each other"
    )


def test_usage(files: Path) -> None:
    for arguments in ([], ["-", "-"], [files / "eye.txt"]):
        status, out, error = run(*arguments)
        assert (status, out) == (2, "")
        assert error.startswith("usage: ")


def test_the_guide_shows_what_it_prints(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "howto" / "second-checker.md").read_text()
    pattern = load(data.path("minilm/s00_L0_H08_top1_n8.npz"))
    certificate = decide(pattern).certificate
    assert certificate is not None
    (tmp_path / "no.json").write_text(json.dumps(certificate.to_json()))
    for more, status in (("", 0), ("\n11111111", 1)):
        (tmp_path / "pattern.txt").write_text(pattern.to_text() + more)
        found, out, _ = run(tmp_path / "pattern.txt", tmp_path / "no.json")
        assert found == status
        assert f"{out}exit status {status}\n" in page
