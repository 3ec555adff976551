"""Maps between problems, and generators of instances with known truth."""

from samapprox.support.lazy import lazy_modules

__getattr__, __dir__ = lazy_modules(__name__)
