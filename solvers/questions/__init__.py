"""Questions about a pattern: decide, dimension, rank, fit, margin, and evaluation."""

from samapprox.support.packages import lazy_modules

__getattr__, __dir__ = lazy_modules(__name__)
