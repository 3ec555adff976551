"""The line of an embedding of dimension 1: every half-line holds its rows' ones, and no zero."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from helpers.strategies import Entries, line_entries
from hypothesis import given, settings

from samapprox import InputError, Pattern, data, decide, load
from samapprox.cli.main import cli
from samapprox.pictures import draw
from samapprox.pictures.line import LineView
from samapprox.proofs.embeddings.embedding import Embedding
from samapprox.reductions.families import generate
from samapprox.solvers.questions.dimension import weak_dimension

REAL = load(data.path("minilm/s02_L4_H10_unif_n11.npz"))


@settings(max_examples=40, deadline=None)
@given(line_entries())
def test_half_lines_hold_the_ones(entries: Entries) -> None:
    verdict = decide(entries)
    assert isinstance(verdict.proof, Embedding)
    view = LineView(verdict.proof)
    seen: list[int] = []
    for half in view.halves:
        above = view.points * half.normal[0] > half.level
        for row in half.rows:
            assert np.array_equal(above, entries[row] == 1)
        seen += half.rows
    mixed = [i for i, row in enumerate(entries) if 0 < row.sum() < len(row)]
    assert sorted(seen) == mixed


def test_what_is_drawn() -> None:
    verdict = decide(REAL)
    figure = draw(REAL, verdict.proof)
    _, line = figure.get_axes()
    halves = {item.get_gid(): item for item in line.get_lines() if item.get_gid()}
    entries = REAL.to_array()
    assert isinstance(verdict.proof, Embedding)
    view = LineView(verdict.proof)
    assert set(halves) == {f"row {half.rows[0]}" for half in view.halves}
    for name, item in halves.items():
        start, end = (float(value) for value in item.get_xdata())
        inside = (view.points > min(start, end)) & (view.points < max(start, end))
        assert np.array_equal(inside, entries[int(name.removeprefix("row "))] == 1)
    labels = [text.get_text() for text in line.texts]
    assert any(label.startswith("[CLS] 0") for label in labels)
    assert "fell 2" in labels


def test_chosen_rows_alone() -> None:
    proof = decide(REAL).proof
    _, line = draw(REAL, proof, rows=[2, 5]).get_axes()
    assert [item.get_gid() for item in line.get_lines() if item.get_gid()] == ["row 5", "row 2"]
    with pytest.raises(InputError, match="there is no row 11"):
        draw(REAL, proof, rows=[11])


def test_where_staircases_show_it_better() -> None:
    for rows, columns in ((300, 200), (60, 60), (3, 2500)):
        pattern = generate("line", rows=rows, columns=columns, seed=1).pattern
        axes = draw(pattern, decide(pattern).proof).get_axes()
        assert len([one for one in axes if one.get_label() != "<colorbar>"]) == 1
    wide = generate("line", rows=300, columns=200, seed=1).pattern
    assert len(draw(wide, decide(wide).proof, rows=[0, 7]).get_axes()) == 2


def test_degenerate_lines() -> None:
    one_point = Embedding([[0], [0]], [[0], [0]], [-1, -1])
    draw(Pattern.from_text("11\n11"), one_point)
    huge = Embedding([[1]], [[10**400], [10**400 + 1]], [10**400])
    draw(Pattern.from_text("01"), huge)


def test_shared_tokens_have_a_line_too() -> None:
    verdict = decide([[1, 1], [1, 1]], 1, 1)
    assert verdict.status.value == "YES"
    assert len(draw(verdict.problem.pattern, verdict.proof).get_axes()) == 2


def test_both_sides_and_the_command(tmp_path: Path) -> None:
    (part,) = weak_dimension(REAL).draw().subfigs
    assert part.get_suptitle() == "YES for d = 1"
    target = tmp_path / "p.svg"
    source = str(data.path("minilm/s02_L4_H10_unif_n11.npz"))
    done = CliRunner().invoke(cli, ["plot", source, "-d", "1", "--output", str(target)])
    assert (done.exit_code, target.stat().st_size > 1000) == (0, True)
