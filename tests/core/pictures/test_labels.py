"""Labels of pictures keep apart and stay inside."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.pictured import REAL, SPACE, TOPES
from hypothesis import given, settings
from hypothesis import strategies as st

from samapprox import (
    Pattern,
    Problem,
    data,
    decide,
    load,
    weak_dimension,
)
from samapprox.pictures import draw, save_picture, svg
from samapprox.pictures.labels import beside, crosses, overlap, printable, spread
from samapprox.pictures.style import name_of
from samapprox.proofs.checker import check
from samapprox.proofs.embeddings.embedding import Embedding
from samapprox.proofs.refutations.counting import Counting


def test_the_legend_of_many_planes_stays_in_the_picture() -> None:
    proof = decide(SPACE, 3).proof
    figure = draw(SPACE, proof, rows=range(SPACE.shape[0]))
    figure.draw_without_rendering()
    legend = figure.get_axes()[0].get_legend()
    assert len(legend.get_texts()) == 20
    assert legend.get_title().get_text().startswith("the first 20 of ")
    assert legend.get_window_extent().ymin >= 0


@pytest.mark.parametrize("shape", [(40, 40), (40, 12), (60, 60)], ids=str)
def test_names_along_a_pattern_do_not_overlap(shape: tuple[int, int]) -> None:
    """Names of all rows and columns, or of those of a core with 40 lines."""
    entries = np.eye(*shape, dtype=np.int8)
    entries[shape[1] :, 0] = 1
    rows, columns = (tuple(range(min(40, size))) for size in shape)
    names = [[f"a name of {size} letters {k}" for k in range(size)] for size in shape]
    pattern = Pattern.from_array(entries, row_names=names[0], column_names=names[1])
    proof = Counting(1, rows, columns) if max(shape) > 40 else None
    figure = draw(pattern, proof)
    figure.draw_without_rendering()
    axes = figure.get_axes()[-1]
    assert len(axes.get_xticklabels()) == len(columns)
    for labels in (axes.get_xticklabels(), axes.get_yticklabels()):
        boxes = [label.get_window_extent().extents for label in labels]
        for k, box in enumerate(boxes):
            assert overlap(box, np.array(boxes[:k]).reshape(-1, 4)) == 0


def test_names_of_both_sides_do_not_overlap() -> None:
    from matplotlib.text import Text

    figure = weak_dimension(REAL).draw()
    figure.draw_without_rendering()
    texts = [text for axes in figure.get_axes() for text in axes.texts]
    shown = [text for text in texts if text.get_visible() and text.get_text()]
    assert len(shown) > 10
    boxes = [Text.get_window_extent(text).extents for text in shown]
    for k, box in enumerate(boxes):
        assert overlap(box, np.array(boxes[:k]).reshape(-1, 4)) == 0, shown[k]


def extents_of(figure: Any) -> list[Any]:
    """The boxes of all words of a figure in its final layout."""
    from matplotlib.text import Text

    for _ in range(2):  # as files are written
        figure.draw_without_rendering()
    texts = [text for text in figure.findobj(Text) if text.get_visible() and text.get_text()]
    return [Text.get_window_extent(text).extents for text in texts]


@pytest.mark.parametrize(
    ("columns", "letters"),
    [(2, 0), (2, 30), (20, 30), pytest.param(20, 0, marks=pytest.mark.slow)],
)
def test_words_around_a_line_stay_in_the_picture(columns: int, letters: int) -> None:
    """Narrow patterns, titles wider than the picture, and names that leave little room."""
    rng = np.random.RandomState(columns)
    queries, keys = rng.randint(-60, 61, size=(40, 1)), rng.randint(-60, 61, size=(columns, 1))
    proof = Embedding(queries, keys, np.median(queries @ keys.T, axis=1).astype(int))
    pattern = Pattern.from_array(
        queries @ keys.T > np.array(proof.thresholds, dtype=int)[:, None],
        row_names=[f"{'x' * letters} {k}" for k in range(40)],
        column_names=[f"{'y' * letters} {k}" for k in range(columns)],
    )
    figure = draw(pattern, proof, title="a title of many words " * 9)
    for left, bottom, right, top in extents_of(figure):
        assert min(left, bottom) >= -1
        assert right <= figure.bbox.width + 1
        assert top <= figure.bbox.height + 1


@pytest.mark.parametrize(("rows", "shown"), [(60, 40), (400, 14)])
def test_numbers_of_narrow_columns_do_not_overlap(rows: int, shown: int) -> None:
    entries = np.arange(rows)[:, None] % 40 == np.arange(40)
    axes = draw(Pattern.from_array(entries)).get_axes()[0]
    axes.figure.draw_without_rendering()
    boxes = np.array([label.get_window_extent().extents for label in axes.get_xticklabels()])
    assert len(boxes) == shown
    assert (boxes[1:, 0] > boxes[:-1, 2] - 0.5).all()


@given(st.lists(st.floats(-1, 1), max_size=30), st.floats(0.01, 0.5))
def test_spread_labels_keep_their_order_and_distance(values: list[float], gap: float) -> None:
    placed = spread(values, gap, -1.0, 1.0)
    assert len(placed) == len(values)
    if len(values) > 1:
        order = np.argsort(values, kind="stable")
        assert (np.diff(placed[order]) >= min(gap, 2 / (len(values) - 1)) - 1e-9).all()
        assert placed.min() >= -1 - 1e-9
        assert placed.max() <= 1 + 1e-9


def test_labels_avoid_each_other_and_the_edge() -> None:
    points = np.array([[0.0, 0.0], [12.0, 0.0], [395.0, 0.0]])
    found = beside(points, np.array([[20.0, 10.0]] * 3), (-100, -100, 400, 100))
    assert None not in found
    left, _, edge = found
    assert left is not None
    assert left[0] <= 0  # to the right it would cover the second point
    assert edge is not None
    assert edge[0] < 0


@settings(max_examples=50, deadline=None)
@given(
    st.lists(st.tuples(st.floats(0, 60), st.floats(0, 60)), max_size=25),
    st.floats(4, 40),
    st.booleans(),
)
def test_placed_labels_never_overlap(
    places: list[tuple[float, float]], width: float, narrow: bool
) -> None:
    points = np.array(places).reshape(-1, 2)
    sizes = np.full((len(points), 2), [width, 9.0])
    limits = (-10.0, -10.0, 70.0, 70.0) if narrow else (-1e9, -1e9, 1e9, 1e9)
    taken = [(20.0, 20.0, 30.0, 30.0)]
    boxes = [np.array(taken[0])]
    for point, size, offset in zip(
        points, sizes, beside(points, sizes, limits, limits, taken), strict=True
    ):
        if offset is None:
            continue
        box = np.concatenate([point + offset - size / 2, point + offset + size / 2])
        assert all(overlap(box, other[None]) < 1e-6 for other in boxes)
        assert (box >= np.array([limits[0] - 1e-6] * 4)).all()
        assert (box <= np.array([limits[2] + 1e-6] * 4)).all()
        boxes.append(box)


def dense(d: int, *, columns: int = 40) -> tuple[Pattern, Embedding]:
    """Keys with long names, most of them close together, and as many rows as are named."""
    rng = np.random.RandomState(d)
    keys = rng.randint(-60, 61, size=(columns, d))
    keys[5:] //= 8
    queries, thresholds = rng.randint(-60, 61, size=(60, d)), rng.randint(-300, 300, size=60)
    has_one = np.flatnonzero((queries @ keys.T > thresholds[:, None]).any(axis=1))[:38]
    queries, thresholds = queries[has_one], thresholds[has_one]
    pattern = Pattern.from_array(
        queries @ keys.T > thresholds[:, None],
        row_names=[f"question {k}" for k in range(len(queries))],
        column_names=[f"document {k}" for k in range(columns)],
    )
    return pattern, Embedding(queries, keys, thresholds)


SIX = (0, 1, 2, 3, 4, 5)


@cache
def drawn_dense(d: int, rows: tuple[int, ...] | None) -> tuple[Pattern, Embedding, Any]:
    """The dense keys with their picture, which two tests look at."""
    pattern, proof = dense(d)
    figure = draw(pattern, proof, rows=rows)
    for _ in range(2):
        figure.draw_without_rendering()
    return pattern, proof, figure


@pytest.mark.parametrize(
    ("d", "rows"),
    [
        *[(1, None), (2, None), (2, SIX), (3, SIX)],
        *[pytest.param(*case, marks=pytest.mark.slow) for case in [(1, SIX), (3, None)]],
    ],
    ids=str,
)
def test_visible_names_never_overlap(d: int, rows: tuple[int, ...] | None) -> None:
    from matplotlib.text import Text

    _, proof, figure = drawn_dense(d, rows)
    axes = figure.get_axes()[-1]
    visible = [text for text in axes.texts if text.get_visible() and text.get_text()]
    named = [text for text in visible if text.get_text().startswith("document")]
    notes = [text.get_text() for text in visible if text.get_text().startswith("no room")]
    assert len(named) >= 5
    assert {text.get_rotation() for text in visible} <= {0, 90}
    points = len(np.unique(proof.keys, axis=0))
    hidden = [int(note.split(" keys")[0].split()[-1]) for note in notes if " keys" in note]
    assert len(named) + sum(hidden) == points
    boxes = [Text.get_window_extent(text).extents for text in visible]
    if axes.get_legend() is not None:
        boxes.append(axes.get_legend().get_window_extent().extents)
    for k, box in enumerate(boxes):
        assert overlap(box, np.array(boxes[:k]).reshape(-1, 4)) == 0, visible[k]


def test_names_beyond_the_window_stay_in_the_picture(tmp_path: Path) -> None:
    found = weak_dimension(load(data.path("minilm/s36_L5_H05_top1_n105.npz")))
    figure = found.draw()
    save_picture(figure, tmp_path / "p.png")
    for text in figure.subfigs[1].get_axes()[0].texts:
        box = text.get_window_extent()
        assert box.x0 >= -1
        assert box.x1 <= figure.bbox.x1 + 1


@pytest.mark.parametrize("name", ["$x_{$", "\u6f22\u5b57", "\x1b[31m", "\0"], ids=ascii)
def test_names_and_titles_of_every_script(name: str) -> None:
    names = [f"{name} of d = 2", "b", "c"]
    pattern = Pattern.from_array(np.eye(3), row_names=names, column_names=names)
    figure = draw(pattern, decide(pattern, 2).proof, title=name, rows=[0])
    name = printable(name)
    assert name in figure.get_suptitle()
    assert svg(figure).startswith("<?xml")
    labels = [text.get_text() for text in figure.get_axes()[0].texts]
    assert sum(label.startswith(name) for label in labels) == 2
    assert all(ord(letter) >= 32 for label in labels for letter in label)


def segments_of(axes: Any) -> np.ndarray:
    """The lines and arrows of a picture in the plane, as pairs of ends in pixels."""
    lines = [np.asarray(line.get_xydata()) for line in axes.get_lines()]
    pairs = [np.stack([line[:-1], line[1:]], axis=1) for line in lines]
    arrows = [text for text in axes.texts if not text.get_text() and text.arrow_patch]
    pairs += [np.array([[arrow.xyann, arrow.xy]]) for arrow in arrows]
    return axes.transData.transform(np.concatenate(pairs).reshape(-1, 2)).reshape(-1, 2, 2)


def is_met(box: Any, segments: np.ndarray) -> bool:
    """Whether a segment has a point in a box, by points close to each other."""
    shares = np.linspace(0, 1, 2001)[:, None, None]
    points = segments[:, 0] + shares * (segments[:, 1] - segments[:, 0])
    left, bottom, right, top = box.extents
    inside = (points > [left, bottom]) & (points < [right, top])
    return bool(inside.all(axis=2).any())


# Each query with its threshold. Searches find another embedding in each time that they are given,
# and some leave less room for names.
TOPES_CUTS = (
    "-28 -64 -304, -6 -64 -568, 45 64 824, 64 36 1392, -64 -41 291, -64 30 7, 59 -64 138, -64 "
    "10 423, -13 64 796, -17 -64 290, 59 -64 1672, -64 52 1288, 11 -64 234, 22 64 2282, -64 26 "
    "1028, -34 64 1047, -64 -3 140, -59 -64 68, -18 -64 -425, 64 -30 704, 19 64 1621, -64 14 "
    "568, -64 -25 518, -34 -64 -560, -16 64 2320, 64 0 -64, 64 -27 1644, -64 30 8"
)
TOPES_KEYS = [[55, 9], [40, 64], [-12, 10], [-55, 40], [24, -4], [-2, -4], [-19, -64], [-1, 36]]


def topes_in_the_plane() -> Embedding:
    cuts = np.array([cut.split() for cut in TOPES_CUTS.split(",")], dtype=np.int64)
    proof = Embedding(cuts[:, :2], np.array(TOPES_KEYS), cuts[:, 2])
    assert check(Problem(TOPES, 2), proof) is None
    return proof


@pytest.mark.parametrize("case", ["real", "topes", "dense", "arcs"])
def test_names_of_keys_keep_off_lines_arrows_and_dots(case: str) -> None:
    from matplotlib.text import Text

    if case == "arcs":
        pattern = Pattern.from_text("110000\n011000\n000110\n100001\n111100")
        proof = decide(pattern, 2, similarity="cosine", time_limit=10, only=["sphere"]).proof
    elif case == "topes":
        pattern, proof = TOPES, topes_in_the_plane()
    else:
        pattern, proof = REAL, decide(REAL, 2).proof
    if case == "dense":
        pattern, _, figure = drawn_dense(2, None)
    else:
        figure = draw(pattern, proof)
        for _ in range(2):
            figure.draw_without_rendering()
    axes = figure.get_axes()[0]
    names = {name_of(pattern.column_names, column) for column in range(pattern.shape[1])}
    shown = [
        text
        for text in axes.texts
        if text.get_visible() and text.get_text() and text.get_color() == "#222222"
    ]
    assert any(text.get_text() in names for text in shown)
    keys = next(one for one in axes.collections if one.get_gid() == "keys")
    dots = axes.transData.transform(np.asarray(keys.get_offsets()))
    radius = 0.5 * float(keys.get_sizes()[0]) ** 0.5 * figure.dpi / 72
    segments = segments_of(axes)
    boxes = [Text.get_window_extent(text) for text in shown]
    met = [is_met(box, segments) for box in boxes]
    assert not all(met) if case == "dense" else not any(met)
    for text, box in zip(shown, boxes, strict=True):
        assert overlap(np.array(box.extents), np.hstack([dots - radius, dots + radius])) == 0, text
    if case == "topes":
        assert len(shown) == pattern.shape[1]


@given(
    st.lists(st.floats(-9, 9), min_size=4, max_size=4),
    st.lists(st.floats(-5, 5), min_size=4, max_size=4),
)
def test_segments_that_meet_a_box_are_found(ends: list[float], sides: list[float]) -> None:
    from matplotlib.transforms import Bbox

    left, right = sorted(sides[:2])
    bottom, top = sorted(sides[2:])
    segment = np.reshape(ends, (1, 2, 2))
    box = np.array([left, bottom, right, top])
    if is_met(Bbox.from_extents(*box), segment):
        assert crosses(box, segment)
    far = np.concatenate([box[:2] - 2.1, box[2:] + 2.1])
    if not is_met(Bbox.from_extents(*far), segment):
        assert not crosses(box, segment) or (right - left) * (top - bottom) == 0
