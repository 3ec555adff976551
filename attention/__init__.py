"""Self-attention itself: weights to patterns, and layers with known tasks."""

from samapprox.attention.binarize import Mass, Rule, Threshold, TopK, Uniform, binarize
from samapprox.attention.binarize_set import SetEntry, binarize_set
from samapprox.attention.furthest_layer import FurthestLayer, softmax_scale
from samapprox.attention.self_attention import csam, row_normalised, sam, usam
from samapprox.attention.tensors import load_attention

__all__ = [
    "FurthestLayer",
    "Mass",
    "Rule",
    "SetEntry",
    "Threshold",
    "TopK",
    "Uniform",
    "binarize",
    "binarize_set",
    "csam",
    "load_attention",
    "row_normalised",
    "sam",
    "softmax_scale",
    "usam",
]
