"""Bounds on the width of models that write chains of thought, and their costs."""

from samapprox.support.lazy import lazy_modules

__getattr__, __dir__ = lazy_modules(__name__)
