"""The strategies there are, and the order in which a decision tries them.

A new strategy is one file beside this one, with the three names of
`samapprox.solvers.strategy.Strategy`, and one line here.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import cast

from samapprox.solvers.strategy import AnytimeStrategy, Strategy
from samapprox.support.nearest import unknown_name

__all__ = [
    "ANYTIME",
    "COMPLETE",
    "FOR_NO",
    "FOR_YES",
    "METHODS",
    "ONCE",
    "WHOLE",
    "choose",
    "load_anytime",
    "load_strategy",
]

METHODS = {
    "line": "samapprox.solvers.line.line",
    "algorithm1": "samapprox.solvers.line.algorithm1",
    "rank": "samapprox.solvers.embeddings.rank",
    "orders": "samapprox.solvers.embeddings.orders",
    "counting": "samapprox.solvers.refutations.counting",
    "ordering": "samapprox.solvers.line.ordering",
    "gradient": "samapprox.solvers.embeddings.gradient",
    "projections": "samapprox.solvers.embeddings.projections",
    "annealing": "samapprox.solvers.embeddings.annealing",
    "coupled": "samapprox.solvers.coupled.numeric",
    "tokens": "samapprox.solvers.coupled.tokens",
    "chirotope": "samapprox.solvers.refutations.chirotope",
    "hard-part": "samapprox.solvers.refutations.hard_part",
    "spaced": "samapprox.solvers.refutations.spaced",
    "radon": "samapprox.solvers.refutations.radon",
    "forster": "samapprox.solvers.refutations.forster",
    "polynomials": "samapprox.solvers.refutations.polynomials",
    "best-order": "samapprox.solvers.embeddings.best_order",
}
"""Strategy name -> module, imported when used."""

WHOLE = ("line", "algorithm1", "coupled", "tokens")
"""Strategies that take the pattern as it is; all others get it simplified."""

ONCE = ("line", "rank", "orders", "counting", "ordering")
"""What a decision tries first, cheapest first: each has said all it can after one call."""

COMPLETE = ("line", "algorithm1", "ordering")
"""Those that decide whatever they apply to, given time."""

ANYTIME = (
    "gradient",
    "projections",
    "annealing",
    "coupled",
    "tokens",
    "chirotope",
    "hard-part",
    "spaced",
    "radon",
    "forster",
    "polynomials",
    "best-order",
)
"""What takes turns after that: who has the shortest one next, and each twice its last."""

FOR_YES = (
    "line",
    "algorithm1",
    "rank",
    "orders",
    "ordering",
    "gradient",
    "projections",
    "annealing",
    "coupled",
    "best-order",
)
"""Those that find embeddings (the ones for a line, refutations too); the others only refute."""

FOR_NO = tuple(name for name in METHODS if name not in FOR_YES)


def choose(only: Sequence[str] = (), without: Sequence[str] = ()) -> list[str]:
    """Names of the strategies to use: those of `only`, or all but algorithm1, less `without`.

    Raises
    ------
    InputError
        No such strategy.

    Examples
    --------
    >>> choose(["line", "rank", "gradient"], without=["gradient"])
    ['line', 'rank']
    """
    unknown = [name for name in (*only, *without) if name not in METHODS]
    if unknown:
        raise unknown_name("strategy", unknown[0], METHODS)
    return [name for name in (only or (*ONCE, *ANYTIME)) if name not in without]


def load_strategy(name: str) -> Strategy:
    """The module of a strategy.

    Examples
    --------
    >>> load_strategy("line").NAME
    'line'
    """
    return cast(Strategy, import_module(METHODS[name]))


def load_anytime(name: str) -> AnytimeStrategy:
    """The module of a strategy of `ANYTIME`.

    Examples
    --------
    >>> load_anytime("chirotope").NAME
    'chirotope'
    """
    return cast(AnytimeStrategy, import_module(METHODS[name]))
