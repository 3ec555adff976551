"""Self-attention itself: weights to patterns, and layers with known tasks."""

from samapprox.attention.binarization import Mass, Rule, Threshold, TopK, Uniform, binarize
from samapprox.attention.furthest_layer import FurthestLayer, softmax_scale
from samapprox.attention.model_set import binarize_model
from samapprox.attention.models import LanguageModel, LayerAttention, model_attentions
from samapprox.attention.rows import RowCount
from samapprox.attention.self_attention import csam, row_normalised, sam, usam
from samapprox.attention.set_binarization import binarize_set
from samapprox.attention.set_entries import SetEntry
from samapprox.attention.weights import load_attention
from samapprox.support.lazy import lazy_modules

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

__getattr__, __dir__ = lazy_modules(__name__)
