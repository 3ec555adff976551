"""Sparse attention masks as graphs, by name or from files."""

from samapprox.attention.graphs.graph import AttentionGraph
from samapprox.attention.graphs.heads import Heads, SparseAttention
from samapprox.attention.graphs.known_masks import GRAPHS, Spec, build
from samapprox.support.lazy import lazy_modules

__all__ = ["GRAPHS", "AttentionGraph", "Heads", "SparseAttention", "Spec", "build"]

__getattr__, __dir__ = lazy_modules(__name__)
