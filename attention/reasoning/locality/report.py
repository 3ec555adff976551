"""All measures of the dependencies of a sequence of tokens, in one document, and their picture."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from samapprox.attention.graphs.graph import AttentionGraph
from samapprox.attention.graphs.picture import bin_edges
from samapprox.attention.reasoning.locality.dependencies import (
    LiveWidth,
    Locality,
    live_width,
    require_needs,
)
from samapprox.attention.reasoning.locality.hearing import Hearing, SummaryLoad
from samapprox.attention.reasoning.locality.order import BestOrder
from samapprox.pictures.style import LINES, ONE, QUIET, STAR, ZERO, put_heading, put_legend
from samapprox.support.documents import document_head


@dataclass(frozen=True, slots=True)
class LocalityReport:
    """The measures of one sequence; those that were not requested are None.

    `size, seed`: Of a random instance of a task.
    """

    source: str  # The task or the file
    size: int | None
    seed: int | None
    needs: AttentionGraph
    given: int
    locality: Locality
    live: LiveWidth
    best: BestOrder | None = None
    mask: str | None = None  # The mask of the next two
    hearing: Hearing | None = None
    summaries: SummaryLoad | None = None  # For block-sparse masks

    def to_json(self) -> dict[str, Any]:
        """Return the document: see `samapprox schema cot-locality`."""
        return {
            **document_head("cot-locality"),
            "source": self.source,
            "size": self.size,
            "seed": self.seed,
            "tokens": self.needs.n,
            "given": self.given,
            "needs": self.needs.edges,
            "locality": asdict(self.locality),
            "live_width": {
                "greatest": self.live.greatest,
                "place": self.live.place,
                "widths": self.live.widths.tolist(),
            },
            "best_order": None if self.best is None else _order(self.best),
            "mask": self.mask,
            "hearing": None if self.hearing is None else _hearing(self.hearing),
            "summaries": None if self.summaries is None else _summaries(self.summaries),
        }


def _order(best: BestOrder) -> dict[str, Any]:
    return {
        "width": best.width,
        "lower": best.lower,
        "claimed": best.claimed,
        "optimal": best.optimal,
        "down_sets": best.sets,
        "order": best.order.tolist(),
    }


def _hearing(hearing: Hearing) -> dict[str, Any]:
    return {
        "layers": hearing.layers,
        "complete": hearing.complete,
        "depth": hearing.depth,
        "missing": hearing.missing.tolist(),
        "paths": hearing.paths[hearing.paths[:, 0] >= 0].tolist(),
    }


def _summaries(found: SummaryLoad) -> dict[str, Any]:
    return {
        "reach": found.reach,
        "far": len(found.far),
        "lost": found.lost.tolist(),
        "blocks": found.blocks.tolist(),
        "load": found.load,
        "crowd": None if found.crowd is None else asdict(found.crowd),
    }


if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


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
        An edge (i, j) means that token i is computed from token j.
    given : int
        The first tokens, which are the input.
    best : BestOrder, optional
        Its live width is drawn as a second curve.
    title : str, optional
        Text above the picture.

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
