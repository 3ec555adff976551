"""Transformer blocks that can be run: sparse and linear attention, feed-forward layers."""

from typing import TYPE_CHECKING

from samapprox.support.lazy import lazy_names

if TYPE_CHECKING:
    from samapprox.attention.transformers.feed_forward import (
        FeedForward,
        PiecewiseLinear,
        gelu,
        relu,
    )
    from samapprox.attention.transformers.head import Head
    from samapprox.attention.transformers.linear_attention import (
        LinearAttentionLayer,
        LinearState,
        elu_plus_one,
        relu_plus_one,
    )
    from samapprox.attention.transformers.sparse_attention import (
        AttentionLayer,
        causal_self_attention,
        self_attention,
    )
    from samapprox.attention.transformers.transformer import Transformer

__all__ = [
    "AttentionLayer",
    "FeedForward",
    "Head",
    "LinearAttentionLayer",
    "LinearState",
    "PiecewiseLinear",
    "Transformer",
    "causal_self_attention",
    "elu_plus_one",
    "gelu",
    "relu",
    "relu_plus_one",
    "self_attention",
]

if not TYPE_CHECKING:
    __getattr__, __dir__ = lazy_names(
        __name__,
        feed_forward=("FeedForward", "PiecewiseLinear", "gelu", "relu"),
        head=("Head",),
        linear_attention=("LinearAttentionLayer", "LinearState", "elu_plus_one", "relu_plus_one"),
        sparse_attention=("AttentionLayer", "causal_self_attention", "self_attention"),
        transformer=("Transformer",),
    )
