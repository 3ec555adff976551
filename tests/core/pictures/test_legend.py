"""Legends say what cells and marks mean, and cover nothing."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from helpers.pictured import REAL, SPACE, shown

from samapprox import Pattern, SignMatrix, decide, weak_dimension
from samapprox.pictures import draw

ROUND = Pattern.from_text("110000\n011000\n000110\n100001\n111100")
ORDERED = Pattern.from_text("110000\n011000\n000110\n000001\n111100")
SPLITS = Pattern.from_text("1000\n0100\n0010\n0001\n1100\n1010\n1001\n0110\n0101")

ONE, ZERO, STAR = "1: scores above the row's 0s", "0", "not specified: any score"
BAND, RING = "row or column of the proof", "entry that the proof uses"


def entries_of(figure: Any) -> dict[str, Any]:
    """The samples of a figure's only legend, by their texts."""
    (legend,) = figure.legends
    texts = [text.get_text() for text in legend.get_texts()]
    return dict(zip(texts, legend.legend_handles, strict=True))


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        (Pattern.from_text("10\n01"), [ONE, ZERO]),
        (Pattern.from_text("1*\n01"), [ONE, ZERO, STAR]),
        (SignMatrix.from_array(np.eye(2)), ["+", "\N{MINUS SIGN}"]),
    ],
    ids=["pattern", "unspecified", "signs"],
)
def test_every_kind_of_cell_is_explained(pattern: Pattern, expected: list[str]) -> None:
    assert list(entries_of(draw(pattern))) == expected


def test_samples_have_the_colours_of_cells() -> None:
    pattern = Pattern.from_text("1*\n01")
    figure = draw(pattern)
    image = figure.get_axes()[0].get_images()[0]
    samples = entries_of(figure)
    for name, value in ((ONE, 1), (STAR, -1)):
        assert tuple(image.cmap(image.norm(value))) == samples[name].get_facecolor()
    assert figure.get_axes()[0].get_facecolor() == samples[ZERO].get_facecolor()
    assert np.array_equal(shown(figure), pattern.to_array())


def test_marks_of_a_proof_are_explained() -> None:
    proof = decide(REAL, 1).proof
    samples = entries_of(draw(REAL, proof))
    assert list(samples) == [ONE, ZERO, BAND, RING]
    axes = draw(REAL, proof).get_axes()[0]
    ring = axes.collections[-1].get_edgecolors()[0]
    assert samples[RING].get_color() == "#d55e00"
    assert tuple(ring[:3]) == samples[BAND].get_facecolor()[:3]


@pytest.mark.parametrize("shape", [(1, 2), (8, 8), (17, 17), (3, 60), (60, 3), (120, 120)], ids=str)
@pytest.mark.parametrize("marked", [False, True])
def test_the_legend_is_off_the_cells_and_in_the_picture(
    shape: tuple[int, int], marked: bool
) -> None:
    from matplotlib.text import Text

    entries = np.eye(*shape, dtype=np.int8)
    entries[shape[1] :, 0] = 1
    pattern = Pattern.from_array(entries, row_names=[f"the row {k}" for k in range(shape[0])])
    proof = decide(pattern, 1).proof if marked and min(shape) > 2 else None
    figure = draw(pattern, proof)
    for _ in range(2):
        figure.draw_without_rendering()
    (legend,) = figure.legends
    box = legend.get_window_extent()
    assert box.x0 >= -1
    assert box.y0 >= -1
    assert box.x1 <= figure.bbox.width + 1
    for axes in figure.get_axes():
        assert not box.overlaps(axes.get_window_extent())
        for text in (*axes.findobj(Text), figure._suptitle):
            if text.get_visible() and text.get_text():
                assert not box.overlaps(text.get_window_extent()), text


def test_small_patterns_are_small_pictures_and_large_ones_are_bounded() -> None:
    widths = [
        draw(Pattern(np.eye(size, dtype=int))).get_size_inches()[0] for size in (2, 8, 12, 40)
    ]
    assert widths == sorted(widths)
    assert widths[0] < 5 < widths[-1] < 8


def test_lines_of_one_dimension_have_a_caption() -> None:
    (part,) = weak_dimension([[1, 0, 0], [1, 1, 0]]).draw().subfigs
    above, under = part.subfigs
    assert [text.get_text() for text in above.legends[0].get_texts()] == [ONE, ZERO]
    assert "the half-line that holds its ones" in under.get_supxlabel().replace("\n", " ")


def test_both_sides_have_their_own_legend() -> None:
    no, yes = weak_dimension(REAL).draw().subfigs
    assert list(entries_of(no)) == [ONE, ZERO, BAND, RING]
    assert not yes.legends


@pytest.mark.parametrize(
    ("pattern", "d", "similarity", "rows", "said"),
    [
        (REAL, 2, "dot", None, "Each line is the threshold of a query; its arrow points to the"),
        (REAL, 2, "dot", [3], "Filled dots are the ones of row 3."),
        (SPACE, 3, "dot", None, "nearer ones are larger, and grey lines lead to the floor."),
        (SPACE, 3, "dot", [0, 3], "Each plane is the threshold of a query; its arrow points to"),
        (ROUND, 2, "cosine", None, "the arc that holds its ones."),
        (SPLITS, 3, "cosine", None, "each circle is the edge of the cap of a query's ones."),
        (ORDERED, 1, "l2", None, "the interval that holds its ones."),
        (SPLITS, 2, "l2", None, "each circle holds the ones of a query."),
    ],
)
def test_captions_say_what_dots_and_lines_are(
    pattern: Pattern, d: int, similarity: Any, rows: list[int] | None, said: str
) -> None:
    proof = decide(pattern, d, similarity=similarity, time_limit=20).proof
    figure = draw(pattern, proof, rows=rows)
    assert said in figure.get_supxlabel().replace("\n", " ")
    for _ in range(2):
        figure.draw_without_rendering()
    box = figure._supxlabel.get_window_extent()
    assert box.x0 >= 0
    assert box.x1 <= figure.bbox.width
    assert not any(box.overlaps(axes.get_tightbbox()) for axes in figure.get_axes())
