"""Transformer blocks that can be run: sparse and linear attention, feed-forward layers."""

from samapprox.support.lazy import lazy_modules

__getattr__, __dir__ = lazy_modules(__name__)
