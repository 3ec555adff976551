"""Dimensions under cosine similarity and Euclidean distance, and of padded patterns."""

from samapprox.support.packages import lazy_modules

__getattr__, __dir__ = lazy_modules(__name__)
