"""Proofs for cosine similarity and Euclidean distance."""

from samapprox.support.packages import lazy_modules

__getattr__, __dir__ = lazy_modules(__name__)
