"""The contract of reductions: maps from a question to simpler ones, and of proofs back."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, Generic, TypeVar

__all__ = ["Chain", "Reduction"]

Asked = TypeVar("Asked")
Reduced = TypeVar("Reduced")
Back = TypeVar("Back")


class Reduction(ABC, Generic[Asked, Reduced, Back]):
    """A map from a question to another one, and of the proofs for that one back.

    `apply` keeps in its second result all that `lift` needs, so that one instance serves any number
    of questions. A reduction to several questions returns a tuple of them; `lift` then takes a
    proof for each, or one refutation with the number of its question. No lifted proof is trusted:
    it is checked against the question that was asked.
    """

    @abstractmethod
    def apply(self, asked: Asked, /) -> tuple[Reduced, Back]:
        """Return the simpler question, and what is needed to lift its proofs."""

    def carry_facts(self, _facts: Sequence[Any], /) -> tuple[Any, ...]:
        """Return what facts known about the question say about the reduced one; here, nothing."""
        return ()

    @abstractmethod
    def lift(self, proof: Any, back: Back, /) -> Any:
        """Return a proof for the question asked, or one line that says why there is none."""


class Chain(Reduction[Any, Any, tuple[Any, ...]]):
    """Reductions one after the other: itself a reduction, whose proofs are lifted in reverse."""

    def __init__(self, *reductions: Reduction[Any, Any, Any]) -> None:
        self._reductions = reductions

    def apply(self, asked: Any, /) -> tuple[Any, tuple[Any, ...]]:
        """Apply all reductions in order."""
        backs = []
        for reduction in self._reductions:
            asked, back = reduction.apply(asked)
            backs.append(back)
        return asked, tuple(backs)

    def lift(self, proof: Any, backs: tuple[Any, ...], /) -> Any:
        """Lift a proof through all reductions in reverse; stop at the first that says why not."""
        for reduction, back in zip(reversed(self._reductions), reversed(backs), strict=True):
            if isinstance(proof, str):
                return proof
            proof = reduction.lift(proof, back)
        return proof
