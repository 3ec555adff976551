"""Proofs about the ranks of matrices with the signs of a pattern."""

from samapprox.support.packages import lazy_modules

__getattr__, __dir__ = lazy_modules(__name__)
