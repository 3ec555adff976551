"""Strategies that refute a dimension (NO), and how refutations are found and trimmed."""

from samapprox.support.lazy import lazy_modules

__getattr__, __dir__ = lazy_modules(__name__)
