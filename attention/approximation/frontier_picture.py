"""The frontier as a picture: spread against rank, and bits against rank."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from samapprox.attention.approximation.frontier import Frontier, Point
from samapprox.pictures.style import LINES, QUIET, put_heading, put_legend

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["draw_frontier"]

_MARKERS = "osD^vP*X"
_RANK: dict[str, Any] = {"color": QUIET, "lw": 1.2, "ls": ":"}
_BITS: dict[str, Any] = {"color": QUIET, "lw": 1.2}


def draw_frontier(found: Frontier, *, title: str | None = None) -> Figure:
    """Draw every point twice, by its rank: the spread of its logits, and the bits of its entries.

    Two lines show lower bounds: on the rank of every layer for this A, and on the bits of an entry
    for the worst A of this size. The legend names both.

    Parameters
    ----------
    found : Frontier
    title : str, optional

    Returns
    -------
    matplotlib Figure
        Created without pyplot, so no global state changes.

    Examples
    --------
    >>> from samapprox.attention.approximation import Request, sample
    >>> from samapprox.attention.approximation.frontier import frontier
    >>> request = Request(target=sample(32, 1, 1.0), eps1=0.1, eps2=1.0)
    >>> figure = draw_frontier(frontier(request, methods=["circle", "rings"], ranks=[]))
    >>> [axes.get_ylabel() for axes in figure.get_axes()]
    ['spread of logits (logarithmic)', 'bits per entry']
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=(11.4, 4.2), layout="constrained")
    spreads, bits = figure.subplots(1, 2)
    families = list(dict.fromkeys(_family(point) for point in found.points))
    named: list[tuple[Artist, str]] = []
    for number, family in enumerate(families):
        points = [point for point in found.points if _family(point) == family]
        style = {"color": LINES[number % len(LINES)], "marker": _MARKERS[number % len(_MARKERS)]}
        ranks = [point.rank for point in points]
        named += [
            (line, family)
            for line in spreads.plot(ranks, [point.spread for point in points], ls="", **style)
        ]
        whole = [point for point in points if point.bits is not None]
        bits.plot([p.rank for p in whole], [p.bits for p in whole], ls="", **style)
    least = found.bounds.pattern_rank
    if least:  # the scale has no 0
        named.append((spreads.axvline(least, **_RANK), f"least rank for this A: {least}"))
        bits.axvline(least, **_RANK)
    _frame(spreads, "spread of logits (logarithmic)")
    _frame(bits, "bits per entry")
    if found.bounds.rank_times_bits:
        low, high = bits.get_xlim()
        along = np.geomspace(max(low, 1), high, 100)
        (curve,) = bits.plot(along, found.bounds.rank_times_bits / along, **_BITS)
        named.append((curve, "least bits for the worst A of this size"))
    spreads.set_yscale("log")
    if named:
        put_legend(figure, named, fontsize="small", loc="outside right upper")
    put_heading(figure, title)
    return figure


def _family(point: Point) -> str:
    return point.method.partition(",")[0]


def _frame(axes: Axes, what: str) -> None:
    """Set titles and scales."""
    from matplotlib.ticker import ScalarFormatter

    axes.set_xscale("log", base=2)
    axes.xaxis.set_major_formatter(ScalarFormatter())
    axes.set_xlabel("rank (logarithmic)")
    axes.set_ylabel(what)
