"""Result files: one row per instance, stored at once, exported on request."""

from samapprox.support.packages import lazy_modules

__getattr__, __dir__ = lazy_modules(__name__)
