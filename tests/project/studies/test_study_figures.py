"""Figures of the studies: drawn from the stored tables, and legible where they are shown."""

from __future__ import annotations

from functools import cache
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from dimensions import peers
from helpers.paths import ROOT
from matplotlib.text import Text
from papers import figure3, figure4, layers, widths
from papers.chains.widths import read as read_widths
from PIL import Image
from practical import heads
from shared.d_min import read
from shared.paths import MEASURED
from trained import heads_study, tasks_study

from samapprox.pictures import save_picture

STUDIES = ROOT / "docs" / "studies"
COLUMN = 700  # pixels of a column of text
LEAST = 10.0  # pixels of a letter with its ascenders and descenders

TEXTS = ("att_s02_n11", "att_s08_n25", "att_s20_n45")
RULES = ("top1", "top3", "unif", "mass90")


@cache
def draw(name: str) -> Any:
    """Draw a figure once; the tests only look at it."""
    if name == "heads":
        return heads.draw(heads.read(heads.TABLE), TEXTS, RULES)
    if name == "layers":
        return layers.draw(layers.read(STUDIES / "layers.csv"), [64, 128, 256, 512])
    if name in ("figure3", "figure4"):
        module = {"figure3": figure3, "figure4": figure4}[name]
        return module.draw(read(module.TABLE))
    if name == "widths":
        return widths.draw(read_widths(widths.TABLE))
    if name == "trained":
        return heads_study.draw(heads_study.group())
    if name == "tasks":
        return tasks_study.draw(tasks_study.TABLE.read(), tasks_study.find_programs())
    return peers.cactus([run for run in peers.read(MEASURED / "peers.csv") if run.limit == 60])


@pytest.mark.parametrize(
    "name", ["heads", "layers", "peers", "figure3", "figure4", "widths", "trained", "tasks"]
)
def test_words_and_digits_can_be_read_at_the_width_of_a_column(name: str, tmp_path: Path) -> None:
    figure = draw(name)
    save_picture(figure, tmp_path / "drawn.png")
    texts = [text for text in figure.findobj(Text) if text.get_visible() and text.get_text()]
    inches = figure.get_size_inches()[0]
    assert len(texts) > 10
    for text in texts:
        assert text.get_fontsize() / 72 / inches * COLUMN >= LEAST, text
    (stored,) = map(size_of, (ROOT / "docs").rglob(f"{name}.png"))
    assert stored == size_of(tmp_path / "drawn.png")
    assert stored[0] >= COLUMN


def size_of(picture: Path) -> tuple[int, int]:
    """The columns and rows of a picture, whose pixels are not read."""
    with Image.open(picture) as opened:
        return opened.size


def test_numbers_of_heads_have_cells_of_their_own() -> None:
    figure = draw("heads")
    figure.draw_without_rendering()
    maps = figure.get_axes()[:12]
    for axes in maps:
        assert len(axes.texts) == heads.LAYERS * heads.HEADS
        boxes = [text.get_window_extent() for text in axes.texts]
        assert not any(a.overlaps(b) for a, b in combinations(boxes, 2))


def test_the_page_has_the_tables_of_the_stored_bounds(capsys: pytest.CaptureFixture[str]) -> None:
    found = heads.read(heads.TABLE)
    assert len(found) == 864
    assert all(one.lower <= one.upper <= one.lower + 1 for one in found)
    heads.tables(found, TEXTS, RULES)
    lines = [line for line in capsys.readouterr().out.splitlines() if line.startswith("| ")]
    page = (STUDIES / "heads.md").read_text(encoding="utf-8").splitlines()
    assert len(lines) == 26
    assert [line for line in lines if line not in page] == []


def test_a_map_has_the_numbers_of_its_text_and_rule(tmp_path: Path) -> None:
    found = heads.read(heads.TABLE)
    heads.write(tmp_path / "again.csv", found)
    assert heads.read(tmp_path / "again.csv") == found
    figure = draw("heads")
    for axes, (text, rule) in zip(
        figure.get_axes(), [(text, rule) for text in TEXTS for rule in RULES], strict=False
    ):
        lower, upper = heads.grids(found, text, rule)
        assert axes.get_title() == f"{text.rpartition('_n')[2]} tokens, {rule}"
        shown = np.array([label.get_text() for label in axes.texts]).reshape(lower.shape)
        plus = np.where(lower < upper, "+", "")
        assert (shown == np.char.add(lower.astype(str), plus)).all()
