"""Orientations of few elements: cores, refutations of them, and what makes them shorter."""

from samapprox.support.packages import lazy_modules

__getattr__, __dir__ = lazy_modules(__name__)
