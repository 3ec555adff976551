"""The README's commands print what the README shows."""

from __future__ import annotations

import doctest
import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner
from helpers.paths import ROOT

from samapprox.cli.main import COMMANDS, GROUPS, cli

README = (ROOT / "README.md").read_text(encoding="utf-8")
TABLE = README.partition("\n## Commands\n")[2].partition("\n## ")[0]


@pytest.mark.usefixtures("_in_process")
def test_the_tour_as_printed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every `$ samapprox` command, in order, prints what stands below it."""
    (tmp_path / "data").symlink_to(ROOT / "data")
    monkeypatch.chdir(tmp_path)
    printed = "\n".join(re.findall(r"```console\n(\$.*?)```", README, flags=re.DOTALL))
    steps = re.split(r"^\$ samapprox ", printed, flags=re.MULTILINE)[1:]
    assert len(steps) >= 4
    for step in steps:
        command, _, expected = step.partition("\n")
        assert CliRunner().invoke(cli, shlex.split(command)).stdout.strip() == expected.strip()


def test_the_python_example(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    result = doctest.testfile(str(ROOT / "README.md"), module_relative=False)
    assert result.attempted > 2
    assert result.failed == 0


def test_the_help_groups_commands_as_the_table_does() -> None:
    rows = [line.split("|")[2] for line in TABLE.splitlines() if line.startswith("| ")][1:]
    table = [re.findall(r"`([a-z]+)`", row) for row in rows]
    assert table == [list(group) for group in GROUPS.values()]
    listed = re.findall(r"^  ([a-z]+)  +[A-Z]", CliRunner().invoke(cli, ["-h"]).stdout, re.M)
    assert listed == list(COMMANDS)


def test_it_is_short() -> None:
    assert len(README.splitlines()) <= 110


def test_links_lead_somewhere() -> None:
    for path in [ROOT / "README.md", *(ROOT / "docs").rglob("*.md"), ROOT / "CONTRIBUTING.md"]:
        for target in re.findall(r"\]\(([^)#:]+)\)", path.read_text(encoding="utf-8")):
            assert (path.parent / target).exists(), (path.name, target)
