"""Evaluation of given embeddings: the rows that they get right, exactly for the given floats."""

from samapprox.support.packages import lazy_modules

__getattr__, __dir__ = lazy_modules(__name__)
