"""Methods that approximate attention matrices, one a file, and what they share."""

from samapprox.support.lazy import lazy_modules

__getattr__, __dir__ = lazy_modules(__name__)
