"""Ranks of sign matrices, by dimensions of reduced patterns."""

from samapprox.support.packages import lazy_modules

__getattr__, __dir__ = lazy_modules(__name__)
