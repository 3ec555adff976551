"""Smaller patterns that decide a pattern, and the lifting of their proofs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from samapprox.pattern import Pattern
from samapprox.problem import Problem
from samapprox.proofs.base import Obstruction, Proof, Witness
from samapprox.proofs.embeddings.embedding import Embedding
from samapprox.proofs.parts.components import Components, Copies
from samapprox.proofs.parts.simplify import Simplification, simplify
from samapprox.reduction import Reduction
from samapprox.similarities import ATTENTION, Similarity
from samapprox.solvers.division.cuts import Cuts, cut_columns
from samapprox.solvers.division.equal_parts import Group, group_equal_parts
from samapprox.solvers.division.leaf import Leaf, LeafMaker, lift_witness
from samapprox.solvers.division.parts import Parts, find_components, is_joined_twice, join_unforced
from samapprox.solvers.similarity.transfers import trivial_witness

__all__ = ["Division", "Merging", "divide", "divide_large", "merge"]

_FEW_ENTRIES = 1_000
"""Entries of the largest merged pattern that is decided as a whole: glued numbers are larger."""

_MANY_ONES = 1_000_000
"""Ones of patterns that stay whole if nearly all is in one part: proofs would be larger."""

_NEARLY_ALL = 0.95
"""The share of the ones that counts as nearly all."""

_MOST_CUT = 4_000_000
"""Ones of the largest patterns in which cut columns are looked for, which takes 4 s for 10^7."""

_FEW_CUT, _SHARE_CUT = 200_000, 0.05
"""Ones, and the share of the entries, of patterns where that always pays: dense ones have none."""

_MOST_NAMED = 5
"""Parts whose sizes are shown."""


@dataclass(frozen=True, slots=True, eq=False)
class Division:
    r"""Patterns (leaves) whose largest weak dimension is that of a pattern, if it exceeds 2.

    For d >= 2, d dimensions represent the pattern exactly if they represent all leaves.

    Attributes
    ----------
    leaves : tuple of Pattern
        Distinct, hardest first; none where two dimensions represent the pattern for certain.
    parts : tuple of Group
        Equal parts of the merged pattern; none where it is not divided.
    """

    leaves: tuple[Pattern, ...]
    parts: tuple[Group, ...]
    _merged: Simplification
    _leaves: tuple[Leaf, ...] = ()
    _proofs: tuple[int | Embedding, ...] = ()
    """For each part the number of its leaf, or a proof that needs none."""
    similarity: Similarity = ATTENTION

    @property
    def least(self) -> int:
        """The least dimension that a proof for the whole pattern can have."""
        return 2 if self.parts else 1

    def describe(self) -> dict[str, Any] | None:
        r"""Describe the member "parts" of `schemas/show.schema.json`: sizes; None without parts.

        Examples
        --------
        >>> divide(Pattern.from_text("110000\n011000\n000110\n000011")).describe()
        {'number': 2, 'different': 1, 'cut columns': 0, 'largest': ['2 x 3', '2 x 3']}
        """
        if not self.parts:
            return None
        sizes: Counter[tuple[int, int]] = Counter()
        for part in self.parts:
            sizes[part.rows.shape[1], part.columns.shape[1]] += len(part.rows)
        ordered = sorted(sizes, key=lambda size: (size[0] * size[1], size), reverse=True)
        every = np.concatenate([part.columns.reshape(-1) for part in self.parts])
        largest = [size for size in ordered[:_MOST_NAMED] for _ in range(sizes[size])]
        return {
            "number": sizes.total(),
            "different": len(self.parts),
            "cut columns": int((np.unique(every, return_counts=True)[1] > 1).sum()),
            "largest": [f"{rows} x {columns}" for rows, columns in largest[:_MOST_NAMED]],
        }

    def glue(self, witnesses: Sequence[Witness]) -> Proof | str:
        """Glue a proof of YES for each leaf into one for the whole pattern.

        Parameters
        ----------
        witnesses : sequence of Witness
            One for each leaf, in the order of `leaves`; their dimensions may differ.

        Returns
        -------
        Proof or str
            A proof in the largest of their dimensions (at least 2 where the pattern is divided), or
            in one line why there is none.
        """
        if self.parts:
            proofs = [
                leaf.lift_witness(witness)
                for leaf, witness in zip(self._leaves, witnesses, strict=True)
            ]
            glued = [
                Copies(proofs[own] if isinstance(own, int) else own, part.rows, part.columns)
                for part, own in zip(self.parts, self._proofs, strict=True)
            ]
            components = Components(len(self._merged.columns), glued)
            return lift_witness(components, self._merged)
        if not self.leaves:
            one = Pattern.from_array(np.ones((1, 1), dtype=np.bool_))
            return lift_witness(trivial_witness(one, self.similarity), self._merged)
        (witness,) = witnesses
        return lift_witness(witness, self._merged)

    def lift(self, leaf: int, obstruction: Obstruction) -> Proof | str:
        """Carry the argument over to rows and columns of the original pattern.

        Parameters
        ----------
        leaf : int
            The number of the leaf that it refutes.
        obstruction : Obstruction
        """
        whole = self._leaves[leaf].places(self._merged) if self.parts else self._merged
        return obstruction.lift(whole)


def divide(pattern: Pattern) -> Division:
    r"""Merge equal rows and columns, then divide the rest at its components and cut columns.

    Parameters
    ----------
    pattern : Pattern, shape (m, n)

    Returns
    -------
    Division

    Notes
    -----
    O(ones log ones) after merging; with don't-cares O(m n) for each component.

    References
    ----------
    docs/theory/components.md has the proofs.

    Examples
    --------
    >>> divide(Pattern.from_text("1100\n0011\n1111\n1010")).leaves
    (<Pattern 2 x 4, 4 ones>,)
    >>> divide(Pattern.from_text("110000\n011000\n101000\n000110\n000011\n000101")).leaves
    (<Pattern 4 x 4, 7 ones>,)
    """
    return _divide(simplify(pattern))


def divide_large(pattern: Pattern) -> Division:
    """Merge a pattern as decisions do, and divide the result if it is large.

    Parameters
    ----------
    pattern : Pattern, shape (m, n)

    Returns
    -------
    Division

    Examples
    --------
    >>> divide_large(Pattern(np.eye(20))).leaves
    (<Pattern 20 x 20, 20 ones>,)
    >>> divide_large(Pattern(np.kron(np.eye(20), np.ones((2, 3)) - np.eye(2, 3)))).leaves
    (<Pattern 3 x 4, 5 ones>,)
    """
    merged = simplify(pattern)
    whole = merged.pattern
    if whole is not None and whole.shape[0] * whole.shape[1] <= _FEW_ENTRIES:
        return Division((whole,), (), merged)
    return _divide(merged)


def _divide(merged: Simplification) -> Division:
    whole = merged.pattern
    if whole is None:
        return Division((), (), merged)
    if is_joined_twice(whole):
        return Division((whole,), (), merged)
    cuts = _find_parts(whole)
    if cuts.parts.count == 1 or _is_nearly_one(cuts.parts):
        return Division((whole,), (), merged)
    is_cut = np.zeros(whole.shape[1], dtype=np.bool_)
    is_cut[list(cuts.exits)] = True
    groups = group_equal_parts(cuts.parts, is_cut, compare=whole.is_specified)
    maker = LeafMaker(whole, cuts)
    found = [maker.make(group) for group in groups]
    leaves = [leaf for leaf in (*found, maker.make_meeting()) if isinstance(leaf, Leaf)]
    leaves.sort(key=lambda leaf: leaf.hardness, reverse=True)
    number = {id(leaf): place for place, leaf in enumerate(leaves)}
    return Division(
        tuple(leaf.pattern for leaf in leaves),
        tuple(groups),
        merged,
        tuple(leaves),
        tuple(number[id(own)] if isinstance(own, Leaf) else own for own in found),
    )


class Merging(Reduction[Problem, Problem, Simplification]):
    """Equal rows and equal columns become one, and so do complementary rows where that is sound.

    Rows without a zero are left out; one of them stays if there are no others.
    """

    def apply(self, asked: Problem, /) -> tuple[Problem, Simplification]:
        """Return the question about the merged pattern."""
        merged = simplify(asked.pattern, complements=asked.similarity.divides)
        smaller = merged.pattern or Pattern.from_array(np.ones((1, 1), dtype=np.bool_))
        return replace(asked, pattern=smaller), merged

    def lift(self, proof: Proof, back: Simplification, /) -> Proof | str:
        """Give copies of a line the place of the line, and complements its other side."""
        return proof.lift(back)


def merge(pattern: Pattern, similarity: Similarity = ATTENTION) -> Division:
    r"""Only merge equal rows and columns: for d = 1, or where components cannot be glued.

    Examples
    --------
    >>> merge(Pattern.from_text("1100\n0011")).leaves
    (<Pattern 1 x 2, 1 one>,)
    """
    merged = simplify(pattern, complements=similarity.divides)
    leaves = () if merged.pattern is None else (merged.pattern,)
    return Division(leaves, (), merged, similarity=similarity)


def _find_parts(pattern: Pattern) -> Cuts:
    """Return the components of a merged pattern, cut apart where that can be."""
    parts = find_components(pattern)
    if not pattern.is_specified:
        return Cuts(join_unforced(pattern, parts), {})
    rows, columns = pattern.shape
    most = min(_MOST_CUT, max(_FEW_CUT, _SHARE_CUT * rows * columns))
    if pattern.count > most:
        return Cuts(parts, {})
    return cut_columns(parts, pattern.shape[1])


def _is_nearly_one(parts: Parts) -> bool:
    """Return whether one part of a large pattern is nearly as large as the whole."""
    ones = np.bincount(parts.part_of_row[parts.rows])
    return len(parts.rows) > _MANY_ONES and ones.max() > _NEARLY_ALL * len(parts.rows)
