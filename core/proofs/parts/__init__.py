"""Proofs of YES for the parts of a pattern, and gluing their embeddings together."""

from samapprox.support.packages import lazy_modules

__getattr__, __dir__ = lazy_modules(__name__)
