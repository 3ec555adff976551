"""Self-attention itself: its weights, masks, transformers and approximations.

The names here read attention weights and turn them into patterns (`samapprox.attention.weights`),
compute self-attention by its formulas, and build layers with known tasks.
"""

from typing import TYPE_CHECKING

from samapprox.support.lazy import lazy_names

if TYPE_CHECKING:
    from samapprox.attention.furthest_layer import FurthestLayer, softmax_scale
    from samapprox.attention.self_attention import csam, row_normalised, sam, usam
    from samapprox.attention.weights import (
        LanguageModel,
        LayerAttention,
        Mass,
        RowCount,
        Rule,
        SetEntry,
        Threshold,
        TopK,
        Uniform,
        binarize,
        binarize_model,
        binarize_set,
        load_attention,
        model_attentions,
    )

__all__ = [
    "FurthestLayer",
    "LanguageModel",
    "LayerAttention",
    "Mass",
    "RowCount",
    "Rule",
    "SetEntry",
    "Threshold",
    "TopK",
    "Uniform",
    "binarize",
    "binarize_model",
    "binarize_set",
    "csam",
    "load_attention",
    "model_attentions",
    "row_normalised",
    "sam",
    "softmax_scale",
    "usam",
]

if not TYPE_CHECKING:  # commands that need one module of this package do not wait for the others
    __getattr__, __dir__ = lazy_names(
        __name__,
        furthest_layer=("FurthestLayer", "softmax_scale"),
        self_attention=("csam", "row_normalised", "sam", "usam"),
        weights=(
            "LanguageModel",
            "LayerAttention",
            "Mass",
            "RowCount",
            "Rule",
            "SetEntry",
            "Threshold",
            "TopK",
            "Uniform",
            "binarize",
            "binarize_model",
            "binarize_set",
            "load_attention",
            "model_attentions",
        ),
    )
