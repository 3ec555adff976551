"""Manual pages: one a command, with all its options, in clean roff."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import click
import pytest
from hypothesis import given
from hypothesis import strategies as st

from samapprox.cli.main import COMMANDS, cli
from samapprox.cli.man_pages import man_pages

PAGES = dict(man_pages())


def test_every_command_has_a_page() -> None:
    assert set(PAGES) >= {"samapprox.1", *(f"samapprox-{name}.1" for name in COMMANDS)}
    for page in ("samapprox-graph-check.1", "samapprox-generate-line.1"):
        assert page in PAGES
    for name in COMMANDS:
        assert f"\\fB{name}\\fR" in PAGES["samapprox.1"]


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_is_in_the_page(name: str) -> None:
    command = cli.get_command(click.Context(cli), name)
    assert command is not None
    page = PAGES[f"samapprox-{name}.1"].replace(r"\-", "-")
    for parameter in command.params:
        if isinstance(parameter, click.Option):
            for option in (*parameter.opts, *parameter.secondary_opts):
                assert f"\\fB{option}\\fR" in page
            assert parameter.help
            assert " ".join(parameter.help.split()) in page


def test_every_line_is_a_request_or_text() -> None:
    for name, page in PAGES.items():
        assert page.startswith(f'.TH "{name[:-2].upper()}"'.replace("-", r"\-"))
        for line in page.splitlines():
            assert line
            assert re.match(r"\.(TH|SH|PP|TP)( |$)|[^.']", line)
        assert all(re.findall(r"\\(f[BRI]|&|e|-)?", page))  # no other escape


@pytest.mark.skipif(shutil.which("groff") is None, reason="needs groff")
def test_groff_has_no_complaint(tmp_path: Path) -> None:
    paths = []
    for name, page in PAGES.items():
        paths.append(tmp_path / name)
        paths[-1].write_text(page, encoding="utf-8")
    command = ["groff", "-man", "-ww", "-z", "-K", "utf8", "-T", "utf8", *paths]
    done = subprocess.run(command, capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.skipif(shutil.which("groff") is None, reason="needs groff")
def test_a_page_reads_as_the_help(tmp_path: Path) -> None:
    page = PAGES["samapprox-decide.1"].encode()
    command = ["groff", "-man", "-K", "utf8", "-T", "ascii", "-P-c", "-rHY=0"]
    text = subprocess.run(command, input=page, capture_output=True, check=True).stdout.decode()
    text = " ".join(re.sub(".\b", "", text).split())
    assert "samapprox decide [OPTIONS] PATTERN" in text
    assert "Give up with UNKNOWN after this many seconds. [default: 60.0]" in text
    assert "npz, npy, csv or txt of 0/1/*" in text


@given(st.text(st.sampled_from(".'\\-ab "), max_size=12))
def test_text_is_never_a_request(text: str) -> None:
    from samapprox.cli.man_pages import _escape

    escaped = _escape(text)
    assert not escaped.startswith((".", "'"))
    plain = escaped.removeprefix(r"\&").replace(r"\-", "-").replace(r"\e", "\\")
    assert plain == text


def test_the_command_that_writes_them(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "samapprox.cli.man_pages"]
    folder = tmp_path / "man/man1"
    done = subprocess.run([*command, folder], capture_output=True, text=True, check=True)
    assert done.stdout == f"{folder}: {len(PAGES)} pages\n"
    assert {path.name: path.read_text() for path in folder.iterdir()} == PAGES
    (tmp_path / "file").touch()
    for arguments in ([tmp_path / "file"], [], ["--help"]):
        refused = subprocess.run(
            [*command, *arguments], capture_output=True, text=True, check=False
        )
        assert refused.returncode == 2
        assert refused.stderr.count("\n") == 1
