"""Kinds of proof, one a module: what it claims, its members, its words."""

from samapprox.support.lazy import lazy_modules

__getattr__, __dir__ = lazy_modules(__name__)
