"""Other people's solvers behind one clock: SAT and CP-SAT."""

from samapprox.support.lazy import lazy_modules

__getattr__, __dir__ = lazy_modules(__name__)
