"""Dimension 1: complete procedures on a line."""

from samapprox.support.packages import lazy_modules

__getattr__, __dir__ = lazy_modules(__name__)
