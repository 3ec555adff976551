"""Recall and pair coverage of attention graphs, against layers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from samapprox.pictures.style import QUIET, line_style, put_heading, put_legend

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["LayerCurve", "draw_layers"]

_MARKED = 40  # layers that are marked one by one


@dataclass(frozen=True, slots=True)
class LayerCurve:
    """The curves of one graph.

    Attributes
    ----------
    name : str
    recall : sequence of float
        After every layer; empty if it is not known.
    coverage : sequence of float
        Share of all pairs that are compared, after every layer.
    bound : float
        At least n (n - 1) / (2 |E|) layers are necessary to compare all pairs.
    """

    name: str
    recall: Sequence[float]
    coverage: Sequence[float]
    bound: float


def draw_layers(curves: Sequence[LayerCurve], *, title: str | None = None) -> Figure:
    """Draw recall above and pair coverage below, with the greatest possible coverage dotted.

    Parameters
    ----------
    curves : sequence of LayerCurve
    title : str, optional

    Returns
    -------
    matplotlib Figure
        Created without pyplot, so no global state changes.

    Notes
    -----
    The dotted line of a graph rises by 1 / bound per layer, as if every edge compared a new pair
    in every layer.

    Examples
    --------
    >>> figure = draw_layers([LayerCurve("star", [0.5, 0.75], [0.2, 0.3], 10.0)])
    >>> [axes.get_ylabel() for axes in figure.get_axes()]
    ['recall', 'share of pairs compared']
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7.5, 6.4), layout="constrained")
    upper, lower = figure.subplots(2, 1, sharex=True)
    most = max(len(curve.coverage) for curve in curves)
    named = []
    for number, curve in enumerate(curves):
        colour, dashes = line_style(number)
        style = {
            "color": colour,
            "linestyle": dashes,
            "marker": "o" if most <= _MARKED else "",
            "markersize": 3,
            "linewidth": 1.4,
        }
        upper.plot(range(1, len(curve.recall) + 1), curve.recall, **style)
        (line,) = lower.plot(range(1, len(curve.coverage) + 1), curve.coverage, **style)
        named.append((line, curve.name))
        end = min(most, curve.bound)
        lower.plot([0, end], [0, end / curve.bound], ":", color=colour, linewidth=1)
    (line,) = lower.plot([], [], ":", color=QUIET, linewidth=1)
    named.append((line, "upper bound: one new pair per edge and layer"))
    for axes, what in ((upper, "recall"), (lower, "share of pairs compared")):
        axes.set_ylabel(what)
        axes.set_ylim(-0.02, 1.02)
        axes.grid(color=QUIET, alpha=0.2)
    lower.set_xlabel("layers")
    lower.set_xlim(0, most + 0.5)
    put_legend(lower, named, fontsize=8, loc="upper left")
    put_heading(figure, title)
    return figure
