"""Topological refutations: odd cycles of sign patterns, found by elimination over GF(2)."""

from samapprox.support.lazy import lazy_modules

__getattr__, __dir__ = lazy_modules(__name__)
