"""Answers at a terminal: in colour, and no wider than it."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("pty")

from helpers.commands import run
from helpers.programs.terminals import SAMAPPROX, run_at_terminal, run_each_at_terminal

from samapprox import data

YES = str(data.path("minilm/s02_L4_H10_unif_n11.npz"))
NO = str(data.path("minilm/s00_L0_H08_top1_n8.npz"))
LIMIT = str(data.path("limit/limit.npz"))
GREEN, RED, YELLOW, END = "\x1b[32m", "\x1b[31m", "\x1b[33m", "\x1b[0m"
LAYERS = ["furthest", "--family", "furthest-clustered:n=32,d=4", "--graph", "window:w=3"]


def plain(text: str) -> str:
    return re.sub(r"\x1b\[[0-9;]*m", "", text)


def painted(text: str) -> list[str]:
    """Return the parts of a text that are in colour."""
    return re.findall(r"\x1b\[3\dm(.*?)\x1b\[0m", text)


ANSWERS = {
    f"{GREEN}YES{END}: attention": ["decide", YES],
    f"{RED}NO{END}: no attention": ["decide", NO],
    f"{YELLOW}UNKNOWN{END}: ": ["decide", NO, "-d", "2", "--only", "line"],
    "1.1 self-loops: all\n": ["graph", "check", "star", "--n", "5"],
}
"""The start of an answer in colour, and its command."""


def test_answers_are_in_colour() -> None:
    commands = list(ANSWERS.values())
    answers = run_each_at_terminal(commands)
    for start, printed in zip(ANSWERS, answers, strict=True):
        assert printed.startswith(start)
        assert set(painted(printed)) <= {"YES", "NO", "UNKNOWN"}
        assert painted(printed)
    for environment in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
        bare = run_each_at_terminal(commands, **environment)
        assert "\x1b[3" not in "".join(bare)
        assert bare == [*map(plain, answers)]


def test_checks_and_bounds_are_in_colour(tmp_path: Path) -> None:
    certificate = str(tmp_path / "c.json")
    bounds = run_at_terminal("dim", NO, "--no", certificate)
    assert painted(bounds) == ["NO", "YES"]
    assert run_at_terminal("verify", NO, certificate) == f"{GREEN}VALID{END}: NO for d = 1\n"
    assert run_at_terminal("verify", YES, certificate).startswith(f"{RED}NOT VALID{END}: it is ")


def test_no_colour_leaves_the_terminal(tmp_path: Path) -> None:
    """Neither in pipes nor in documents."""
    assert "\x1b" not in run("decide", NO).stdout
    piped = subprocess.run([SAMAPPROX, "decide", NO], capture_output=True, text=True, check=True)
    assert "\x1b" not in piped.stdout
    document = run_at_terminal("decide", LIMIT, "-d", "3", "--json", columns=40, FORCE_COLOR="1")
    parsed = json.loads(document)
    assert "\x1b" not in document
    assert max(map(len, parsed["explanation"])) > 100


@pytest.mark.parametrize("variable", ["FORCE_COLOR", "CLICOLOR_FORCE"])
def test_colour_may_be_demanded(variable: str) -> None:
    command = [SAMAPPROX, "decide", NO]
    for value, colored in (("1", True), ("0", False)):
        environment = {**os.environ, variable: value}
        environment.pop("NO_COLOR", None)
        done = subprocess.run(command, capture_output=True, text=True, env=environment, check=True)
        assert done.stdout.startswith(f"{RED}NO{END}: ") is colored


@pytest.mark.parametrize("columns", [60, 80, 120])
def test_the_table_of_a_proof_fits_the_terminal(columns: int) -> None:
    printed = plain(run_at_terminal("decide", LIMIT, "-d", "3", columns=columns))
    table = printed.splitlines()[2:]
    assert max(map(len, table)) <= columns
    names = re.findall(r"column \d+ \('.*?'\)", printed)
    assert len(names) == 5
    wide = run("decide", LIMIT, "-d", "3").stdout
    assert re.findall(r"column \d+ \('.*?'\)", wide.splitlines()[2]) == names


@pytest.mark.parametrize("columns", [40, 100])
def test_tables_of_numbers_fit_the_terminal(columns: int) -> None:
    printed = run_at_terminal(*LAYERS, "--layers", "4", columns=columns)
    answer = printed[printed.index("window:w=3: ") :]  # after the progress
    table = answer.splitlines()[1:-1]
    assert max(map(len, table)) <= columns
    if columns == 100:
        assert run(*LAYERS, "--layers", "4").stdout.split() == answer.split()


COLD = """
import json, sys
from samapprox.cli.main import cli
for arguments in json.loads(sys.argv[1]):
    cli.main(arguments, standalone_mode=False)
    if "rich" in sys.modules:
        sys.exit(str(arguments))
"""


def test_pipes_need_no_rich() -> None:
    commands = json.dumps([["decide", NO], ["dim", NO], [*LAYERS, "--layers", "2"]])
    subprocess.run([sys.executable, "-c", COLD, commands], capture_output=True, check=True)


ESCAPES = "\x1b]0;title\x07\x1b[2J\x9b1m\u202e"


def test_names_cannot_control_the_terminal(tmp_path: Path) -> None:
    """Names of files, arrays and origins are printed with their control characters escaped."""
    identity = np.eye(4, dtype=np.uint8)
    named = tmp_path / f"named{ESCAPES}.npz"
    np.savez(named, S=identity, origin=np.array(json.dumps({"family": ESCAPES})))
    arrays = tmp_path / "arrays.npz"
    np.savez(arrays, **{f"a{ESCAPES}": identity, "b": identity})
    folder = tmp_path / f"set{ESCAPES}"
    folder.mkdir()
    (folder / f"bad{ESCAPES}.txt").write_text("12\n")
    certificate, results = (str(tmp_path / f"{ESCAPES}{end}") for end in (".json", ".sqlite"))
    commands = [
        ["show", str(named)],
        ["show", str(arrays)],
        ["show", str(named.with_suffix(".txt"))],
        ["decide", str(named), "--certificate", certificate],
        ["batch", str(folder), "--results", results],
        ["plot", str(named), "-o", str(tmp_path / f"{ESCAPES}.svg")],
        ["graph", "info", ESCAPES],
    ]
    for arguments, printed in zip(commands, run_each_at_terminal(commands), strict=True):
        assert r"\x1b]0;title\x07\x1b[2J\x9b1m\u202e" in printed, arguments
        assert not set("\x07\x9b\u202e") & set(printed), arguments
        assert "\x1b]" not in printed, arguments
        assert "\x1b[2J" not in printed, arguments


def test_tables_and_answers_escape_what_they_print() -> None:
    words = (
        "from samapprox.cli.terminal import print_table;"
        "from samapprox.cli.terminal import echo_answer, paint;"
        r"print_table(['a\x1b[2J'], [['b\x1b]0;t\x07']], title='t\x1b[2J');"
        r"echo_answer('NO: \x1b[2J and ' + paint('YES'))"
    )
    printed = run_at_terminal("-c", words, command=Path(sys.executable))
    lines = [line.rstrip() for line in plain(printed).splitlines()]
    assert lines == [r"t\x1b[2J", r"a\x1b[2J", r"b\x1b]0;t\x07", r"NO: \x1b[2J and YES"]
    assert painted(printed) == ["NO", "YES"]
