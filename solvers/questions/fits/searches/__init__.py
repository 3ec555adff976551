"""Bounds from counted splits, and searches for embeddings with few wrong rows or entries."""

from samapprox.support.lazy import lazy_modules

__getattr__, __dir__ = lazy_modules(__name__)
