"""The frontier as a picture: rank against spread, and rank against bits."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from samapprox.attention.approximation.frontier import Frontier, Point
from samapprox.pictures.style import LINES, QUIET, put_heading

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["draw_frontier"]

_MARKERS = "osD^vP*X"


def draw_frontier(found: Frontier, *, title: str | None = None) -> Figure:
    """Draw every point twice: spread of logits and bits of entries over the rank.

    Lines show what cannot be: ranks below the pattern's bound, and too few bits for the worst A.

    Parameters
    ----------
    found : Frontier
    title : str, optional

    Returns
    -------
    matplotlib Figure
        Made without pyplot: nothing global changes.

    Examples
    --------
    >>> from samapprox.attention.approximation import Request, sample
    >>> from samapprox.attention.approximation.frontier import frontier
    >>> request = Request(target=sample(32, 1, 1.0), eps1=0.1, eps2=1.0)
    >>> figure = draw_frontier(frontier(request, methods=["circle", "rings"], ranks=[]))
    >>> [axes.get_ylabel() for axes in figure.get_axes()]
    ['spread of logits', 'bits of an entry']
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9.6, 4.2), layout="constrained")
    spreads, bits = figure.subplots(1, 2)
    families = list(dict.fromkeys(_family(point) for point in found.points))
    for number, family in enumerate(families):
        points = [point for point in found.points if _family(point) == family]
        style = {"color": LINES[number % len(LINES)], "marker": _MARKERS[number % len(_MARKERS)]}
        ranks = [point.rank for point in points]
        spreads.plot(ranks, [point.spread for point in points], ls="", label=family, **style)
        whole = [point for point in points if point.bits is not None]
        bits.plot([p.rank for p in whole], [p.bits for p in whole], ls="", **style)
    _frame(spreads, found, "spread of logits")
    _frame(bits, found, "bits of an entry")
    low, high = bits.get_xlim()
    along = np.geomspace(max(low, 1), high, 100)
    bits.plot(along, found.bounds.rank_times_bits / along, color=QUIET, lw=1)
    spreads.set_yscale("log")
    if families:
        spreads.legend(fontsize="small")
    put_heading(figure, title)
    return figure


def _family(point: Point) -> str:
    return point.method.partition(",")[0]


def _frame(axes: Axes, found: Frontier, what: str) -> None:
    """Label the axes and mark the ranks that are impossible."""
    from matplotlib.ticker import ScalarFormatter

    axes.set_xscale("log", base=2)
    axes.xaxis.set_major_formatter(ScalarFormatter())
    axes.set_xlabel("rank")
    axes.set_ylabel(what)
    if found.bounds.pattern_rank:  # the scale has no 0
        axes.axvline(found.bounds.pattern_rank, color=QUIET, lw=1, ls=":")
