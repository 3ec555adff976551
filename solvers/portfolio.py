"""The strategies there are, and the order in which a decision tries them.

A new strategy is one file beside this one, with the three names of
`samapprox.solvers.strategy.Strategy`, and one line here.
"""

from __future__ import annotations

from importlib import import_module
from typing import cast

from samapprox.errors import InputError
from samapprox.solvers.strategy import Strategy

__all__ = ["AUTOMATIC", "METHODS", "load_strategies"]

METHODS = {
    "line": "samapprox.solvers.line",
    "algorithm1": "samapprox.solvers.algorithm1",
}
"""Strategy name -> module, imported when used."""

AUTOMATIC = ("line",)
"""What method "auto" tries, cheapest first."""


def load_strategies(method: str) -> list[Strategy]:
    """The strategies of a method: "auto" or the name of one.

    Raises
    ------
    InputError
        No such method.

    Examples
    --------
    >>> [strategy.NAME for strategy in load_strategies("auto")]
    ['line']
    """
    names = AUTOMATIC if method == "auto" else (method,)
    unknown = [name for name in names if name not in METHODS]
    if unknown:
        raise InputError(f"unknown method {method!r}; there are: auto, {', '.join(METHODS)}")
    return [cast(Strategy, import_module(METHODS[name])) for name in names]
