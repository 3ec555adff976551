"""Division of a pattern into smaller ones with the same answer, and the lifting of proofs."""

from samapprox.support.packages import lazy_modules

__getattr__, __dir__ = lazy_modules(__name__)
