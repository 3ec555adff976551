"""Commands about one pattern: decisions, bounds, checks and pictures."""

from samapprox.support.packages import lazy_modules

__getattr__, __dir__ = lazy_modules(__name__)
