"""The engine: proven bounds of a pattern, and the turns of the strategies that improve them."""

from samapprox.support.packages import lazy_modules

__getattr__, __dir__ = lazy_modules(__name__)
