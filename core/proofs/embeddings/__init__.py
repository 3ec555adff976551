"""Proofs of YES by queries and keys, or by an order along a curve."""

from samapprox.support.packages import lazy_modules

__getattr__, __dir__ = lazy_modules(__name__)
