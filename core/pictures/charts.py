"""Charts of results: shares that fits leave right, margins, and rows right by layer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from samapprox.pictures.style import LINES, QUIET, line_style, put_heading, put_legend

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from samapprox.results.margins import MarginBounds


def draw_fit_curve(
    dimensions: Sequence[int], found: Sequence[float], most: Sequence[float], unit: str
) -> Figure:
    """Draw two lines: the share that embeddings get right, and the proven ceiling.

    `found`, `most`: shares from 0 to 1, one for each dimension. `unit`: the items that are counted,
    in the plural. Returned: created without pyplot, so no global state changes.
    """
    from matplotlib.figure import Figure
    from matplotlib.ticker import MaxNLocator, PercentFormatter

    figure = Figure(figsize=(6.4, 4.2), layout="constrained")
    axes = figure.add_subplot()
    axes.fill_between(dimensions, most, 1, color=QUIET, alpha=0.15, lw=0, label="impossible")
    axes.plot(dimensions, most, color=QUIET, marker="v", ms=10, lw=3.5, label="proven ceiling")
    axes.plot(dimensions, found, color=LINES[0], marker="o", label="embedding found")
    axes.set_xlabel("dimension d of queries and keys")
    axes.set_ylabel(f"{unit} right")
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.yaxis.set_major_formatter(PercentFormatter(1.0))
    axes.legend(loc="lower right", frameon=False)
    return figure


def draw_truncations(
    lengths: Sequence[int],
    right: Sequence[float],
    most: Sequence[float],
    measures: Mapping[str, Sequence[float]],
) -> Figure:
    """Draw the share of right rows, its proven ceiling, and measures, against the length.

    `right`, `most`, `measures`: numbers from 0 to 1, one for each length. Returned: created without
    pyplot, so no global state changes.
    """
    from matplotlib.figure import Figure
    from matplotlib.ticker import NullLocator, PercentFormatter

    figure = Figure(figsize=(6.4, 4.2), layout="constrained")
    axes = figure.add_subplot()
    axes.plot(lengths, most, color=QUIET, marker="v", ms=10, lw=3.5, label="proven ceiling")
    axes.plot(lengths, right, color=LINES[0], marker="o", label="rows right")
    for place, (name, values) in enumerate(measures.items(), start=1):
        axes.plot(lengths, values, color=LINES[place % len(LINES)], marker=".", ls="--", label=name)
    axes.set_xscale("log", base=2)
    axes.set_xticks(lengths, [str(length) for length in lengths])
    axes.xaxis.set_minor_locator(NullLocator())
    axes.set_xlabel("leading coordinates of queries and keys")
    axes.yaxis.set_major_formatter(PercentFormatter(1.0))
    axes.legend(loc="lower right", frameon=False)
    return figure


_BOUND: dict[str, Any] = {"color": QUIET, "lw": 1.2, "ls": ":", "label": "proven upper bound"}
_FOUND: dict[str, Any] = {"color": LINES[0], "marker": "o"}


def draw_margins(found: MarginBounds) -> Figure:
    """Draw the margin found in each dimension, and the bits if they were searched.

    A dotted line shows the proven upper bound on the margin in each dimension. Dimensions in which
    no embedding with a margin was found have no point.

    `found`: with dimensions. Returned: created without pyplot, so no global state changes.

    >>> from samapprox import margin
    >>> figure = draw_margins(margin([[1, 0], [0, 1]], dimensions=1))
    >>> [axes.get_ylabel() for axes in figure.get_axes()]
    ['margin found']
    """
    from matplotlib.figure import Figure
    from matplotlib.ticker import MaxNLocator

    with_bits = any(each.bits is not None for each in found.dimensions)
    figure = Figure(figsize=(4.8 * (1 + with_bits), 3.6), layout="constrained")
    parts = figure.subplots(1, 1 + with_bits, squeeze=False)[0]
    shown = [each for each in found.dimensions if each.yes is not None]
    parts[0].plot([each.d for each in shown], [float(each.lower) for each in shown], **_FOUND)
    ceilings = [(each.d, float(each.upper)) for each in found.dimensions if each.upper is not None]
    if ceilings:
        (line,) = parts[0].step(*zip(*ceilings, strict=True), where="mid", **_BOUND)
        parts[0].legend(handles=[line], loc="lower right", frameon=False)
    _frame(parts[0], "margin found", found)
    if with_bits:
        rounded = [each for each in found.dimensions if each.bits is not None]
        parts[1].plot([each.d for each in rounded], [each.bits for each in rounded], **_FOUND)
        _frame(parts[1], "bits found", found)
        parts[1].yaxis.set_major_locator(MaxNLocator(integer=True))
    return figure


def _frame(axes: Axes, what: str, found: MarginBounds) -> None:
    """Set the titles and the scales, which begin with 0."""
    from matplotlib.ticker import MaxNLocator

    numbers = [each.d for each in found.dimensions]
    axes.set_xlim(min(numbers) - 0.5, max(numbers) + 0.5)
    axes.set_ylim(bottom=0)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.set_xlabel("d")
    axes.set_ylabel(what)


_MARKED = 40  # layers that are marked one by one


@dataclass(frozen=True, slots=True)
class LayerCurve:
    """The curves of one graph.

    `recall`: after every layer; empty if it is not known. `coverage`: share of all pairs that are
    compared, after every layer. `bound`: at least n (n - 1) / (2 |E|) layers are necessary to
    compare all pairs.
    """

    name: str
    recall: Sequence[float]
    coverage: Sequence[float]
    bound: float


def draw_layers(curves: Sequence[LayerCurve], *, title: str | None = None) -> Figure:
    """Draw recall above and pair coverage below, with the greatest possible coverage dotted.

    Returned: created without pyplot, so no global state changes.

    The dotted line of a graph rises by 1 / bound per layer, as if every edge compared a new pair
    in every layer.

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
