"""Kinds of proof, one per module: claim, members and explanation."""

from samapprox.support.lazy import lazy_modules

__getattr__, __dir__ = lazy_modules(__name__)
