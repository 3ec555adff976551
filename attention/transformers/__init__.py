"""Transformer blocks that can be run: sparse and linear attention, feed-forward layers."""

from typing import TYPE_CHECKING

from samapprox.support.packages import lazy_names

if TYPE_CHECKING:  # what `_HOMES` states, for tools that read types
    from samapprox.attention.transformers.feed_forward import FeedForward as FeedForward
    from samapprox.attention.transformers.feed_forward import PiecewiseLinear as PiecewiseLinear
    from samapprox.attention.transformers.feed_forward import gelu as gelu
    from samapprox.attention.transformers.feed_forward import relu as relu
    from samapprox.attention.transformers.head import Head as Head
    from samapprox.attention.transformers.linear_attention import (
        LinearAttentionLayer as LinearAttentionLayer,
    )
    from samapprox.attention.transformers.linear_attention import LinearState as LinearState
    from samapprox.attention.transformers.linear_attention import elu_plus_one as elu_plus_one
    from samapprox.attention.transformers.linear_attention import relu_plus_one as relu_plus_one
    from samapprox.attention.transformers.sparse_attention import AttentionLayer as AttentionLayer
    from samapprox.attention.transformers.sparse_attention import (
        causal_self_attention as causal_self_attention,
    )
    from samapprox.attention.transformers.sparse_attention import self_attention as self_attention
    from samapprox.attention.transformers.transformer import Transformer as Transformer

_HOMES = {
    "feed_forward": ("FeedForward", "PiecewiseLinear", "gelu", "relu"),
    "head": ("Head",),
    "linear_attention": ("LinearAttentionLayer", "LinearState", "elu_plus_one", "relu_plus_one"),
    "sparse_attention": ("AttentionLayer", "causal_self_attention", "self_attention"),
    "transformer": ("Transformer",),
}
"""Module -> the names that it offers here."""

__all__ = sorted(name for names in _HOMES.values() for name in names)

if not TYPE_CHECKING:
    __getattr__, __dir__ = lazy_names(__name__, **_HOMES)
