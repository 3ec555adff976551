"""All measures of the dependencies of a sequence of tokens, in one document."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from samapprox.attention.graphs.graph import AttentionGraph
from samapprox.attention.reasoning.locality.distance import Locality
from samapprox.attention.reasoning.locality.hearing import Hearing
from samapprox.attention.reasoning.locality.live_width import LiveWidth
from samapprox.attention.reasoning.locality.order import BestOrder
from samapprox.attention.reasoning.locality.summaries import SummaryLoad
from samapprox.support.json_text import document_head

__all__ = ["LocalityReport"]


@dataclass(frozen=True, slots=True)
class LocalityReport:
    """The measures of one sequence; those that were not requested are None.

    Attributes
    ----------
    source : str
        The task or the file.
    size, seed : int or None
        Of a random instance of a task.
    needs : AttentionGraph
    given : int
    locality : Locality
    live : LiveWidth
    best : BestOrder or None
    mask : str or None
        The mask of the next two.
    hearing : Hearing or None
    summaries : SummaryLoad or None
        For block-sparse masks.
    """

    source: str
    size: int | None
    seed: int | None
    needs: AttentionGraph
    given: int
    locality: Locality
    live: LiveWidth
    best: BestOrder | None = None
    mask: str | None = None
    hearing: Hearing | None = None
    summaries: SummaryLoad | None = None

    def to_json(self) -> dict[str, Any]:
        """Return the document: see `schemas/cot-locality.schema.json`.

        Examples
        --------
        >>> from samapprox.attention.reasoning.locality.distance import locality
        >>> from samapprox.attention.reasoning.locality.live_width import live_width
        >>> needs = AttentionGraph.from_csr([0, 0, 0, 2], [0, 1])
        >>> found, live = locality(needs, 2), live_width(needs)
        >>> report = LocalityReport("sum.txt", None, None, needs, 2, found, live)
        >>> report.to_json()["live_width"]
        {'greatest': 2, 'place': 2, 'widths': [0, 1, 2]}
        """
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
