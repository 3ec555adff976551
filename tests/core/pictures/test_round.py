"""Pictures of caps and balls show every row around its ones."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from samapprox import Embedding, Pattern, Problem, decide
from samapprox.pictures import draw, svg
from samapprox.pictures.drawing import has_picture
from samapprox.proofs import Balls, Caps, KeyOrder, check

ARCS = Pattern.from_text("110000\n011000\n000110\n100001\n111100")
INTERVALS = Pattern.from_text("110000\n011000\n000110\n000001\n111100")


ORDERED = Pattern.from_text("110000\n011000\n000110\n000011\n111100")


def lines(figure: Any, name: str = "row") -> dict[int, np.ndarray]:
    """The points of each line that belongs to a row."""
    return {
        int(line.get_gid().split()[1]): np.array(line.get_xydata())
        for line in figure.get_axes()[0].get_lines()
        if str(line.get_gid()).startswith(name)
    }


def test_arcs_hold_the_ones_of_their_rows() -> None:
    verdict = decide(ARCS, 2, similarity="cosine", time_limit=10, only=["sphere"])
    assert isinstance(verdict.proof, Caps)
    keys = verdict.proof.keys.astype(float)
    keys /= np.linalg.norm(keys, axis=1)[:, None]
    found = lines(draw(ARCS, verdict.proof))
    assert set(found) == set(range(5))
    for row, arc in found.items():
        arc = arc / np.linalg.norm(arc, axis=1)[:, None]
        near = [np.abs(arc - key).max(axis=1).min() < 0.1 for key in keys]
        angles = np.unwrap(np.arctan2(*arc.T[::-1]))
        wide = np.arctan2(*keys.T[::-1])
        inside = [
            any(angles.min() <= angle + 2 * np.pi * k <= angles.max() for k in (-1, 0, 1))
            for angle in wide
        ]
        assert inside == (ARCS.to_array()[row] == 1).tolist()
        assert all(close for close, one in zip(near, inside, strict=True) if one)


@pytest.mark.parametrize(("similarity", "d"), [("cosine", 2), ("cosine", 3), ("l2", 2)])
def test_rows_of_the_same_colour_have_other_dashes(similarity: Any, d: int) -> None:
    """Only a legend names them, and there are seven colours."""
    pattern = Pattern(np.eye(9, dtype=int) + np.roll(np.eye(9, dtype=int), 1, axis=1))
    verdict = decide(pattern, d, similarity=similarity, time_limit=10)
    legend = draw(pattern, verdict.proof).get_axes()[0].get_legend()
    styles = [(line.get_color(), line.get_linestyle()) for line in legend.get_lines()]
    assert len(styles) == len(set(styles)) == 9


def test_intervals_hold_the_ones_of_their_rows() -> None:
    verdict = decide(INTERVALS, 1, similarity="l2", time_limit=10, only=["sphere"])
    assert isinstance(verdict.proof, Balls)
    figure = draw(INTERVALS, verdict.proof)
    keys = verdict.proof.keys[:, 0].astype(float)
    places = 2 * (keys - keys.min()) / (keys.max() - keys.min()) - 1
    for row, line in lines(figure).items():
        low, high = line[:, 0].min(), line[:, 0].max()
        assert ((places > low) & (places < high)).tolist() == (
            INTERVALS.to_array()[row] == 1
        ).tolist()


@pytest.mark.parametrize(
    ("pattern", "similarity", "d"), [(ARCS, "cosine", 2), (ARCS, "l2", 2), (ORDERED, "l2", 1)]
)
def test_orders_are_drawn_like_numbers(pattern: Pattern, similarity: Any, d: int) -> None:
    proof = decide(pattern, d, similarity=similarity, only=["circular"]).proof
    assert isinstance(proof, KeyOrder)
    assert set(lines(draw(pattern, proof))) == set(range(5))


@pytest.mark.parametrize("size", [9, 10**6, 10**30, 10**200])
def test_circles_of_any_size_are_drawn(size: int) -> None:
    """Halfspaces as balls: their centres are far away, and their numbers are long."""
    halfspaces = Embedding(
        [[1, 0], [0, 1]], [[0, 0], [size, 3], [5, size], [size, size]], [size - 1, 4]
    )
    balls = Balls.of(halfspaces)
    pattern = Pattern.from_text("0101\n0011")
    assert check(Problem(pattern, 2, similarity="l2"), balls) is None
    axes = draw(pattern, balls).get_axes()[0]
    contours = [one for one in axes.collections if str(one.get_gid()).startswith("row")]
    assert len(contours) == 2
    assert all(len(path.vertices) for one in contours for path in one.get_paths())


def test_all_dimensions_have_a_picture_or_none() -> None:
    for d in (1, 2, 3, 5):
        for similarity in ("cosine", "l2"):
            verdict = decide(np.eye(6), d, similarity=similarity, time_limit=5)  # type: ignore[arg-type]
            assert svg(verdict.draw()).startswith("<?xml")
    assert not has_picture(Balls([[1, 1, 1]], [1], [[0, 0, 0]], [-1]))
    assert has_picture(Caps([[1, 1, 1]], [[0, 0, 1]], [-1]))
