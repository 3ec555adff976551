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
from samapprox.proofs.questions.fit import Fit
from samapprox.solvers.faults import describe_fault
from samapprox.solvers.search import Search

__all__ = [
    "BOUNDS",
    "SEARCHES",
    "Bound",
    "EmbeddingSearch",
    "Refuted",
    "ask_safely",
    "load_bound",
    "load_search",
]

_Answer = TypeVar("_Answer")


@dataclass(frozen=True, slots=True)
class Refuted:
    """A proof that more than so many items are wrong in every embedding.

    Attributes
    ----------
    wrong : int
        The number of wrong items that is refuted: at least one more is wrong.
    proof : Obstruction
        A proof of NO for the question with this `wrong`.
    """

    wrong: int
    proof: Obstruction


class Bound(Protocol):
    """A module that bounds the number of wrong items from below."""

    def find_bound(self, question: Fit, search: Search) -> Refuted | str:
        """Return the best bound found within the limits, or one line that says why there is none.

        Parameters
        ----------
        question : Fit
            Its `wrong` is one less than the number of wrong items of the best embedding so far: a
            proof of NO for it closes the interval. Proofs of smaller numbers are welcome, too.
        search : Search
            Stop when `search.out_of_time` holds.
        """


class EmbeddingSearch(Protocol):
    """A module that searches embeddings with few wrong items."""

    def find_embedding(self, question: Fit, search: Search) -> Witness | str:
        """Return the best embedding found within the limits, or one line that says why not.

        Parameters
        ----------
        question : Fit
            Its `wrong` is a lower bound: no embedding has fewer wrong items, so the search can end
            with so many.
        search : Search
            Stop when `search.out_of_time` holds.

        Returns
        -------
        Embedding, Balls, Caps or str
            Numbers for all rows and columns of the pattern, for the similarity of the question: for
            balls, also an embedding of the same dimension; for caps, also one of a dimension less.
            The caller counts the wrong items in exact arithmetic.
        """


BOUNDS: dict[str, str] = {"splits": "samapprox.solvers.ceilings.splits"}
"""Bounds besides hitting sets: name -> module, imported when it is used; quick ones first."""

SEARCHES: dict[str, str] = {
    "placement": "samapprox.solvers.ceilings.placement",
    "robust": "samapprox.solvers.ceilings.robust",
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
