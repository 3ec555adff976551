"""Decoders that write chains of thought token by token, with the weights given by formulas."""

from samapprox.support.lazy import lazy_modules

__getattr__, __dir__ = lazy_modules(__name__)
