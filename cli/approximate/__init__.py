"""The two other modes of `samapprox approximate`: a frontier, and a pattern's layer."""

from samapprox.support.lazy import lazy_modules

__getattr__, __dir__ = lazy_modules(__name__)
