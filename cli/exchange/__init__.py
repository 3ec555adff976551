"""Commands that exchange files with other solvers and checkers."""

from samapprox.support.packages import lazy_modules

__getattr__, __dir__ = lazy_modules(__name__)
