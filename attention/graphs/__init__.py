"""Sparse attention masks as graphs, by name or from files."""

from typing import TYPE_CHECKING

from samapprox.support.lazy import lazy_names

if TYPE_CHECKING:  # what `_HOMES` states, for tools that read types
    from samapprox.attention.graphs.graph import AttentionGraph as AttentionGraph
    from samapprox.attention.graphs.heads import Heads as Heads
    from samapprox.attention.graphs.heads import SparseAttention as SparseAttention
    from samapprox.attention.graphs.known_masks import GRAPHS as GRAPHS
    from samapprox.attention.graphs.known_masks import Spec as Spec
    from samapprox.attention.graphs.known_masks import build as build

_HOMES = {
    "graph": ("AttentionGraph",),
    "heads": ("Heads", "SparseAttention"),
    "known_masks": ("GRAPHS", "Spec", "build"),
}
"""Module -> the names that it offers here."""

__all__ = sorted(name for names in _HOMES.values() for name in names)

if not TYPE_CHECKING:
    __getattr__, __dir__ = lazy_names(__name__, **_HOMES)
