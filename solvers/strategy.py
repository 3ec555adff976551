"""The interface of a strategy: one module that may turn a problem into a proof."""

from __future__ import annotations

from typing import Protocol

from samapprox.problem import Problem
from samapprox.proofs.base import Proof
from samapprox.solvers.search import Search

__all__ = ["AnytimeStrategy", "Strategy"]


class Strategy(Protocol):
    """A module that decides some problems; its proofs are checked, so it need not be trusted.

    Whatever `find_proof` returns goes through the exact checker before it counts. A wrong
    proof and an exception cost the strategy its part in the decision, and nothing else.
    """

    NAME: str

    def applies(self, problem: Problem) -> str | None:
        """Return the reason why the strategy does not apply, or None."""

    def find_proof(self, problem: Problem, search: Search) -> Proof | str:
        """Return a proof of YES or NO, or one line that says why none was found within the limits.

        A strategy whose record says `simplified` gets the free case of the merged pattern. What
        bounds the weak dimension without deciding d counts, too: YES of the least dimension that
        the strategy reaches, where that is above d, or NO of a dimension below d.
        """


class AnytimeStrategy(Strategy, Protocol):
    """A strategy that may find more with more time; its record says `in_turns`."""

    def first_turn(self, problem: Problem) -> float:
        """Return the length of the first turn in seconds; later turns double it."""
