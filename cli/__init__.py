"""Click commands: parse, call the library, print; no logic."""

from samapprox.support.lazy import lazy_modules

__getattr__, __dir__ = lazy_modules(__name__)
