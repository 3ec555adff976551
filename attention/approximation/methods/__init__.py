"""Methods that approximate attention matrices, one per file, and their shared parts."""

from samapprox.support.packages import lazy_modules

__getattr__, __dir__ = lazy_modules(__name__)
