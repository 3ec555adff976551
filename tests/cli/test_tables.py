"""Tables of commands: plain text in pipes; at a terminal within its width, verdicts in colour."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from samapprox.cli.terminal import print_table
from samapprox.support.text import text_width

pytest.importorskip("pty")

from helpers.programs.terminals import run_at_terminal

HEADER = ("head", "verdict", "least d", "share")
ROWS = [
    ("L0 H1", "YES", "2", "~12.5%"),
    ("猫の頭", "NO", "11", "3.25%"),
    ("[red]L0 H3[/red]", "UNKNOWN", "..", ""),
]
SCRIPT = f"""
from samapprox.cli.terminal import print_table
print_table({HEADER!r}, {ROWS!r}, title="all heads")
"""


def at_terminal(**options: object) -> list[str]:
    python = Path(sys.executable)
    return run_at_terminal("-c", SCRIPT, command=python, **options).splitlines()  # type: ignore[arg-type]


def test_plain_text_is_stable(capsys: pytest.CaptureFixture[str]) -> None:
    print_table(HEADER, ROWS, title="all heads")
    assert capsys.readouterr().out == (
        "all heads\n"
        "head              verdict  least d   share\n"
        "L0 H1             YES            2  ~12.5%\n"
        "猫の頭            NO            11   3.25%\n"
        "[red]L0 H3[/red]  UNKNOWN       ..\n"
    )


def test_a_table_without_rows_is_its_header(capsys: pytest.CaptureFixture[str]) -> None:
    print_table(("method", "rank"), [])
    assert capsys.readouterr().out == "method  rank\n"


def test_a_terminal_shows_the_same_cells_with_verdicts_in_colour() -> None:
    title, *lines = at_terminal()
    assert title == "all heads"
    assert re.findall(r"\x1b\[3\dm(\w+)", "".join(lines)) == ["YES", "NO", "UNKNOWN"]
    plain = [re.sub(r"\x1b\[[0-9;]*m", "", line).rstrip() for line in lines]
    assert [re.split("  +", line) for line in plain[:3]] == [list(HEADER), *map(list, ROWS[:2])]
    ends = {text_width(line) for line in plain[:3]}
    assert len(ends) == 1
    assert "\x1b[3" not in "".join(at_terminal(NO_COLOR="1"))


@pytest.mark.parametrize("columns", [40, 42])
def test_a_table_fits_a_narrow_terminal(columns: int) -> None:
    lines = at_terminal(columns=columns, NO_COLOR="1")
    assert (
        max(text_width(re.sub(r"\x1b\[[0-9;]*m", "", line).rstrip()) for line in lines) <= columns
    )
    for word in ("UNKNOWN", "YES", "11"):
        assert any(word in line for line in lines)
