"""The sparse attention masks of the literature, one family per file."""

from samapprox.support.packages import lazy_modules

__getattr__, __dir__ = lazy_modules(__name__)
