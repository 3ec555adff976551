"""Interfaces to other libraries: SAT and CP-SAT with one clock, and the threads of BLAS."""

from samapprox.support.lazy import lazy_modules

__getattr__, __dir__ = lazy_modules(__name__)
