"""`verify --with`: another checker decides, and only its statuses count."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from helpers.checkers.second_checker import COMMAND, node
from helpers.checkers.verified import verified_checker
from helpers.commands import refused, run
from helpers.stored import STORED

from samapprox import Pattern

SQUARE = Pattern.from_text("100\n010\n001")


@pytest.fixture(autouse=True)
def _in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("p.txt").write_text(SQUARE.to_text())
    run("decide", "p.txt", "-d", "1", "--certificate", "no.json")


def checker(body: str) -> str:
    """Write a checker in Python and return its command."""
    Path("checker.py").write_text(f"import sys\n{body}\n")
    return f"{sys.executable} checker.py"


@pytest.mark.parametrize("status", [0, 1, 3])
def test_its_status_is_the_status(status: int) -> None:
    command = checker(f"print(open(sys.argv[1]).read().split()); sys.exit({status})")
    result = run("verify", "p.txt", "no.json", "--with", command)
    assert (result.exit_code, result.stdout) == (status, "['100', '010', '001']\n")


def test_a_file_that_it_cannot_read() -> None:
    command = checker("print('error: no', file=sys.stderr); sys.exit(2)")
    refused(run("verify", "p.txt", "no.json", "--with", command), "error: no")


def test_refusals() -> None:
    absent = run("verify", "p.txt", "no.json", "--with", "./absent")
    refused(absent, "--with ./absent: No such file")
    crash = checker("print('Segmentation fault'); sys.exit(139)")
    refused(run("verify", "p.txt", "no.json", "--with", crash), "ended with status 139")
    refused(run("verify", "p.txt", "no.json", "--with", crash, "--json"), "and nothing else")


def test_the_second_checker() -> None:
    result = run("verify", "p.txt", "no.json", "--with", f"{node()} {COMMAND}")
    assert (result.exit_code, result.stdout) == (0, "VALID: NO for d = 1\n")


def test_the_verified_checker() -> None:
    result = run("verify", "p.txt", "no.json", "--with", verified_checker())
    assert (result.exit_code, result.stdout) == (0, "VALID: NO for d = 1\n")


def test_the_verified_checker_on_components() -> None:
    stored = STORED["components"]
    Path("q.txt").write_text("\n".join(stored.rows))
    Path("yes.json").write_text(stored.text)
    result = run("verify", "q.txt", "yes.json", "--with", verified_checker())
    assert (result.exit_code, result.stdout) == (0, "VALID: YES for d = 2\n")
    Path("q.txt").write_text(SQUARE.to_text())
    assert run("verify", "q.txt", "yes.json", "--with", verified_checker()).exit_code == 1
