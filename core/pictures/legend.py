"""Legends and captions: the meaning of the cells and marks of a pattern."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Any

import numpy as np

from samapprox.pattern import Pattern
from samapprox.pictures.labels import inches_of
from samapprox.pictures.style import CORE, ONE, STAR, WORDS, ZERO
from samapprox.proofs.base import Obstruction
from samapprox.sign_matrix import SignMatrix

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.figure import Figure, SubFigure


_FONT = 8.0
_LINE = 0.18  # inches from one line to the next
_SAMPLE = 0.45  # inches of a sample, and around it
_NARROW = 0.85  # the share of the estimated width that text takes: estimates are generous
_CAPTION = 8.5, 0.075  # size of the letters, and inches of one on average


def put_caption(figure: Figure | SubFigure, text: str) -> None:
    """Put a caption below everything, wrapped to the width of the figure."""
    lines = _wrap(text, _width_of(figure))
    figure.supxlabel("\n".join(lines), fontsize=_CAPTION[0], color=WORDS)


def caption_height(text: str, width: float) -> float:
    """Return the height of a caption in a figure of a width, in inches.

    >>> caption_height("short", 7.0) < caption_height("a long caption " * 20, 7.0)
    True
    """
    return _LINE * len(_wrap(text, width))


def put_cells_legend(
    figure: Figure | SubFigure, pattern: Pattern, obstruction: Obstruction | None, *, shares: bool
) -> None:
    """Put a legend below the picture of a pattern, which covers no cell.

    `obstruction`: the proof whose rows, columns and entries are marked, if any. `shares`: cells are
    shares of ones, which a colour bar explains.
    """
    named = _samples(pattern, obstruction, shares=shares)
    if named:
        figure.legend(
            handles=[sample for sample, _ in named],
            labels=[text for _, text in named],
            loc="outside lower center",
            ncols=_columns([text for _, text in named], _width_of(figure)),
            fontsize=_FONT,
            frameon=False,
            labelcolor=WORDS,
            columnspacing=1.2,
            handletextpad=0.5,
            borderaxespad=0.2,
        )


def legend_height(
    pattern: Pattern, obstruction: Obstruction | None, width: float, *, shares: bool
) -> float:
    """Return the height of the legend of a pattern in a figure of a width, in inches.

    >>> legend_height(Pattern.from_text("10"), None, 7.0, shares=False)
    0.28
    """
    texts = [text for _, text in _samples(pattern, obstruction, shares=shares)]
    return 0.1 + _LINE * -(-len(texts) // _columns(texts, width)) if texts else 0.0


def _samples(
    pattern: Pattern, obstruction: Obstruction | None, *, shares: bool
) -> list[tuple[Artist, str]]:
    """Return a sample of each kind of cell and mark, with its meaning."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    one, zero, star = ("+", "\N{MINUS SIGN}", "no sign is required")
    if not isinstance(pattern, SignMatrix):
        one, zero = "1: scores above the row's 0s", "0"
        star = "not specified: any score"
    edge: dict[str, Any] = {"edgecolor": STAR, "linewidth": 0.6}
    found: list[tuple[Artist, str]] = []
    if not shares:
        found = [(Patch(facecolor=ONE, **edge), one), (Patch(facecolor=ZERO, **edge), zero)]
    if _has_stars(pattern):
        found.append((Patch(facecolor=STAR, **edge), star))
    if obstruction is not None:
        band = Patch(facecolor=CORE, alpha=0.3, linewidth=0)
        found.append((band, "row or column of the proof"))
        if obstruction.entries_read():
            ring = Line2D([], [], linestyle="none", marker="o", markersize=7, color=CORE)
            ring.set_fillstyle("none")
            found.append((ring, "entry that the proof uses"))
    return found


def _has_stars(pattern: Pattern) -> bool:
    known = np.asarray(pattern.row_ones) + np.asarray(pattern.row_zeros)
    return bool((known < pattern.shape[1]).any())


def _columns(texts: list[str], width: float) -> int:
    """Return how many columns of entries fit side by side; matplotlib fills them in turn."""
    for columns in range(len(texts), 1, -1):
        parts = [part.tolist() for part in np.array_split(np.array(texts), columns)]
        if sum(_NARROW * inches_of(part, _FONT) + _SAMPLE for part in parts) <= width:
            return columns
    return 1


def _wrap(text: str, width: float) -> list[str]:
    return textwrap.wrap(text, max(20, int(width / _CAPTION[1])))


def _width_of(figure: Figure | SubFigure) -> float:
    sized: Any = figure  # the common base of figures and their parts does not state a size
    return float(sized.bbox.width) / float(sized.dpi)
