"""Topological refutations beside the densest rows: the choice of rows, and how a line is kept."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from records import lines
from records.dense_rows import densest_rows, main, refute_densest
from records.questions import questions

from samapprox import Certificate, Pattern
from samapprox.problem import Problem
from samapprox.solvers.engine.search import Search

NAME = "random, n = 32"
QUESTIONS = {question.name: question for question in questions()}


def test_rows_with_most_ones_come_first() -> None:
    pattern = Pattern.from_text("1000\n0110\n1110\n0011")
    assert densest_rows(pattern, 3).tolist() == [2, 1, 3]


def test_the_proof_uses_the_densest_rows_alone() -> None:
    pattern = QUESTIONS[NAME].pattern
    proof = refute_densest(pattern, 3, 20, Search())
    assert not isinstance(proof, str)
    assert set(proof.rows) <= set(densest_rows(pattern, 20).tolist())
    assert Certificate.of(Problem(pattern, 3), proof).verify(pattern)


def test_too_few_rows_are_not_refuted() -> None:
    assert refute_densest(QUESTIONS[NAME].pattern, 3, 4, Search()) == (
        "all cycles of sign patterns are even"
    )


@pytest.fixture
def weaker_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> lines.Line:
    """Return a line with a weaker lower bound, alone in a table of its own."""
    stored = lines.read_lines()[NAME]
    yes = stored.certificate("yes").read_bytes()
    monkeypatch.setattr(lines, "TABLE", tmp_path / "table.csv")
    monkeypatch.setattr(lines, "CERTIFICATES", tmp_path / "certificates")
    line = replace(stored, lower=3, seconds=1.0, no="weaker")
    lines.keep(line, {})
    line.certificate("yes").write_bytes(yes)
    return line


def test_a_line_keeps_its_upper_bound(weaker_table: lines.Line) -> None:
    main([NAME, "-d", "3", "--rows", "20"])
    line = lines.read_lines()[NAME]
    assert (line.lower, line.upper) == (4, weaker_table.upper)
    assert line.no.startswith("Topological ")
    assert line.yes == weaker_table.yes
    assert line.command.startswith(
        f"{weaker_table.command}; python benchmarks records.results dense-"
    )
    assert line.seconds >= weaker_table.seconds
    assert lines.fault(line, QUESTIONS[NAME]) is None


def test_a_failure_changes_nothing(
    weaker_table: lines.Line, capsys: pytest.CaptureFixture[str]
) -> None:
    main([NAME, "-d", "3", "--rows", "4"])
    assert capsys.readouterr().out == f"{NAME}: all cycles of sign patterns are even\n"
    assert lines.read_lines()[NAME] == weaker_table


def test_an_unknown_line_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["no such line", "-d", "3", "--rows", "20"])
    assert stopped.value.code == 2
    assert "no line is named 'no such line'" in capsys.readouterr().err


def test_stored_refutation_of_a_large_mask_holds() -> None:
    name = "random, n = 128"
    line = lines.read_lines()[name]
    certificate = Certificate.load(line.certificate("no"))
    assert line.lower == certificate.d + 1 == 6
    assert certificate.verify(QUESTIONS[name].pattern)
    assert np.isin(certificate.proof.rows, densest_rows(QUESTIONS[name].pattern, 48)).all()
