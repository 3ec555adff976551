"""The universality theorems as transformers that can be built, run and verified."""

from samapprox.support.lazy import lazy_modules

__getattr__, __dir__ = lazy_modules(__name__)
