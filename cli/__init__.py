"""Click commands: parse, call the library, print; no logic."""

from samapprox.support.packages import lazy_modules

__getattr__, __dir__ = lazy_modules(__name__)
