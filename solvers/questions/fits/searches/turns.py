"""The tables of further bounds and searches, and their interfaces.

A bound or a search is one module and one line here. Nothing that it returns is trusted: proofs go
through the exact checker, and embeddings are evaluated again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Protocol, TypeVar, cast

from samapprox.proofs.base import Obstruction, Witness
from samapprox.proofs.kinds.fits.items import Items
from samapprox.proofs.questions.fit import Fit
from samapprox.solvers.engine.search import Search
from samapprox.solvers.engine.turns import describe_fault
from samapprox.solvers.questions.fits.bounds import ProvenBounds
from samapprox.solvers.questions.fits.remainders import carry_over, leave_out_wrong
from samapprox.solvers.questions.fits.searches.scores import Found
from samapprox.support.clock import search_clock

__all__ = [
    "BOUNDS",
    "SEARCHES",
    "Bound",
    "EmbeddingSearch",
    "Refuted",
    "SearchTurns",
    "ask_safely",
    "load_bound",
    "load_search",
]

_Answer = TypeVar("_Answer")


@dataclass(frozen=True, slots=True)
class Refuted:
    """A proof that more than `wrong` items are wrong in every embedding."""

    wrong: int
    proof: Obstruction


class Bound(Protocol):
    """A module that bounds the number of wrong items from below."""

    def find_bound(self, question: Fit, search: Search) -> Refuted | str:
        """Return the best bound found within the limits, or one line that says why there is none.

        The question's `wrong` is one less than the number of wrong items of the best embedding so
        far: a proof of NO for it closes the interval. Proofs of smaller numbers are welcome, too.
        """


class EmbeddingSearch(Protocol):
    """A module that searches embeddings with few wrong items."""

    def find_embedding(self, question: Fit, search: Search) -> Witness | str:
        """Return the best embedding found within the limits, or one line that says why not.

        The question's `wrong` is a lower bound: no embedding has fewer wrong items, so the search
        can end with so many. The answer has numbers for all rows and columns of the pattern: for
        balls, also an embedding of the same dimension; for caps, also one of a dimension less. The
        caller counts the wrong items in exact arithmetic.
        """


BOUNDS: dict[str, str] = {"splits": "samapprox.solvers.questions.fits.searches.split_counts"}
"""Bounds besides hitting sets: name -> module, imported when it is used; quick ones first."""

SEARCHES: dict[str, str] = {
    "placement": "samapprox.solvers.questions.fits.searches.placement",
    "robust": "samapprox.solvers.questions.fits.searches.robust",
}
"""Searches besides the embeddings that hitting sets lead to: name -> module, in order."""


def load_bound(name: str) -> Bound:
    """Import a bound of the table."""
    return cast(Bound, import_module(BOUNDS[name]))


def load_search(name: str) -> EmbeddingSearch:
    """Import a search of the table."""
    return cast(EmbeddingSearch, import_module(SEARCHES[name]))


def ask_safely(
    ask: Callable[[Fit, Search], _Answer], question: Fit, search: Search
) -> _Answer | str:
    """Ask a bound or a search; its mistakes become one line that describes them."""
    try:
        return ask(question, search)
    except Exception as error:
        return describe_fault(error)


_PATIENCE = 2.0  # times the time of a turn that goes to other work after one that succeeds


class SearchTurns:
    """Searches for embeddings, in turns with other work.

    After a turn that improves the bound, the next one is due when other work has taken twice as
    long. This factor doubles after each turn that does not. `promising` is the search that
    improved the bound last; at the beginning the last one of the table.
    """

    def __init__(self, items: Items, bounds: ProvenBounds) -> None:
        self._items = items
        self._bounds = bounds
        self.promising = tuple(SEARCHES)[-1]
        self._count = 0
        self._seconds = 0.0  # of the last turn
        self._ended = search_clock.now()
        self._patience = _PATIENCE

    @property
    def seconds_due(self) -> float:
        """The seconds of the next turn: at least those of the last one, 0 if it is not yet due."""
        seconds = (search_clock.now() - self._ended) / self._patience
        return seconds if seconds >= self._seconds else 0.0

    def ask(self, name: str, lower: int, seconds: float, search: Search) -> None:
        """Give a search a turn of so many seconds; `lower` is a bound on the wrong items."""
        started, upper = search_clock.now(), self._bounds.upper
        question = self._bounds.ask(max(self._bounds.lower, lower))
        turn = search.slice(seconds, self._count)
        found = ask_safely(load_search(name).find_embedding, question, turn)
        if isinstance(found, Found):
            witness = carry_over(found, question.pattern, question.similarity)
            self._bounds.take(leave_out_wrong(question.pattern, self._items, witness))
        is_better = self._bounds.upper < upper
        if is_better:
            self.promising = name
        self._patience = _PATIENCE if is_better else 2 * self._patience
        self._count += 1
        self._ended = search_clock.now()
        self._seconds = self._ended - started
