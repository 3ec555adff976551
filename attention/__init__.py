"""Self-attention itself: from attention weights to patterns."""

from samapprox.attention.binarize import Mass, Rule, Threshold, TopK, Uniform, binarize
from samapprox.attention.tensors import load_attention

__all__ = ["Mass", "Rule", "Threshold", "TopK", "Uniform", "binarize", "load_attention"]
