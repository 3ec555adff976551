"""Odd cycles of opposed sign patterns: elimination over GF(2), with pairs or a matching tree."""

from samapprox.support.packages import lazy_modules

__getattr__, __dir__ = lazy_modules(__name__)
