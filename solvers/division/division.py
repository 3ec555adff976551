"""Smaller patterns that decide a pattern, and the way back for their proofs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from samapprox.pattern import Pattern
from samapprox.proofs.base import Obstruction, Proof, Witness
from samapprox.proofs.kinds.embedding import Embedding
from samapprox.proofs.simplify import Simplified, simplify

__all__ = ["Division", "divide", "merge"]


@dataclass(frozen=True, slots=True, eq=False)
class Division:
    """Patterns (leaves) whose largest weak dimension is that of a pattern, wherever it exceeds 1.

    Attributes
    ----------
    leaves : tuple of Pattern
        Distinct, hardest first; none where every embedding represents the pattern.
    """

    leaves: tuple[Pattern, ...]
    _simplified: Simplified

    def glue(self, witnesses: Sequence[Witness]) -> Proof | str:
        """One proof of YES for the whole pattern from a proof for each leaf.

        Parameters
        ----------
        witnesses : sequence of Witness
            One for each leaf, in the order of `leaves`; their dimensions may differ.

        Returns
        -------
        Proof or str
            A proof in the largest of their dimensions (at least 2 where there are several leaves),
            or in one line why there is none.
        """
        if not self.leaves:
            nothing = np.zeros((0, 1), dtype=np.int64)
            key = np.zeros((1, 1), dtype=np.int64)
            return Embedding(nothing, key, []).lift(self._simplified)
        (witness,) = witnesses
        return witness.lift(self._simplified)

    def lift(self, _leaf: int, obstruction: Obstruction) -> Proof | str:
        """The same argument about rows and columns of the whole pattern.

        Parameters
        ----------
        leaf : int
            The number of the leaf that it refutes.
        obstruction : Obstruction
        """
        return obstruction.lift(self._simplified)


def merge(pattern: Pattern) -> Division:
    r"""Merge equal rows and columns, which changes no answer: for d = 1, too.

    Parameters
    ----------
    pattern : Pattern, shape (m, n)

    Returns
    -------
    Division

    Examples
    --------
    >>> merge(Pattern.from_text("1100\n0011\n1111\n1010")).leaves
    (<Pattern 2 x 4, 4 ones>,)
    """
    simplified = simplify(pattern)
    leaves = () if simplified.pattern is None else (simplified.pattern,)
    return Division(leaves, simplified)


def divide(pattern: Pattern) -> Division:
    """Divide a pattern for d >= 2."""
    return merge(pattern)
