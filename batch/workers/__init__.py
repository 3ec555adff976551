"""Worker processes and clusters, with hard limits for every instance."""

from samapprox.support.packages import lazy_modules

__getattr__, __dir__ = lazy_modules(__name__)
