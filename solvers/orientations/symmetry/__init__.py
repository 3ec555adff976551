"""Symmetries of cores: their automorphisms, and clauses that the least orientations satisfy."""

from samapprox.support.lazy import lazy_modules

__getattr__, __dir__ = lazy_modules(__name__)
