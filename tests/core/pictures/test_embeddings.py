"""Pictures of embeddings: keys as points, queries as lines and planes."""

from __future__ import annotations

import re

import numpy as np
import pytest
from helpers.pictured import REAL, SPACE, TOPES, shown
from helpers.strategies import Entries, valid_entries
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from mpl_toolkits.mplot3d import proj3d
from scipy.spatial.distance import cdist

from samapprox import InputError, Pattern, data, decide, load
from samapprox.pictures import draw, svg
from samapprox.pictures.embedding import find_camera, plane_in_the_cube
from samapprox.pictures.view import View, score_distances
from samapprox.proofs.embeddings.embedding import Embedding
from samapprox.reductions.families import generate


def sides_agree(pattern: Pattern, view: View) -> None:
    """Every drawn boundary has a row's ones on its upper side, and its zeros below."""
    entries = pattern.to_array()
    for boundary in view.boundaries:
        heights = view.points @ boundary.normal - boundary.level
        for row in boundary.rows:
            known = entries[row] >= 0
            assert ((heights > 0) == (entries[row] == 1))[known].all()
            assert np.isclose(np.linalg.norm(boundary.normal), 1)


@settings(max_examples=30, deadline=None)
@given(valid_entries(6, 6), st.integers(1, 3))
def test_boundaries_tell_ones_from_zeros(entries: Entries, d: int) -> None:
    verdict = decide(entries, d, time_limit=2.0)
    assume(verdict.status.value == "YES")
    view = View.of(verdict.proof)
    sides_agree(verdict.problem.pattern, view)
    assert np.abs(view.points).max() <= 1 + 1e-9
    sides_agree(verdict.problem.pattern, view.spread())
    assert np.abs(view.spread().points).max() <= 1 + 1e-9
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
    for line, shade in zip(axes.get_lines(), axes.patches, strict=True):
        corners = np.asarray(shade.get_xy())  # those of the window, and the ends of the line
        assert np.isclose(np.abs(corners).max(axis=1), 1.18).all()
        apart = np.abs(corners[:, None] - np.asarray(line.get_xydata())).max(axis=2).min(axis=0)
        assert np.allclose(apart, 0)
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
    assert np.allclose(np.array(keys._offsets3d).T, View.of(proof).spread().points)
    axes = draw(SPACE, proof, rows=[0, 20]).get_axes()[0]
    planes = [c for c in axes.collections if str(c.get_gid()).startswith("row")]
    assert [plane.get_gid() for plane in planes] == ["row 0", "row 20"]
    for boundary in View.of(proof).spread().boundaries:
        corners = plane_in_the_cube(boundary)
        assert len(corners) >= 3
        assert np.allclose(corners @ boundary.normal, boundary.level)
        assert np.isclose(np.abs(corners).max(axis=1), 1.18).all()


@pytest.mark.parametrize("far", [3, 100])
def test_a_clump_is_moved_apart_by_a_projective_map(far: int) -> None:
    """One key is far from the others: no affine map shows all of them apart."""
    rng = np.random.RandomState(1)
    keys = np.vstack([rng.randint(-20, 21, size=(36, 3)), [[20 * far, 17 * far, -18 * far]]])
    queries = rng.randint(-9, 10, size=(30, 3))
    proof = Embedding(queries, keys, np.median(queries @ keys.T, axis=1).astype(int))
    pattern = Pattern(queries @ keys.T > np.array(proof.thresholds, dtype=int)[:, None])
    view = View.of(proof)
    sides_agree(pattern, view.spread())
    gain = score_distances(view.spread().points) - score_distances(view.points)
    assert gain > (0.3 if far >= 100 else 0.1)
    assert len(view.spread().boundaries) == len(view.boundaries)


def test_dots_of_space_can_be_told_apart() -> None:
    pattern = load(data.path("minilm/s14_L1_H07_top3_n39.npz"))
    figure = draw(pattern, decide(pattern, 3, only=["gradient"]).proof)
    figure.draw_without_rendering()
    axes = figure.get_axes()[0]
    keys = next(one for one in axes.collections if one.get_gid() == "keys")
    places = np.array(proj3d.proj_transform(*keys._offsets3d, axes.get_proj())[:2]).T  # type: ignore[attr-defined]
    dots = np.unique(axes.transData.transform(places).round(6), axis=0) * 72 / figure.dpi
    gaps = [float(np.linalg.norm(a - b)) for k, a in enumerate(dots) for b in dots[:k]]
    assert len(dots) > 25
    assert min(gaps) > 4  # points, the diameter of the smaller dots
    assert np.median(np.sort(cdist(dots, dots), axis=1)[:, 1]) > 16


def test_nearer_dots_are_larger_and_darker_above_a_floor() -> None:
    proof = decide(SPACE, 3).proof
    figure = draw(SPACE, proof)
    figure.draw_without_rendering()
    axes = figure.get_axes()[0]
    points = View.of(proof).spread().points
    e, a = np.radians([axes.elev, axes.azim])
    order = np.argsort(points @ [np.cos(e) * np.cos(a), np.cos(e) * np.sin(a), np.sin(e)])
    keys = next(one for one in axes.collections if one.get_gid() == "keys")
    assert (np.diff(keys._sizes3d[order]) > 0).all()  # type: ignore[attr-defined]
    reds = keys.get_facecolors()[:, 0]  # both in the order in which dots are drawn
    assert np.array_equal(np.argsort(keys.get_sizes()), np.argsort(-reds))
    assert len(set(reds)) == len(order)
    drops = next(one for one in axes.collections if one.get_gid() == "drops")
    ends = np.array(drops._segments3d)  # type: ignore[attr-defined]
    assert np.allclose(ends[:, 1], points)
    assert np.allclose(ends[:, 0, :2], points[:, :2])
    assert np.allclose(ends[:, 0, 2], axes.get_zlim()[0])
    assert any(one.get_gid() == "floor" for one in axes.collections)
    assert [axes.get_xlabel(), axes.get_ylabel(), axes.get_zlabel()] == ["x", "y", "z"]


@given(st.lists(st.tuples(*[st.floats(-1, 1)] * 3), min_size=2, max_size=12))
def test_the_camera_sees_points_apart(places: list[tuple[float, float, float]]) -> None:
    points = np.array(places)
    azimuth, elevation = find_camera(points)
    assert 0 < elevation < 90
    assert -180 <= azimuth < 180


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
