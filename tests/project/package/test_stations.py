"""The way of a decision from the command to a strategy, as docs/design.md describes it."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from types import FrameType

import pytest
from helpers.paths import ROOT

from samapprox.cli.main import cli
from samapprox.problem import Problem
from samapprox.proofs.base import Proof
from samapprox.solvers.engine.portfolio import choose
from samapprox.solvers.engine.search import Search

MOST_HOPS = 7

_, _, after = (ROOT / "docs/design.md").read_text().partition("## How an answer comes about\n")
STATIONS, _, _ = after.partition("\n`samapprox dim`")
FILES = re.findall(r"`((?:core|cli|solvers)/[\w/]+\.py)`", STATIONS)


def follow(monkeypatch: pytest.MonkeyPatch, source: Path) -> tuple[list[str], set[str]]:
    """Decide a pattern; return the functions above `rank`'s find_proof, and the files that ran."""
    (record,) = choose(["rank"])
    module = record.load()
    find_proof = module.find_proof
    stack: list[str] = []
    ran: set[str] = set()

    def observe(problem: Problem, search: Search) -> Proof | str:
        frame = sys._getframe(1)
        while frame is not None:
            stack.append(f"{name_file(frame.f_code.co_filename)}:{frame.f_code.co_name}")
            frame = frame.f_back
        return find_proof(problem, search)

    def note(frame: FrameType, _event: str, _argument: object) -> None:
        ran.add(frame.f_code.co_filename)

    monkeypatch.setattr(module, "find_proof", observe)
    before = sys.getprofile()
    sys.setprofile(note)
    try:
        cli.main(["decide", str(source), "-d", "2", "--only", "rank"], standalone_mode=False)
    finally:
        sys.setprofile(before)
    return stack, {name_file(path) for path in ran}


def name_file(path: str) -> str:
    """Return the path of a file within the repository."""
    resolved = Path(path).resolve()
    return str(resolved.relative_to(ROOT)) if resolved.is_relative_to(ROOT) else path


def test_few_hops_lead_from_the_command_to_a_strategy(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    source = tmp_path / "identity.csv"
    source.write_text("100\n010\n001\n")
    stack, ran = follow(monkeypatch, source)
    command = "cli/pattern/decide.py:decide"
    assert command in stack
    assert stack.index(command) + 1 <= MOST_HOPS, stack
    assert len(FILES) >= 8
    assert set(FILES) - ran == set()
