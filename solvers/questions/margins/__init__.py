"""Margins: unit queries and keys that separate ones from zeros as widely as possible."""

from samapprox.support.packages import lazy_modules

__getattr__, __dir__ = lazy_modules(__name__)
