"""Margins and bits against the dimension, as a picture."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from samapprox.pictures.style import LINES, QUIET, put_heading

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from samapprox.results.margins import MarginBounds

__all__ = ["draw_margins"]

_BOUND: dict[str, Any] = {"color": QUIET, "lw": 1.2, "ls": ":", "label": "upper bound for every d"}
_FOUND: dict[str, Any] = {"color": LINES[0], "marker": "o"}


def draw_margins(found: MarginBounds, *, title: str | None = None) -> Figure:
    """Draw the margin found in each dimension, and the bits if they were searched.

    A dotted line shows the proven upper bound on the margin in any dimension. Dimensions in which
    no embedding was found have no point.

    Parameters
    ----------
    found : MarginBounds
        With dimensions.
    title : str, optional

    Returns
    -------
    matplotlib Figure
        Created without pyplot, so no global state changes.

    Examples
    --------
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
    shown = [each for each in found.dimensions if each.found]
    parts[0].plot([each.d for each in shown], [float(each.lower) for each in shown], **_FOUND)
    if found.upper is not None:
        line = parts[0].axhline(float(found.upper), **_BOUND)
        parts[0].legend(handles=[line], loc="lower right", frameon=False)
    _frame(parts[0], "margin found", found)
    if with_bits:
        rounded = [each for each in shown if each.bits is not None]
        parts[1].plot([each.d for each in rounded], [each.bits for each in rounded], **_FOUND)
        _frame(parts[1], "bits found", found)
        parts[1].yaxis.set_major_locator(MaxNLocator(integer=True))
    put_heading(figure, title)
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
