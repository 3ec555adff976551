"""Approximate attention matrices: Theorem 0.4 and constructions that improve on it.

`Target` is the matrix A, `AttentionLayer` represents it, `check` tests conditions (7) and (8);
`approximate` runs a method of `METHODS` on a `Request`.
"""

from samapprox.attention.approximation.checker import Report, check
from samapprox.attention.approximation.known_methods import METHODS, approximate
from samapprox.attention.approximation.layer import AttentionLayer
from samapprox.attention.approximation.request import Approximation, Construction, Request
from samapprox.attention.approximation.target import Target, sample
from samapprox.support.lazy import lazy_modules

__all__ = [
    "METHODS",
    "Approximation",
    "AttentionLayer",
    "Construction",
    "Report",
    "Request",
    "Target",
    "approximate",
    "check",
    "sample",
]

__getattr__, __dir__ = lazy_modules(__name__)
