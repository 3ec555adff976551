"""Procedures that turn a problem into a proof, one idea per file."""

from samapprox.support.packages import lazy_modules

__getattr__, __dir__ = lazy_modules(__name__)
