"""Self-attention itself: weights to patterns, and layers with known tasks."""

from typing import TYPE_CHECKING

from samapprox.support.lazy import lazy_names

if TYPE_CHECKING:
    from samapprox.attention.binarization import Mass, Rule, Threshold, TopK, Uniform, binarize
    from samapprox.attention.furthest_layer import FurthestLayer, softmax_scale
    from samapprox.attention.model_set import binarize_model
    from samapprox.attention.models import LanguageModel, LayerAttention, model_attentions
    from samapprox.attention.rows import RowCount
    from samapprox.attention.self_attention import csam, row_normalised, sam, usam
    from samapprox.attention.set_binarization import binarize_set
    from samapprox.attention.set_entries import SetEntry
    from samapprox.attention.weights import load_attention

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
        binarization=("Mass", "Rule", "Threshold", "TopK", "Uniform", "binarize"),
        furthest_layer=("FurthestLayer", "softmax_scale"),
        model_set=("binarize_model",),
        models=("LanguageModel", "LayerAttention", "model_attentions"),
        rows=("RowCount",),
        self_attention=("csam", "row_normalised", "sam", "usam"),
        set_binarization=("binarize_set",),
        set_entries=("SetEntry",),
        weights=("load_attention",),
    )
