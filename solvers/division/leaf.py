"""A pattern divided at its components and cut columns: parts, and leaves with a border."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from samapprox.pattern import Pattern
from samapprox.proofs.base import Obstruction, Proof, Witness
from samapprox.proofs.parts.components import Components, Copies, add_border
from samapprox.proofs.parts.simplify import Simplification, simplify
from samapprox.solvers.division.base import Division, lift_witness
from samapprox.solvers.division.cuts import Cuts, cut_columns
from samapprox.solvers.division.equal_parts import Group, group_equal_parts
from samapprox.solvers.division.parts import (
    Parts,
    find_components,
    find_outside,
    is_joined,
    is_joined_twice,
    join_unforced,
)
from samapprox.solvers.embeddings.whole_numbers import trivial_embedding
from samapprox.support.arrays import Indices, flags_at

_MANY_ONES = 1 << 20
"""Ones of parts that are not merged again, and of patterns that stay whole if nearly all is in one
part: proofs would be larger."""

_NEARLY_ALL = 0.95
"""The share of the ones that counts as nearly all."""

_MOST_CUT = 4_000_000
"""Ones of the largest patterns in which cut columns are looked for, which takes 4 s for 10^7."""

_FEW_CUT, _SHARE_CUT = 200_000, 0.05
"""Ones, and the share of the entries, of patterns where that always pays: dense ones have none."""

_MOST_NAMED = 5
"""Parts whose sizes are shown."""


@dataclass(frozen=True, slots=True, eq=False)
class _Leaf:
    """Rows and columns of a pattern that make up a part with its border.

    `pattern` is the submatrix with equal lines merged, `simplified` its merged form, or None if
    nothing was merged.
    """

    pattern: Pattern
    rows: Indices
    columns: Indices
    simplified: Simplification | None

    @property
    def hardness(self) -> tuple[int, int]:
        """An estimate of the hardness: the smaller side, then the ones."""
        return min(self.pattern.shape), self.pattern.count

    def lift_witness(self, witness: Witness) -> Witness:
        """Carry a proof for the leaf over to the part with its border."""
        return witness if self.simplified is None else lift_witness(witness, self.simplified)

    def places(self, whole: Simplification) -> Simplification:
        """Return places of the leaf's lines in the pattern that the whole one comes from."""
        rows, columns, flipped = self.rows, self.columns, whole.flipped
        if self.simplified is not None:
            flipped = flipped.copy()
            flipped[whole.rows[rows]] ^= self.simplified.flipped
            rows, columns = rows[self.simplified.rows], columns[self.simplified.columns]
        return replace(
            whole, rows=whole.rows[rows], columns=whole.columns[columns], flipped=flipped
        )


class DividedPattern(Division):
    """A pattern of at least two parts, which two dimensions represent, or more.

    Parameters
    ----------
    merged : Simplification
        The pattern with equal lines merged.
    whole : Pattern
        The result of merging.
    cuts : Cuts
        Its parts.
    """

    least = 2

    def __init__(self, merged: Simplification, whole: Pattern, cuts: Cuts) -> None:
        super().__init__(merged)
        is_cut = flags_at(list(cuts.exits), whole.shape[1])
        self.parts = group_equal_parts(cuts.parts, is_cut, compare=whole.is_specified)
        maker = _LeafMaker(whole, cuts)
        self._proofs = [maker.make(group) for group in self.parts]
        leaves = [one for one in (*self._proofs, maker.make_meeting()) if isinstance(one, _Leaf)]
        self._leaves = sorted(leaves, key=lambda leaf: leaf.hardness, reverse=True)
        self.leaves = tuple(leaf.pattern for leaf in self._leaves)

    @classmethod
    def of(cls, merged: Simplification) -> DividedPattern | None:
        """Divide a merged pattern; None if it stays whole."""
        whole = merged.pattern
        if whole is None or is_joined_twice(whole):
            return None
        if not may_be_cut(whole) and is_joined(whole):
            return None
        cuts = _find_parts(whole)
        if cuts.parts.count == 1 or _is_nearly_one(cuts.parts):
            return None
        return cls(merged, whole, cuts)

    def describe(self) -> dict[str, Any]:
        r"""Describe the member "parts" of `samapprox schema show`: sizes.

        Examples
        --------
        >>> from samapprox.solvers.division.division import divide
        >>> divide(Pattern.from_text("110000\n011000\n000110\n000011")).describe()
        {'number': 2, 'different': 1, 'cut columns': 0, 'largest': ['2 x 3', '2 x 3']}
        """
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
        """Glue a proof of YES for each leaf into one for the whole pattern."""
        lifted = {
            id(leaf): leaf.lift_witness(witness)
            for leaf, witness in zip(self._leaves, witnesses, strict=True)
        }
        glued = [
            Copies(lifted[id(own)] if isinstance(own, _Leaf) else own, part.rows, part.columns)
            for part, own in zip(self.parts, self._proofs, strict=True)
        ]
        return lift_witness(Components(len(self._merged.columns), glued), self._merged)

    def lift(self, leaf: int, obstruction: Obstruction) -> Proof | str:
        """Carry an argument over to rows and columns of the original pattern."""
        return obstruction.lift(self._leaves[leaf].places(self._merged))


def _find_parts(pattern: Pattern) -> Cuts:
    """Return the components of a merged pattern, cut apart where that can be."""
    parts = find_components(pattern)
    if not pattern.is_specified:
        return Cuts(join_unforced(pattern, parts), {})
    if not may_be_cut(pattern):
        return Cuts(parts, {})
    return cut_columns(parts, pattern.shape[1])


def may_be_cut(pattern: Pattern) -> bool:
    """Return whether cut columns are looked for."""
    most = min(_MOST_CUT, max(_FEW_CUT, _SHARE_CUT * pattern.size))
    return pattern.is_specified and pattern.count <= most


def _is_nearly_one(parts: Parts) -> bool:
    """Return whether one part of a large pattern is nearly as large as the whole."""
    ones = np.bincount(parts.part_of_row[parts.rows])
    return len(parts.rows) > _MANY_ONES and ones.max() > _NEARLY_ALL * len(parts.rows)


class _LeafMaker:
    """A factory of leaves for the parts of one pattern, of which there are at least two."""

    def __init__(self, pattern: Pattern, cuts: Cuts) -> None:
        part_of_row = cuts.parts.part_of_row
        self._pattern, self._part_of_row, self._exits = pattern, part_of_row, cuts.exits
        self._cut_columns = np.array(sorted(cuts.exits), dtype=np.int64)
        other = int((part_of_row != part_of_row[0]).argmax())
        self._outside = [self._with_column(row) for row in (0, other)]

    def make(self, group: Group) -> _Leaf | Witness:
        """Make the leaf of a part, or an embedding if two dimensions represent any such part."""
        rows, columns = group.rows[0], group.columns[0]
        cuts = [column for column in columns.tolist() if column in self._exits]
        if len(rows) + max(1, 3 * len(cuts)) <= 2 or len(columns) + max(1, len(cuts)) <= 3:
            return trivial_embedding(add_border(self._pattern, rows, columns, self._cut_columns))
        if cuts:
            return self._make_side(rows, columns, cuts)
        row, column = self._border(rows, columns)
        return self._cut_out(np.append(rows, row), np.append(columns, column))

    def make_meeting(self) -> _Leaf | None:
        """Return the leaf of three sides that meet in a cut column: each with its witness alone."""
        for column, exits in self._exits.items():
            if len(exits) > 2:
                rows = [exits[0].cut]
                for side in exits[:3]:
                    rows += [side.both, side.other]
                columns = np.array([column, *(side.column for side in exits[:3])])
                return _Leaf(self._pattern.take(rows, columns), np.array(rows), columns, None)
        return None

    def _make_side(self, rows: Indices, columns: Indices, cuts: list[int]) -> _Leaf:
        """Return the leaf of a part with cut columns."""
        part = self._part_of_row[rows[0]]
        sides = [next(e for e in self._exits[cut] if e.part != part) for cut in cuts]
        border = [row for side in sides for row in (side.both, side.cut, side.other)]
        return self._cut_out(
            np.append(rows, border), np.append(columns, [side.column for side in sides])
        )

    def _cut_out(self, rows: Indices, columns: Indices) -> _Leaf:
        """Return the leaf of these lines.

        A row of the border may equal one of the part, up to complement; don't-cares may leave more
        lines equal. In large parts a row too many is cheaper than to look for it.
        """
        pattern = self._pattern.take(rows, columns)
        if pattern.is_specified and pattern.count > _MANY_ONES:
            return _Leaf(pattern, rows, columns, None)
        merged = simplify(pattern)
        assert merged.pattern is not None, "each row has a zero, its own or that of its border"
        return _Leaf(merged.pattern, rows, columns, merged)

    def _border(self, rows: Indices, columns: Indices) -> tuple[int, int]:
        """Return a row and a column outside the part that border it."""
        if self._pattern.is_specified:
            (row, column), other = self._outside
            return other if self._part_of_row[row] == self._part_of_row[rows[0]] else (row, column)
        found = find_outside(self._pattern, rows, columns)
        assert found is not None, "parts without a border are joined"
        return found

    def _with_column(self, row: int) -> tuple[int, int]:
        entries = self._pattern.block(row, row + 1)[0]
        return row, int((entries == 1).argmax())
