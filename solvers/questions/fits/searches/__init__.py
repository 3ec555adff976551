"""Ceilings on right rows by counting splits, and embeddings of whole patterns that come close."""

from samapprox.support.lazy import lazy_modules

__getattr__, __dir__ = lazy_modules(__name__)
