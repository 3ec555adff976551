"""Hamiltonian paths of attention graphs: found, or refuted with a checkable proof."""

from samapprox.support.lazy import lazy_modules

__getattr__, __dir__ = lazy_modules(__name__)
