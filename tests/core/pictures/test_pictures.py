"""Pictures show the pattern they are given, and the proof that comes with it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse
from click.testing import CliRunner
from helpers.strategies import Entries, line_entries, valid_entries
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from samapprox import (
    InputError,
    Pattern,
    Problem,
    Verdict,
    WeakDimension,
    data,
    decide,
    load,
    weak_dimension,
)
from samapprox.cli.main import cli
from samapprox.pictures import draw, save_picture, svg
from samapprox.pictures.embedding import plane_in_the_cube
from samapprox.pictures.fonts import printable
from samapprox.pictures.labels import beside, overlap, spread
from samapprox.pictures.style import name_of
from samapprox.pictures.view import View
from samapprox.proofs.base import Obstruction
from samapprox.proofs.kinds.chirotope import Chirotope
from samapprox.proofs.kinds.counting import Counting
from samapprox.proofs.kinds.embedding import Embedding
from samapprox.proofs.kinds.forster import Forster
from samapprox.proofs.kinds.radon import Radon
from samapprox.proofs.kinds.shattering import Shattering
from samapprox.proofs.kinds.sign_clash import SignClash
from samapprox.proofs.kinds.topological import Topological
from samapprox.reductions.families import generate

REAL = load(data.path("minilm/s04_L2_H08_top1_n17.npz"))
TOPES = load(data.path("oriented-matroids/rank3_n8_0001.npz"))
SPACE = load(data.path("oriented-matroids/rank4_n8_0001.npz"))


def shown(figure: Any) -> np.ndarray:
    return np.asarray(figure.get_axes()[0].get_images()[0].get_array())


def marked(figure: Any) -> set[tuple[int, int]]:
    """The entries with a ring, as (row, column)."""
    rings = figure.get_axes()[0].collections[-1].get_offsets()
    return {(int(row), int(column)) for column, row in np.asarray(rings)}


# ---------------------------------------------------------------- the pattern


def test_the_entries_as_they_are() -> None:
    pattern = Pattern.from_text("1*0\n011")
    assert np.array_equal(shown(draw(pattern)), pattern.to_array())


@settings(max_examples=20, deadline=None)
@given(line_entries())
def test_a_line_is_drawn_as_two_staircases(entries: Entries) -> None:
    verdict = decide(entries)
    picture = shown(draw(verdict.problem.pattern, verdict.proof)).astype(int)
    assert sorted(picture.sum(axis=1)) == sorted(entries.sum(axis=1))
    # Along the line every row changes at most once.
    assert (np.abs(np.diff(picture, axis=1)).sum(axis=1) <= 1).all()


def test_names_are_shown_where_there_is_room() -> None:
    axes = draw(load(data.path("minilm/s00_L0_H08_top1_n8.npz"))).get_axes()[0]
    assert [label.get_text() for label in axes.get_yticklabels()][:2] == ["[CLS] 0", "the 1"]
    wide = draw(load(data.path("minilm/s38_L5_H01_top2_n120.npz"))).get_axes()[0]
    assert len(wide.get_yticks()) == 0


def test_names_are_made_fit_to_print() -> None:
    assert name_of(["a\nb\ud800"], 0) == "a b? 0"
    assert len(name_of(["x" * 500], 0)) < 30


@pytest.mark.parametrize("name", [".", ",", "'", " ", "", "\n", "\u2581", "--"], ids=ascii)
def test_names_without_letters_are_quoted_as_in_tables(name: str) -> None:
    pattern = Pattern.from_text("10\n01", column_names=[name, "b"])
    quoted = pattern.column_label(0).removeprefix("column 0 (").removesuffix(")")
    assert name_of(pattern.column_names, 0) == f"{quoted} 0"
    labels = draw(pattern).get_axes()[0].get_xticklabels()
    assert [label.get_text() for label in labels] == [f"{quoted} 0", "b 1"]


@pytest.mark.parametrize("shape", [(2500, 40), (40, 2500), (1700, 1300)])
def test_large_patterns_are_drawn_as_shares(shape: tuple[int, int]) -> None:
    rng = np.random.RandomState(0)
    entries = (rng.random_sample(shape) < np.linspace(0, 1, shape[1])).astype(np.int8)
    entries[:, 0] = 1
    care = np.ones(shape, dtype=np.int8)
    care[: shape[0] // 2, shape[1] // 2 :] = 0
    picture = shown(draw(Pattern.from_array(entries, care)))
    assert picture.shape == (min(1000, shape[0]), min(1000, shape[1]), 4)
    counts = np.zeros(picture.shape[:2])
    sizes = np.zeros(picture.shape[:2])
    places = [np.arange(n) * m // n for n, m in zip(shape, picture.shape, strict=False)]
    seen = np.where(care, entries, 1)  # both ones and stars cover the ground
    np.add.at(counts, np.ix_(*places), seen)
    np.add.at(sizes, np.ix_(*places), 1)
    assert np.allclose(picture[..., 3], counts / sizes)


def test_equal_patterns_give_equal_pictures(tmp_path: Path) -> None:
    for kind in ("png", "svg", "pdf"):
        for name in ("a", "b"):
            save_picture(draw(Pattern.from_text("10\n01")), tmp_path / f"{name}.{kind}")
        assert (tmp_path / f"a.{kind}").read_bytes() == (tmp_path / f"b.{kind}").read_bytes()


def test_what_cannot_be_drawn(tmp_path: Path) -> None:
    eye = Pattern.from_sparse(scipy.sparse.eye_array(40_000, format="csr"))
    with pytest.raises(InputError, match="40000 x 40000 pattern has more than 1073741824 entries"):
        draw(eye)
    figure = draw(Pattern.from_text("1"))
    with pytest.raises(InputError, match="pictures are written as"):
        save_picture(figure, tmp_path / "p.npz")
    with pytest.raises(InputError, match="no such folder"):
        save_picture(figure, tmp_path / "missing" / "p.png")


# ---------------------------------------------------------------- obstructions

SAT = ["chirotope"]
CLASH = Pattern.from_text("011\n110\n001")


SPLITS = Pattern.from_text("1000\n0100\n0010\n0001\n1100\n1010\n1001")
"""All ways to split four keys in two."""


def obstructions() -> list[tuple[type, Pattern, Obstruction]]:
    """One of each kind, with a pattern for which it has passed the checker."""
    counting = Verdict(Problem(SPLITS, 1), Counting(1, range(7), range(4)))
    verdicts = {
        Radon: decide(REAL, 1),
        Shattering: decide(Pattern.from_text("0101\n0011"), 1),
        Counting: counting,
        Chirotope: decide(generate("random", rows=12, columns=12, seed=1).pattern, 2, only=SAT),
        Topological: decide(generate("mask", graph="star", n=12).pattern, 2, only=["topological"]),
        Forster: decide(generate("hadamard", n=32).pattern, 2, only=["forster"]),
        SignClash: decide(CLASH, 1, 1),
    }
    for kind, verdict in verdicts.items():
        assert type(verdict.proof) is kind, kind
    return [(kind, verdict.problem.pattern, verdict.proof) for kind, verdict in verdicts.items()]


OBSTRUCTIONS = obstructions()


@pytest.mark.parametrize(("kind", "pattern", "proof"), OBSTRUCTIONS, ids=lambda x: str(x)[:20])
def test_a_core_is_marked_where_it_is(kind: type, pattern: Pattern, proof: Any) -> None:
    figure = draw(pattern, proof, title="NO")
    every = {(row, column) for row in proof.rows for column in proof.columns}
    if kind is SignClash:
        assert marked(figure) < every | {(0, 0)}
        read = {(row, c) for s in proof.splits for row in s.rows for c in s.columns}
        assert read <= marked(figure)
    elif kind is Topological:
        assert set(proof.entries_read()) == marked(figure) <= every
    else:
        assert marked(figure) == every
    rows, columns = figure.get_axes()[0].get_lines()
    assert list(rows.get_ydata()) == list(proof.rows)
    assert list(columns.get_xdata()) == list(proof.columns)
    assert figure.get_suptitle().replace("\n", " ") == f"NO {proof.caption}"
    assert len(figure.axes[0].patches) == len(proof.rows) + len(proof.columns)


def test_thousands_of_lines_of_a_core_are_few_bands() -> None:
    pattern = Pattern.from_array(np.eye(1000, dtype=np.int8))
    members = [[0, 0, 1, 2], [1, 0, 1, 2], [2, 0, 1, 2], [3, 0, 1, 2]]
    proof = Topological(1, range(1000), range(1000), "columns", members)
    figure = draw(pattern, proof)
    assert len(figure.axes[0].patches) == 2
    assert len(figure.axes[0].get_lines()[0].get_ydata()) == 1000


def test_the_core_of_a_large_pattern_is_drawn_once_more_with_names() -> None:
    pattern = load(data.path("limit/limit.npz"))
    proof = decide(pattern, 1).proof
    whole, core = draw(pattern, proof).get_axes()
    assert len(whole.get_xticks()) == 0
    part = np.asarray(core.get_images()[0].get_array())
    assert np.array_equal(part, pattern.submatrix(proof.rows, proof.columns))
    names = [label.get_text() for label in core.get_xticklabels()]
    assert names == [name_of(pattern.column_names, column) for column in proof.columns]


def test_a_core_is_marked_in_shares_too() -> None:
    entries = np.zeros((3000, 30), dtype=np.int8)
    entries[:, 0] = 1
    entries[[5, 1500, 2999]] = np.eye(30, dtype=np.int8)[[3, 4, 5]]
    proof = decide(entries).proof
    figure = draw(Pattern.from_array(entries), proof)
    assert {row for row, _ in marked(figure)} == set(proof.rows)
    whole = figure.get_axes()[0]
    assert (whole.get_xlim(), whole.get_ylim()) == ((-0.5, 29.5), (2999.5, -0.5))
    band = whole.patches[0]
    assert band.get_height() >= 3000 / 300 - 1e-9


# ---------------------------------------------------------------- embeddings


def sides_agree(pattern: Pattern, view: View) -> None:
    """Every drawn boundary has a row's ones on its upper side, and its zeros below."""
    entries = pattern.to_array()
    for boundary in view.boundaries:
        heights = view.points @ boundary.normal - boundary.level
        for row in boundary.rows:
            known = entries[row] >= 0
            assert ((heights > 0) == (entries[row] == 1))[known].all()
            assert np.isclose(np.linalg.norm(boundary.normal), 1)


@settings(max_examples=60, deadline=None)
@given(valid_entries(6, 6), st.integers(1, 3))
def test_boundaries_tell_ones_from_zeros(entries: Entries, d: int) -> None:
    verdict = decide(entries, d, time_limit=2.0)
    assume(verdict.status.value == "YES")
    view = View.of(verdict.proof)
    sides_agree(verdict.problem.pattern, view)
    assert np.abs(view.points).max() <= 1 + 1e-9
    rows = {row for boundary in view.boundaries for row in boundary.rows}
    assert rows >= {i for i, row in enumerate(entries) if 0 < row.sum() < len(row)}


@pytest.mark.parametrize("pattern", [REAL, TOPES], ids=["real", "topes"])
def test_lines_of_the_plane(pattern: Pattern) -> None:
    proof = decide(pattern, 2).proof
    axes = draw(pattern, proof).get_axes()[0]
    points = np.asarray(axes.collections[0].get_offsets())
    entries = pattern.to_array()
    lines = {int(re.sub("row ", "", line.get_gid())): line for line in axes.get_lines()}
    assert set(lines) == {boundary.rows[0] for boundary in View.of(proof).boundaries}
    for row, line in lines.items():
        (a, b) = np.asarray(line.get_xydata())
        assert np.isclose(np.abs([a, b]).max(axis=1), 1.18).all()
        turns = np.sign((b - a)[0] * (points - a)[:, 1] - (b - a)[1] * (points - a)[:, 0])
        assert len(set(turns[entries[row] == 1])) == 1
        assert set(turns[entries[row] == 1]).isdisjoint(turns[entries[row] == 0])


def test_arrows_point_to_the_ones() -> None:
    proof = decide(REAL, 2).proof
    axes = draw(REAL, proof, rows=[3]).get_axes()[0]
    points = np.asarray(axes.collections[0].get_offsets())
    arrow = next(text for text in axes.texts if text.get_text() == "" and text.arrow_patch)
    foot, head = np.array(arrow.xyann), np.array(arrow.xy)
    ones = REAL.to_array()[3] == 1
    assert np.abs(head).max() < 1.18
    assert ((points[ones] - foot) @ (head - foot) > 0).all()
    assert ((points[~ones] - foot) @ (head - foot) < 0).all()


def test_chosen_rows_alone_are_drawn() -> None:
    proof = decide(TOPES, 2).proof
    axes = draw(TOPES, proof, rows=(4, 7, 4)).get_axes()[0]
    assert [line.get_gid() for line in axes.get_lines()] == ["row 4", "row 7"]
    assert len(axes.patches) == 2  # shaded half-planes
    single = draw(TOPES, proof, rows=[4]).get_axes()[0]
    white = (single.collections[0].get_facecolors()[:, :3] == 1).all(axis=1)
    assert np.array_equal(white, TOPES.to_array()[4] == 0)


def test_keys_are_named_those_of_one_point_together() -> None:
    proof = decide(REAL, 2).proof
    texts = [text.get_text() for text in draw(REAL, proof).get_axes()[0].texts]
    assert "[CLS] 0" in texts
    assert any(text.endswith("+6") for text in texts)


def test_points_and_planes_of_space() -> None:
    proof = decide(SPACE, 3).proof
    axes = draw(SPACE, proof).get_axes()[0]
    assert axes.name == "3d"
    assert not [c for c in axes.collections if str(c.get_gid()).startswith("row")]
    keys = next(c for c in axes.collections if c.get_gid() == "keys")
    assert np.allclose(np.array(keys._offsets3d).T, View.of(proof).points)
    axes = draw(SPACE, proof, rows=[0, 20]).get_axes()[0]
    planes = [c for c in axes.collections if str(c.get_gid()).startswith("row")]
    assert [plane.get_gid() for plane in planes] == ["row 0", "row 20"]
    for boundary in View.of(proof).boundaries:
        corners = plane_in_the_cube(boundary)
        assert len(corners) >= 3
        assert np.allclose(corners @ boundary.normal, boundary.level)
        assert np.isclose(np.abs(corners).max(axis=1), 1.18).all()


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


@pytest.mark.parametrize("columns", [2, 20])
@pytest.mark.parametrize("letters", [0, 30])
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


@pytest.mark.parametrize("name", ["_a", "$x_{$"])
def test_planes_are_named_as_their_rows(name: str) -> None:
    pattern = Pattern.from_array(np.eye(4), row_names=[name, "b", "c", "d"])
    figure = draw(pattern, decide(pattern, 3).proof, rows=[0])
    assert svg(figure).startswith("<?xml")
    legend = figure.get_axes()[0].get_legend()
    assert [text.get_text() for text in legend.get_texts()] == [f"{name} 0"]


def test_many_keys_and_rows_are_neither_named_nor_all_drawn() -> None:
    rng = np.random.RandomState(0)
    queries, keys = rng.randint(-999, 1000, size=(2, 300, 2))
    proof = Embedding(queries, keys, np.full(300, 10_000))
    pattern = Pattern.from_array(queries @ keys.T > 10_000)
    axes = draw(pattern, proof).get_axes()[0]
    assert 100 < len(axes.get_lines()) <= 200
    assert {text.get_text() for text in axes.texts} - {""} == {"no room for the names of 300 keys"}


@pytest.mark.parametrize("d", [2, 3])
def test_degenerate_embeddings(d: int) -> None:
    one_point = Embedding(np.zeros((2, d), int), np.zeros((3, d), int), [-1, -1])
    draw(Pattern.from_text("111\n111"), one_point)
    line = Embedding([[1] + [0] * (d - 1)], [[k] * d for k in range(3)], [1])
    pattern = Pattern.from_text("001")
    sides_agree(pattern, View.of(line))
    draw(pattern, line, rows=[0])
    far = 10**400
    huge = Embedding([[far] * d], [[far + k] * d for k in range(3)], [d * far * (far + 1)])
    sides_agree(pattern, View.of(huge))
    draw(pattern, huge)


def test_other_dimensions_leave_the_pattern_as_it_is() -> None:
    pattern = generate("all-subsets", n=6, k=2).pattern
    proof = decide(pattern, 4).proof
    assert np.array_equal(shown(draw(pattern, proof)), pattern.to_array())


def test_rows_that_are_not_there() -> None:
    proof = decide(TOPES, 2).proof
    for row in (-1, 28, 10**30):
        with pytest.raises(InputError, match=r"there is no row -?\d+ to draw; rows are 0\.\.27"):
            draw(TOPES, proof, rows=[row])


# ---------------------------------------------------------------- labels


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


@pytest.mark.parametrize("rows", [None, [0, 1, 2, 3, 4, 5]], ids=str)
@pytest.mark.parametrize("d", [1, 2, 3])
def test_visible_names_never_overlap(d: int, rows: list[int] | None) -> None:
    from matplotlib.text import Text

    pattern, proof = dense(d)
    figure = draw(pattern, proof, rows=rows)
    figure.draw_without_rendering()
    axes = figure.get_axes()[-1]
    visible = [text for text in axes.texts if text.get_visible() and text.get_text()]
    named = [text for text in visible if text.get_text().startswith("document")]
    notes = [text.get_text() for text in visible if text.get_text().startswith("no room")]
    assert len(named) >= 5
    points = len(np.unique(proof.keys, axis=0))
    hidden = [int(note.split(" keys")[0].split()[-1]) for note in notes if " keys" in note]
    assert len(named) + sum(hidden) == points
    boxes = [Text.get_window_extent(text).extents for text in visible]
    if axes.get_legend() is not None:
        boxes.append(axes.get_legend().get_window_extent().extents)
    for k, box in enumerate(boxes):
        assert overlap(box, np.array(boxes[:k]).reshape(-1, 4)) == 0, visible[k]


# ---------------------------------------------------------------- both sides, notebooks, command


def test_both_sides_of_a_dimension() -> None:
    found = weak_dimension(REAL)
    no, yes = found.draw().subfigs
    assert no.get_suptitle().startswith("NO for d = 1")
    assert yes.get_suptitle() == "YES for d = 2"
    assert np.array_equal(np.asarray(no.get_axes()[0].get_images()[0].get_array()), REAL.to_array())
    assert len(yes.get_axes()[0].get_lines()) == len(View.of(found.yes.proof).boundaries)


def test_one_side_where_the_other_has_nothing_to_show() -> None:
    line = weak_dimension([[1, 0, 0], [1, 1, 0]])
    assert len(line.draw().subfigs) == 1
    four = weak_dimension(generate("all-subsets", n=6, k=2).pattern)
    assert [part.get_suptitle()[:12] for part in four.draw().subfigs] == ["NO for d = 3"]
    (nothing,) = WeakDimension(four.pattern, None, None).draw().subfigs
    assert nothing.get_suptitle() == "weak dimension 1..5"


def test_notebooks_show_verdicts() -> None:
    assert decide(CLASH)._repr_svg_().startswith("<?xml")
    assert "NO for d = 1, d_hid = 1" in decide(CLASH, 1, 1)._repr_svg_()
    assert "<svg" in weak_dimension(CLASH)._repr_svg_()


def test_notebooks_fall_back_where_there_is_no_picture() -> None:
    eye = Pattern.from_sparse(scipy.sparse.eye_array(40_000, format="csr"))
    assert Verdict(Problem(eye, 1), None)._repr_svg_() is None


def plot(*arguments: str) -> Any:
    return CliRunner().invoke(cli, ["plot", *arguments])


@pytest.mark.parametrize(
    "options", [["-d", "1"], ["-d", "2", "--row", "0", "--row", "3"], ["--dim"], []], ids=str
)
def test_one_command_decides_and_draws(tmp_path: Path, options: list[str]) -> None:
    target = tmp_path / "p.png"
    done = plot(str(data.path("minilm/s04_L2_H08_top1_n17.npz")), *options, "--output", str(target))
    assert (done.exit_code, done.stdout.strip()) == (0, str(target))
    assert target.read_bytes().startswith(b"\x89PNG")


def test_a_certificate_that_is_none_is_named_alone(tmp_path: Path) -> None:
    (tmp_path / "c.json").write_text('{"x": 1}')
    source = str(data.path("minilm/s04_L2_H08_top1_n17.npz"))
    certificate = str(tmp_path / "c.json")
    done = plot(source, "--certificate", certificate, "--output", str(tmp_path / "p.png"))
    assert done.exit_code == 2
    assert done.stderr.startswith(f"samapprox: error: {certificate}: ")


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


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["-d", "1", "--dim"], "give only one of them"),
        (["--d-hid", "1"], "give both"),
        (["-d", "0"], "d must be a whole number of at least 1"),
        (["-d", "2", "--row", "17"], "error: --row: there is no row 17; rows are 0..16"),
        (["--dim", "--row", "-1"], "there is no row -1"),
        (["-d", "2", "--time-limit", "-1"], "time limit"),
    ],
)
def test_hostile_options(tmp_path: Path, options: list[str], message: str) -> None:
    source = str(data.path("minilm/s04_L2_H08_top1_n17.npz"))
    done = plot(source, *options, "--output", str(tmp_path / "p.png"))
    assert done.exit_code == 2
    assert message in done.stderr
    assert not (tmp_path / "p.png").exists()


@pytest.mark.parametrize("options", [["-d", "2"], ["--dim"], []], ids=str)
def test_what_cannot_be_drawn_is_refused_before_the_search(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: list[str]
) -> None:
    def never(*_arguments: object, **_options: object) -> None:
        raise AssertionError("searched")

    for search in ("decide_pattern", "weak_dimension"):
        monkeypatch.setattr(f"samapprox.cli.commands.plot.{search}", never)
    scipy.sparse.save_npz(tmp_path / "eye.npz", scipy.sparse.eye_array(40_000, format="csr"))
    done = plot(str(tmp_path / "eye.npz"), *options, "--output", str(tmp_path / "p.png"))
    assert (done.exit_code, "entries to draw" in done.stderr) == (2, True)
    source = str(data.path("minilm/s04_L2_H08_top1_n17.npz"))
    done = plot(source, *options, "--row", "17", "--output", str(tmp_path / "p.png"))
    assert (done.exit_code, "there is no row 17" in done.stderr) == (2, True)
