"""The share of rows or entries that are right, against the dimension."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from samapprox.pictures.style import LINES, QUIET

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["draw_fit_curve"]


def draw_fit_curve(
    dimensions: Sequence[int], found: Sequence[float], most: Sequence[float], unit: str
) -> Figure:
    """Draw two lines: the share that embeddings get right, and the proven ceiling.

    Parameters
    ----------
    dimensions : sequence of int
    found, most : sequence of float
        Shares from 0 to 1, one for each dimension.
    unit : str
        The items that are counted, in the plural.

    Returns
    -------
    matplotlib Figure
        Created without pyplot, so no global state changes.
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
