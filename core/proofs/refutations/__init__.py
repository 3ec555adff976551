"""Proofs that dot products of a dimension do not represent a pattern."""

from samapprox.support.packages import lazy_modules

__getattr__, __dir__ = lazy_modules(__name__)
