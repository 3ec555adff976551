"""The least number of wrong rows or entries: bounds from hitting sets of cores, and searches."""

from samapprox.support.packages import lazy_modules

__getattr__, __dir__ = lazy_modules(__name__)
