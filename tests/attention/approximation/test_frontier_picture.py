"""The picture of a frontier shows its points where they are, and names its lower bounds."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from samapprox.attention.approximation import Request, Target, sample
from samapprox.attention.approximation.frontier import Frontier, draw_frontier, frontier
from samapprox.pictures import svg


def found(target: Target, *methods: str) -> Frontier:
    asked = Request(target=target, eps1=0.1, eps2=1.0)
    return frontier(asked, methods=methods, ranks=[4] if "optimised" in methods else [])


def markers(axes: Any) -> set[tuple[float, float]]:
    """The points drawn without a line."""
    return {
        (float(x), float(y))
        for line in axes.get_lines()
        if line.get_linestyle() == "None"
        for x, y in zip(line.get_xdata(), line.get_ydata(), strict=True)
    }


def lines(axes: Any, style: str) -> list[Any]:
    return [line for line in axes.get_lines() if line.get_linestyle() == style]


def test_points_and_bounds() -> None:
    target = sample(24, 2, 2.0)
    what = found(target, "projection", "circle", "line", "rings", "optimised")
    first, *rest = what.points
    what = replace(
        what, points=(replace(first, bits=None), *rest)
    )  # its place is on the left alone
    figure = draw_frontier(what, title="24 tokens")
    spreads, bits = figure.get_axes()
    assert markers(spreads) == {(point.rank, point.spread) for point in what.points}
    assert markers(bits) == {
        (point.rank, point.bits) for point in what.points if point.bits is not None
    }
    (legend,) = figure.legends
    names = [text.get_text() for text in legend.get_texts()]
    assert names == [
        *("projection", "circle", "line", "rings", "optimised"),
        f"least rank for this A: {what.bounds.pattern_rank}",
        "least bits for the worst A of this size",
    ]
    figure.draw_without_rendering()
    box = legend.get_window_extent()
    assert not any(box.overlaps(axes.get_tightbbox()) for axes in (spreads, bits))
    for axes in (spreads, bits):
        (bound,) = lines(axes, ":")
        assert set(bound.get_xdata()) == {what.bounds.pattern_rank}
    (curve,) = lines(bits, "-")
    products = np.array(curve.get_xdata()) * np.array(curve.get_ydata())
    assert products == pytest.approx(what.bounds.rank_times_bits)
    assert figure.get_suptitle() == "24 tokens"


def test_where_there_is_nothing_to_show() -> None:
    full = Target.from_array(np.full((3, 3), 1 / 3))
    what = found(full, "hypercube")
    assert (what.points, what.bounds.pattern_rank) == ((), 0)
    figure = draw_frontier(what)
    assert [markers(axes) | set(lines(axes, ":")) for axes in figure.get_axes()] == [set(), set()]
    named = [text.get_text() for legend in figure.legends for text in legend.get_texts()]
    assert not any("rank" in name or "hypercube" in name for name in named)
    assert svg(figure).startswith("<?xml")
