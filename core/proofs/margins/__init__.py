"""Proofs about the largest margin of unit queries and keys."""

from samapprox.support.packages import lazy_modules

__getattr__, __dir__ = lazy_modules(__name__)
