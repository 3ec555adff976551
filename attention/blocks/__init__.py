"""Transformer blocks that can be run: sparse and linear attention, feed-forward layers."""

from typing import TYPE_CHECKING

from samapprox.support.lazy import lazy_names

if TYPE_CHECKING:
    from samapprox.attention.blocks.activations import PiecewiseLinear, gelu, relu
    from samapprox.attention.blocks.feed_forward import FeedForward
    from samapprox.attention.blocks.head import Head
    from samapprox.attention.blocks.linear_attention import (
        LinearAttentionLayer,
        LinearState,
        elu_plus_one,
        relu_plus_one,
    )
    from samapprox.attention.blocks.softmax_attention import (
        causal_self_attention,
        self_attention,
    )
    from samapprox.attention.blocks.sparse_attention import AttentionLayer
    from samapprox.attention.blocks.transformer import Transformer

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
        activations=("PiecewiseLinear", "gelu", "relu"),
        feed_forward=("FeedForward",),
        head=("Head",),
        linear_attention=("LinearAttentionLayer", "LinearState", "elu_plus_one", "relu_plus_one"),
        softmax_attention=("causal_self_attention", "self_attention"),
        sparse_attention=("AttentionLayer",),
        transformer=("Transformer",),
    )
