"""Approximate attention matrices: Theorem 0.4 and constructions that improve on it.

`Target` is the matrix A, `AttentionLayer` represents it, `check` tests conditions (7) and (8);
`approximate` runs a method of `METHODS` on a `Request`.
"""

from typing import TYPE_CHECKING

from samapprox.support.packages import lazy_names

if TYPE_CHECKING:  # what `_HOMES` states, for tools that read types
    from samapprox.attention.approximation.checker import Report as Report
    from samapprox.attention.approximation.checker import check as check
    from samapprox.attention.approximation.known_methods import METHODS as METHODS
    from samapprox.attention.approximation.known_methods import approximate as approximate
    from samapprox.attention.approximation.layer import AttentionLayer as AttentionLayer
    from samapprox.attention.approximation.request import Approximation as Approximation
    from samapprox.attention.approximation.request import Construction as Construction
    from samapprox.attention.approximation.request import Request as Request
    from samapprox.attention.approximation.target import Target as Target
    from samapprox.attention.approximation.target import sample as sample

_HOMES = {
    "checker": ("Report", "check"),
    "known_methods": ("METHODS", "approximate"),
    "layer": ("AttentionLayer",),
    "request": ("Approximation", "Construction", "Request"),
    "target": ("Target", "sample"),
}
"""Module -> the names that it offers here."""

__all__ = sorted(name for names in _HOMES.values() for name in names)

if not TYPE_CHECKING:
    __getattr__, __dir__ = lazy_names(__name__, **_HOMES)
