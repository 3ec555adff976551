"""The study of dimensions in practice: its lines, its page, and runs that resume."""

from __future__ import annotations

import math
import subprocess
from dataclasses import replace
from importlib import import_module
from pathlib import Path

import pytest
from practical import lines, measures, page, practice, subjects
from practical.brute_force import fewest_wrong, has_order
from practical.lines import Line
from records.lines import read_lines as read_dimensions
from shared.markers import END
from shared.paths import command_of

from samapprox import InputError

LINES = lines.read_lines()
SUBJECTS = {subject.name: subject for subject in subjects.subjects()}


def test_lines_are_about_patterns_and_quantities_of_the_study() -> None:
    assert LINES
    for line in LINES.values():
        assert line.part in subjects.PARTS
        assert line.quantity in measures.QUANTITIES
        assert (line.d > 0) == (line.quantity == "wrong")
        assert line.part == "judgements" or line.name in SUBJECTS
        assert line.lower <= line.upper, line


def test_lines_agree_with_the_table_of_dimensions() -> None:
    known = read_dimensions()
    for line in LINES.values():
        if line.quantity == "d" and line.part != "judgements":
            bounds = known[line.name]
            assert (line.rows, line.columns) == (bounds.rows, bounds.columns)
            assert line.lower <= bounds.lower <= bounds.upper <= line.upper


def test_dimensions_of_the_three_similarities_are_consistent() -> None:
    """e <= d <= s <= e + 1 leaves room for every joined interval."""
    for name in {line.name for line in LINES.values()}:
        for lower, upper in page.join_similarities(name, LINES).values():
            assert 1 <= lower <= upper, name


def test_no_format_saves_dimensions_and_some_row_is_wrong_below_d() -> None:
    for line in LINES.values():
        known = LINES.get((line.name, "d", 0))
        if known is not None and line.quantity in measures.FORMATS:
            assert line.upper >= known.lower, line
        if line.quantity == "wrong":
            assert line.lower >= 0
            assert line.upper < line.rows
            if known is not None and line.d < known.lower:
                assert line.upper >= 1, line
        if line.quantity == "margin" and line.upper < math.inf:
            assert 0 <= line.lower <= line.upper <= 1, line


def test_the_page_has_the_tables_of_the_lines() -> None:
    text = page.PAGE.read_text(encoding="utf-8")
    for table in page.TABLES:
        _, found, rest = text.partition(page.marker(table))
        assert found, table
        assert rest.partition(END)[0].strip() == page.make_table(table).strip()


def test_joined_bounds() -> None:
    line = Line("minilm", "p", 9, 9, "d", 0, 3, 3, 0.0, 1.0)
    found = [
        line,
        replace(line, quantity="s", lower=2, upper=8),
        replace(line, quantity="e", lower=2, upper=2),
    ]
    joined = page.join_similarities("p", {each.key: each for each in found})
    assert joined == {"d": (3, 3), "s": (3, 3), "e": (2, 2)}


def test_better_bounds_are_kept(tmp_path: Path) -> None:
    line = Line("minilm", "p", 9, 9, "s", 0, 3, 5, 1.0, 10.0)
    for lower, upper, limit in ((3, 5, 10.0), (2, 4, 5.0)):
        lines.write_line(replace(line, lower=lower, upper=upper, limit=limit), tmp_path / "t.csv")
    assert list(lines.read_lines(tmp_path / "t.csv").values()) == [replace(line, upper=4)]


def test_a_run_measures_what_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    table = tmp_path / "practice.csv"
    monkeypatch.setattr(practice, "read_lines", lambda: lines.read_lines(table))
    monkeypatch.setattr(practice, "write_line", lambda line: lines.write_line(line, table))
    monkeypatch.setattr(practice, "write_page", lambda: None)
    command = ["--only", "s00_L0", "--seconds", "5", "--quantities", "d", "s", "e", "wrong", "int8"]
    practice.main(command)
    name = "s00_L0_H08_top1_n8"
    measured = lines.read_lines(table)
    assert list(measured) == [(name, key, int(key == "wrong")) for key in command[5:]]
    assert measured[name, "d", 0].lower == measured[name, "d", 0].upper == 2
    before = table.read_bytes()
    capsys.readouterr()
    practice.main(command)
    assert capsys.readouterr().out == ""
    assert table.read_bytes() == before
    practice.main([*command, "--again", "--quantities", "wrong"])
    assert f"{name}, wrong at d = 1: " in capsys.readouterr().out


def test_judgement_sets_are_subjects(tmp_path: Path) -> None:
    (tmp_path / "three.qrels").write_text("q1 0 a 1\nq2 0 b 1\nq3 0 c 1\nq3 0 a 0\n")
    *_, subject = subjects.subjects(tmp_path)
    line = measures.measure(subject, "d", 0, 5.0)
    assert (line.part, line.name, line.rows, line.columns) == ("judgements", "three", 3, 3)
    assert line.lower == line.upper == 2


def test_a_folder_without_judgements_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        practice.main(["--judgements", str(tmp_path)])
    assert ended.value.code == 2
    assert "there is no judgement set in it" in capsys.readouterr().err


def test_a_format_that_finds_nothing_leaves_the_bound_open(monkeypatch: pytest.MonkeyPatch) -> None:
    def find_nothing(*_: object, **__: object) -> None:
        raise InputError("none")

    monkeypatch.setattr(measures, "dimension_in_arithmetic", find_nothing)
    line = measures.measure(SUBJECTS["s00_L0_H08_top1_n8"], "int8", 0, 1.0)
    assert (line.lower, line.upper) == (2, math.inf)


# ---------------------------------------------------------------------------------------- figures


def test_every_figure_has_its_function() -> None:
    for place in practice.PARTS.values():
        module, _, function = place.partition(":")
        assert getattr(import_module(module), function).__doc__, place


def test_figures_name_their_parts() -> None:
    program = command_of("practical.practice", "figures", "nothing")
    done = subprocess.run(program, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "there is no part 'nothing'; there are: " in done.stderr


def test_similarities_are_counted_beside_the_goal(capsys: pytest.CaptureFixture[str]) -> None:
    practice.main(["figures", "similarities"])
    assert [row[:4] for row in capsys.readouterr().out.splitlines()[2:]] == ["| s,", "| e,"]


def test_orders_by_enumeration() -> None:
    import numpy as np

    triangle = np.array([[1, 1, 0], [0, 1, 1], [1, 0, 1]], dtype=np.int8)
    assert has_order(triangle, circle=True)
    assert not has_order(triangle, circle=False)
    assert fewest_wrong(triangle) == 1
    assert fewest_wrong(triangle[:2]) == 0
