"""Proofs about the least number of wrong rows or entries."""

from samapprox.support.packages import lazy_modules

__getattr__, __dir__ = lazy_modules(__name__)
