"""Furthest and orthogonal vectors: Task 1, exactly and on attention graphs."""

from samapprox.support.lazy import lazy_modules

__getattr__, __dir__ = lazy_modules(__name__)
