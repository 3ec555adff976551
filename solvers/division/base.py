"""Merged patterns that decide a pattern, and the lifting of their proofs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from samapprox.pattern import Pattern
from samapprox.proofs.base import Obstruction, Proof, Witness
from samapprox.proofs.parts.simplify import Simplification, simplify
from samapprox.similarities import ATTENTION, Similarity

if TYPE_CHECKING:
    from samapprox.solvers.division.equal_parts import Group


class Division:
    r"""Patterns (leaves) whose largest weak dimension is that of a pattern, if it exceeds 2.

    For d >= 2, d dimensions represent the pattern exactly if they represent all leaves. Here there
    is one leaf, the pattern with equal lines merged; a `DividedPattern` has several.

    Attributes
    ----------
    leaves : tuple of Pattern
        Distinct, hardest first; none where two dimensions represent the pattern for certain.
    parts : sequence of Group
        Equal parts of the merged pattern; none where it is not divided.
    least : int
        The least dimension that a proof for the whole pattern can have.

    Examples
    --------
    >>> merge(Pattern.from_text("1100\n0011")).leaves
    (<Pattern 1 x 2, 1 one>,)
    """

    least = 1

    def __init__(self, merged: Simplification, similarity: Similarity = ATTENTION) -> None:
        self.leaves: tuple[Pattern, ...] = () if merged.pattern is None else (merged.pattern,)
        self.parts: Sequence[Group] = ()
        self._merged = merged
        self._similarity = similarity

    def describe(self) -> dict[str, Any] | None:
        """Describe the member "parts" of `samapprox schema show`; None without parts."""
        return None

    def glue(self, witnesses: Sequence[Witness]) -> Proof | str:
        """Glue a proof of YES for each leaf into one for the whole pattern.

        Parameters
        ----------
        witnesses : sequence of Witness
            One for each leaf, in the order of `leaves`; their dimensions may differ.

        Returns
        -------
        Proof or str
            A proof in the largest of their dimensions (at least `least`), or in one line why there
            is none.
        """
        if self.leaves:
            (witness,) = witnesses
        else:
            from samapprox.solvers.similarity.transfers import trivial_witness

            one = Pattern.from_array(np.ones((1, 1), dtype=np.bool_))
            witness = trivial_witness(one, self._similarity)
        return lift_witness(witness, self._merged)

    def lift(self, leaf: int, obstruction: Obstruction) -> Proof | str:
        """Carry an argument over to rows and columns of the original pattern.

        Parameters
        ----------
        leaf : int
            The number of the leaf that it refutes.
        obstruction : Obstruction
            A refutation of that leaf.
        """
        assert leaf == 0
        return obstruction.lift(self._merged)


def merge(pattern: Pattern, similarity: Similarity = ATTENTION) -> Division:
    r"""Only merge equal rows and columns: for d = 1, or where components cannot be glued.

    Examples
    --------
    >>> merge(Pattern.from_text("1100\n0011")).leaves
    (<Pattern 1 x 2, 1 one>,)
    """
    return Division(simplify(pattern, complements=similarity.divides), similarity)


def lift_witness(witness: Witness, simplified: Simplification) -> Witness:
    """Carry a proof for a smaller pattern over to the pattern that contains it.

    It stays of the same kind if the copies of a line can stand beside it, and the same proof if
    nothing changes. `Simplification.flipped` may hold for representatives, too.
    """
    lifted = witness.lift(simplified)
    if isinstance(lifted, Witness):
        return lifted
    unchanged = (
        np.array_equal(simplified.row_of, np.arange(len(simplified.rows)))
        and np.array_equal(simplified.column_of, np.arange(len(simplified.columns)))
        and not simplified.flipped.any()
    )
    if unchanged:
        return witness
    from samapprox.proofs.parts.merged import Merged

    return Merged.of(simplified, witness)
