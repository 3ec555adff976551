"""Attention weights: files and models that hold them, and patterns made of them by rules."""

from typing import TYPE_CHECKING

from samapprox.support.lazy import lazy_names

if TYPE_CHECKING:
    from samapprox.attention.weights.binarization import binarize
    from samapprox.attention.weights.models import LanguageModel, LayerAttention, model_attentions
    from samapprox.attention.weights.rows import RowCount
    from samapprox.attention.weights.rules import Mass, Rule, Threshold, TopK, Uniform
    from samapprox.attention.weights.sets import SetEntry, binarize_model, binarize_set
    from samapprox.attention.weights.tensors import load_attention

__all__ = [
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
]

if not TYPE_CHECKING:
    __getattr__, __dir__ = lazy_names(
        __name__,
        binarization=("binarize",),
        models=("LanguageModel", "LayerAttention", "model_attentions"),
        rows=("RowCount",),
        rules=("Mass", "Rule", "Threshold", "TopK", "Uniform"),
        sets=("SetEntry", "binarize_model", "binarize_set"),
        tensors=("load_attention",),
    )
