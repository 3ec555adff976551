"""Dependencies of chains of thought: locality, live width, orders, what a mask lets through."""

from samapprox.attention.reasoning.locality.dependencies import (
    LiveWidth,
    Locality,
    live_width,
    locality,
    parse_needs,
)
from samapprox.attention.reasoning.locality.hearing import (
    Crowd,
    Hearing,
    SummaryLoad,
    hear,
    summary_load,
)
from samapprox.attention.reasoning.locality.order import BestOrder, best_order
from samapprox.attention.reasoning.locality.report import draw_needs
from samapprox.support.packages import lazy_modules

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

__getattr__, __dir__ = lazy_modules(__name__)
