"""What a strategy is: one file that may turn a problem into a proof."""

from __future__ import annotations

from typing import Protocol

from samapprox.problem import Problem
from samapprox.proofs.base import Proof
from samapprox.solvers.search import Search

__all__ = ["AnytimeStrategy", "Strategy"]


class Strategy(Protocol):
    """A module of this package that decides some problems; it need not be trusted.

    Whatever `find_proof` returns goes through the exact checker before anybody sees it.
    """

    NAME: str

    def applies(self, problem: Problem) -> str | None:
        """Why the strategy has nothing to say about the problem; None when it applies."""

    def find_proof(self, problem: Problem, search: Search) -> Proof | str:
        """A proof of YES or NO, or in one line why none was found within the search's limits."""


class AnytimeStrategy(Strategy, Protocol):
    """A strategy that may find more in more time."""

    def first_turn(self, problem: Problem) -> float:
        """Seconds that are worth a first try; each later turn doubles them. Shorter goes first."""
