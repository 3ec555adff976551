"""Entries of patterns in memory: packed words, sparse rows, and users' input."""

from samapprox.support.packages import lazy_modules

__getattr__, __dir__ = lazy_modules(__name__)
