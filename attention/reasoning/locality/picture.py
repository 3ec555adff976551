"""Pictures of dependencies: which tokens need which, and the live width along the sequence."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from samapprox.attention.graphs.graph import AttentionGraph
from samapprox.attention.graphs.picture import bin_edges
from samapprox.attention.reasoning.locality.dag import require_needs
from samapprox.attention.reasoning.locality.live_width import live_width
from samapprox.attention.reasoning.locality.order import BestOrder
from samapprox.pictures.style import LINES, ONE, QUIET, STAR, ZERO, put_heading, put_legend

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["draw_needs"]

_MOST_SQUARES = 600  # on a side


def draw_needs(
    needs: AttentionGraph,
    given: int = 0,
    *,
    best: BestOrder | None = None,
    title: str | None = None,
) -> Figure:
    """Draw the needs of a sequence above its live width.

    A long sequence is drawn in squares of several tokens; a square is darker if more of its pairs
    are needs. Lines mark the end of the given tokens.

    Parameters
    ----------
    needs : AttentionGraph
    given : int
    best : BestOrder, optional
        Its live width is drawn as a second curve.
    title : str, optional

    Returns
    -------
    matplotlib Figure
        Created without pyplot, so no global state changes.

    Raises
    ------
    InputError
        See `require_needs`.

    Notes
    -----
    O(n + edges).

    Examples
    --------
    >>> needs = AttentionGraph.from_csr([0, 0, 0, 2, 3], [0, 1, 2])
    >>> [axes.get_ylabel() for axes in draw_needs(needs, 2).get_axes()]
    ['tokens', 'live width']
    """
    from matplotlib.figure import Figure

    require_needs(needs, given)
    figure = Figure(figsize=(6.0, 8.2), layout="constrained")
    above, below = figure.subplots(2, 1, sharex=True, height_ratios=(3, 1))
    _paint_needs(above, needs)
    _paint_widths(below, needs, best)
    for axes in (above, below):
        axes.axvline(given - 0.5, color=QUIET, linewidth=0.8)
    above.axhline(given - 0.5, color=QUIET, linewidth=0.8)
    put_heading(figure, title)
    return figure


def _paint_needs(axes: Axes, needs: AttentionGraph) -> None:
    from matplotlib.colors import LinearSegmentedColormap

    share = bin_edges(needs, _MOST_SQUARES)
    end = len(share) * -(-needs.n // _MOST_SQUARES) - 0.5  # the last square may stick out
    axes.imshow(
        np.where(share > 0, 0.3 + 0.7 * share, 0),  # a single need must be seen
        cmap=LinearSegmentedColormap.from_list("share", [ZERO, ONE]),
        vmin=0,
        vmax=1,
        interpolation="nearest",
        extent=(-0.5, end, end, -0.5),
        aspect="auto",
    )
    axes.set_ylabel("tokens")
    axes.set_title("tokens that each token needs", fontsize=10)
    for edge in axes.spines.values():
        edge.set_color(STAR)


def _paint_widths(axes: Axes, needs: AttentionGraph, best: BestOrder | None) -> None:
    places = np.arange(needs.n)
    found = live_width(needs)
    lines = [(axes.step(places, found.widths, where="mid", color=ONE)[0], "this order")]
    if best is not None:
        widths = live_width(needs, best.order.tolist()).widths
        drawn = axes.step(places, widths, where="mid", color=LINES[1], linestyle="--")
        lines.append((drawn[0], "best order"))
        put_legend(axes, lines, fontsize=8)
    axes.plot([found.place], [found.greatest], "o", color=ONE, markersize=4)
    peak = (found.place, found.greatest)
    axes.annotate(str(peak[1]), peak, (4, 3), textcoords="offset points", fontsize=8)
    axes.set_ylim(0, 1.12 * found.greatest + 1)
    axes.set_ylabel("live width")
    axes.set_xlabel("tokens")
