"""Furthest and orthogonal vectors: Task 1, exactly and on attention graphs."""

from typing import TYPE_CHECKING

from samapprox.support.lazy import lazy_names

if TYPE_CHECKING:
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

if not TYPE_CHECKING:
    __getattr__, __dir__ = lazy_names(
        __name__,
        furthest_vectors=("Furthest", "distances", "furthest"),
        layers=("LayerFigures", "Layers", "comparison_bound", "furthest_layers"),
        orthogonal_vectors=(
            "LeastProduct",
            "count_orthogonal",
            "least_inner_product",
            "orthogonal_pair",
        ),
        relay=("LayerDone", "Relay"),
    )
