"""Pictures of sparse masks: the mask itself, and the tokens on a circle."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from samapprox.attention.graphs.graph import AttentionGraph
from samapprox.attention.graphs.heads import SparseAttention
from samapprox.pictures.style import ONE, STAR, ZERO, put_heading

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


_MOST_ON_A_CIRCLE = 128
"""The greatest number of tokens drawn as points; for more, only the mask is drawn."""

_MOST_DOTS = 1000  # squares on a side: more than a screen shows


def draw_graph(attention: SparseAttention, *, title: str | None = None) -> Figure:
    """Draw each pattern's mask and, below it, the tokens on a circle.

    A large mask is drawn in squares of several tokens; a square is darker if more of its pairs are
    edges. On the circle token 0 is at the top, and the others follow clockwise. Lines join each
    token to the tokens it attends to; self-loops are left out.

    O(n + edges).
    """
    from matplotlib.figure import Figure

    count = len(attention.patterns)
    rows = 2 if attention.n <= _MOST_ON_A_CIRCLE else 1
    figure = Figure(figsize=(4.2 * count, 4.2 * rows + 0.4), layout="constrained")
    grid = figure.subplots(rows, count, squeeze=False)
    for number, graph in enumerate(attention.patterns):
        _mask(grid[0, number], graph)
        name = f"pattern {number}: " if count > 1 else ""
        grid[0, number].set_title(f"{name}{graph.edges} edges", fontsize=10)
        if rows == 2:
            _circle(grid[1, number], graph)
    put_heading(figure, title)
    return figure


def bin_edges(graph: AttentionGraph, most: int = _MOST_DOTS) -> NDArray[np.float64]:
    """Return the share of pairs that are edges, in each square of the mask."""
    size = -(-graph.n // most)
    side = -(-graph.n // size)
    place = (graph.queries // size).astype(np.int64) * side + graph.indices // size
    counts = np.bincount(place, minlength=side * side).reshape(side, side)
    tokens = np.full(side, size)
    tokens[-1] = graph.n - size * (side - 1)
    return counts / np.outer(tokens, tokens)


def _mask(axes: Axes, graph: AttentionGraph) -> None:
    from matplotlib.colors import LinearSegmentedColormap

    share = bin_edges(graph)
    axes.imshow(
        np.where(share > 0, 0.3 + 0.7 * share, 0),  # a single edge must be seen
        cmap=LinearSegmentedColormap.from_list("share", [ZERO, ONE]),
        vmin=0,
        vmax=1,
        interpolation="nearest",
    )
    axes.set_ylabel("queries")
    axes.set_xlabel("keys")
    axes.set_xticks([])
    axes.set_yticks([])
    for edge in axes.spines.values():
        edge.set_color(STAR)


def _circle(axes: Axes, graph: AttentionGraph) -> None:
    from matplotlib.collections import LineCollection

    angle = np.pi / 2 - 2 * np.pi * np.arange(graph.n) / graph.n
    points = np.column_stack((np.cos(angle), np.sin(angle)))
    ends = np.column_stack((graph.queries, graph.indices))
    ends = np.unique(np.sort(ends[ends[:, 0] != ends[:, 1]], axis=1), axis=0)
    shade = min(0.8, 3 / np.sqrt(1 + len(ends) / graph.n) / 2)
    axes.add_collection(LineCollection(list(points[ends]), colors=ONE, linewidths=0.6, alpha=shade))
    axes.scatter(points[:, 0], points[:, 1], s=max(3.0, 400 / graph.n), color=ONE, zorder=2)
    axes.set_xlim(-1.1, 1.1)
    axes.set_ylim(-1.1, 1.1)
    axes.set_aspect("equal")
    axes.set_axis_off()
