"""A refutation of real vectors, and so of those with few values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from samapprox.problem import Problem
from samapprox.proofs.base import Nested, Obstruction
from samapprox.proofs.checker import check
from samapprox.similarities import VALUE_SETS

if TYPE_CHECKING:
    from samapprox.proofs.parts.simplify import Simplification


@dataclass(frozen=True, slots=True)
class RealVectors(Obstruction):
    """A proof that no queries and keys represent the pattern, whatever their entries are.

    Parameters
    ----------
    proof : Obstruction
        A proof of NO for dot products, in the same dimension.
    """

    KIND = "real-vectors"
    TASK = "dimension"
    SIMILARITIES = VALUE_SETS
    CLAIM = (
        "NO for a set of values: the proof shows that real vectors do not represent the pattern."
    )
    MEMBERS = (Nested("proof", "NO"),)

    proof: Obstruction

    def __init__(self, proof: Obstruction) -> None:
        self._fill(proof)

    @property
    def rows(self) -> tuple[int, ...]:
        """Rows of the core."""
        return self.proof.rows

    @property
    def columns(self) -> tuple[int, ...]:
        """Columns of the core."""
        return self.proof.columns

    @property
    def dimension(self) -> int:
        """The dimension d that it excludes."""
        return self.proof.dimension

    @property
    def size(self) -> int:
        """The number of entries that the check reads."""
        return self.proof.size

    @property
    def caption(self) -> str:
        return self.proof.caption

    def entries_read(self) -> list[tuple[int, int]]:
        """Return the entries that the argument reads."""
        return self.proof.entries_read()

    def lift(self, simplification: Simplification, /) -> RealVectors | str:
        """Carry the proof for a simplified pattern over to the original."""
        lifted = self.proof.lift(simplification)
        if isinstance(lifted, Obstruction):
            return RealVectors(lifted)
        return lifted if isinstance(lifted, str) else "its proof does not carry over"

    def find_fault(self, problem: Problem) -> str | None:
        """Return the reason why real vectors may represent the pattern, or None."""
        return check(self._with_real_vectors(problem), self.proof)

    def explain(self, problem: Problem) -> list[str]:
        words = self.proof.explain(self._with_real_vectors(problem))
        return ["No real vectors represent the pattern either:", *words]

    def _with_real_vectors(self, problem: Problem) -> Problem:
        return Problem(problem.pattern, problem.d)
