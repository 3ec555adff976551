"""Answers of `samapprox fit` about given embeddings and runs."""

from samapprox.support.lazy import lazy_modules

__getattr__, __dir__ = lazy_modules(__name__)
