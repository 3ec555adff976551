"""Furthest and orthogonal vectors: Task 1, exactly and on attention graphs."""

from samapprox.attention.vectors.furthest_vectors import Furthest, distances, furthest
from samapprox.attention.vectors.layers import (
    LayerFigures,
    Layers,
    comparison_bound,
    furthest_layers,
)
from samapprox.attention.vectors.orthogonal_vectors import (
    LeastProduct,
    count_orthogonal,
    least_inner_product,
    orthogonal_pair,
)
from samapprox.attention.vectors.relay import LayerDone, Relay
from samapprox.support.packages import lazy_modules

__all__ = [
    "Furthest",
    "LayerDone",
    "LayerFigures",
    "Layers",
    "LeastProduct",
    "Relay",
    "comparison_bound",
    "count_orthogonal",
    "distances",
    "furthest",
    "furthest_layers",
    "least_inner_product",
    "orthogonal_pair",
]

__getattr__, __dir__ = lazy_modules(__name__)
