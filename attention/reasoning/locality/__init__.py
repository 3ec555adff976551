"""Dependencies of chains of thought: locality, live width, orders, what a mask lets through."""

from typing import TYPE_CHECKING

from samapprox.support.lazy import lazy_names

if TYPE_CHECKING:
    from samapprox.attention.reasoning.locality.dependencies import (
        LiveWidth,
        Locality,
        live_width,
        locality,
        parse_needs,
    )
    from samapprox.attention.reasoning.locality.hearing import Hearing, hear
    from samapprox.attention.reasoning.locality.order import BestOrder, best_order
    from samapprox.attention.reasoning.locality.report import draw_needs
    from samapprox.attention.reasoning.locality.summaries import Crowd, SummaryLoad, summary_load

__all__ = [
    "BestOrder",
    "Crowd",
    "Hearing",
    "LiveWidth",
    "Locality",
    "SummaryLoad",
    "best_order",
    "draw_needs",
    "hear",
    "live_width",
    "locality",
    "parse_needs",
    "summary_load",
]

if not TYPE_CHECKING:
    __getattr__, __dir__ = lazy_names(
        __name__,
        dependencies=(
            "LiveWidth",
            "Locality",
            "live_width",
            "locality",
            "parse_needs",
        ),
        hearing=(
            "Hearing",
            "hear",
        ),
        order=(
            "BestOrder",
            "best_order",
        ),
        report=("draw_needs",),
        summaries=(
            "Crowd",
            "SummaryLoad",
            "summary_load",
        ),
    )
