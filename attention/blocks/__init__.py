"""Transformer blocks that can be run: sparse and linear attention, feed-forward layers."""

from typing import TYPE_CHECKING

from samapprox.support.lazy import lazy_names

if TYPE_CHECKING:
    from samapprox.attention.blocks.activations import PiecewiseLinear, gelu, relu
    from samapprox.attention.blocks.feed_forward import FeedForward
    from samapprox.attention.blocks.head import Head
    from samapprox.attention.blocks.sparse_attention import AttentionLayer
    from samapprox.attention.blocks.transformer import Transformer

__all__ = [
    "AttentionLayer",
    "FeedForward",
    "Head",
    "PiecewiseLinear",
    "Transformer",
    "gelu",
    "relu",
]

if not TYPE_CHECKING:
    __getattr__, __dir__ = lazy_names(
        __name__,
        activations=("PiecewiseLinear", "gelu", "relu"),
        feed_forward=("FeedForward",),
        head=("Head",),
        sparse_attention=("AttentionLayer",),
        transformer=("Transformer",),
    )
