"""Attention weights in files: formats, and what the names and shapes of tensors mean."""

from samapprox.attention.weights.tensors import load_attention
from samapprox.support.lazy import lazy_modules

__all__ = ["load_attention"]

__getattr__, __dir__ = lazy_modules(__name__)
