"""A part of a pattern with its border, as rows and columns of the pattern."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from samapprox.pattern import Pattern
from samapprox.proofs.base import Witness
from samapprox.proofs.embeddings.embedding import Embedding
from samapprox.proofs.parts.components import add_border
from samapprox.proofs.parts.merged import Merged
from samapprox.proofs.parts.simplify import Simplification, simplify
from samapprox.solvers.division.cuts import Cuts
from samapprox.solvers.division.equal_parts import Group
from samapprox.solvers.division.parts import find_outside

__all__ = ["Leaf", "LeafMaker", "embed_trivially", "is_trivial", "lift_witness"]

Indices = NDArray[np.int64]

_MANY_ONES = 1 << 20


@dataclass(frozen=True, slots=True, eq=False)
class Leaf:
    """Rows and columns of a pattern that make up a part with its border.

    Attributes
    ----------
    pattern : Pattern
        The submatrix, its equal rows and columns merged.
    rows, columns : ndarray of int64
        The rows and columns of the part with its border in the whole pattern.
    simplified : Simplification or None
        The merged form of `pattern`; None if nothing was merged.
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
        """Return places of the leaf's lines in the pattern that the whole one comes from.

        Parameters
        ----------
        whole : Simplification
            The merged form of the whole pattern.
        """
        rows, columns, flipped = self.rows, self.columns, whole.flipped
        if self.simplified is not None:
            flipped = flipped.copy()
            flipped[whole.rows[rows]] ^= self.simplified.flipped
            rows, columns = rows[self.simplified.rows], columns[self.simplified.columns]
        return replace(
            whole, rows=whole.rows[rows], columns=whole.columns[columns], flipped=flipped
        )


class LeafMaker:
    """A factory of leaves for the parts of one pattern.

    Parameters
    ----------
    pattern : Pattern
        The whole one.
    cuts : Cuts
        At least two parts.
    """

    def __init__(self, pattern: Pattern, cuts: Cuts) -> None:
        part_of_row = cuts.parts.part_of_row
        self._pattern, self._part_of_row, self._exits = pattern, part_of_row, cuts.exits
        self._cut_columns = np.array(sorted(cuts.exits), dtype=np.int64)
        other = int((part_of_row != part_of_row[0]).argmax())
        self._outside = [self._with_column(row) for row in (0, other)]

    def make(self, group: Group) -> Leaf | Embedding:
        """Make the leaf of a part, or an embedding if every part with that border has one."""
        rows, columns = group.rows[0], group.columns[0]
        cuts = [column for column in columns.tolist() if column in self._exits]
        if is_trivial((len(rows) + max(1, 3 * len(cuts)), len(columns) + max(1, len(cuts)))):
            return embed_trivially(add_border(self._pattern, rows, columns, self._cut_columns))
        if cuts:
            return self._make_side(rows, columns, cuts)
        row, column = self._border(rows, columns)
        rows, columns = np.append(rows, row), np.append(columns, column)
        return self._cut_out(rows, columns)

    def make_meeting(self) -> Leaf | None:
        """Return the leaf of three sides that meet in a cut column: each with its witness alone."""
        for column, exits in self._exits.items():
            if len(exits) > 2:
                rows = [exits[0].cut]
                for side in exits[:3]:
                    rows += [side.both, side.other]
                columns = np.array([column, *(side.column for side in exits[:3])])
                return Leaf(self._pattern.take(rows, columns), np.array(rows), columns, None)
        return None

    def _make_side(self, rows: Indices, columns: Indices, cuts: list[int]) -> Leaf:
        """Return the leaf of a part with cut columns."""
        part = self._part_of_row[rows[0]]
        sides = [next(e for e in self._exits[cut] if e.part != part) for cut in cuts]
        border = [row for side in sides for row in (side.both, side.cut, side.other)]
        return self._cut_out(
            np.append(rows, border), np.append(columns, [side.column for side in sides])
        )

    def _cut_out(self, rows: Indices, columns: Indices) -> Leaf:
        """Return the leaf of these lines.

        A row of the border may equal one of the part, up to complement; don't-cares may leave more
        lines equal. In large parts a row too many is cheaper than to look for it.
        """
        pattern = self._pattern.take(rows, columns)
        if pattern.is_specified and pattern.count > _MANY_ONES:
            return Leaf(pattern, rows, columns, None)
        merged = simplify(pattern)
        assert merged.pattern is not None, "each row has a zero, its own or that of its border"
        return Leaf(merged.pattern, rows, columns, merged)

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
    return witness if unchanged else Merged.of(simplified, witness)


def is_trivial(shape: tuple[int, int]) -> bool:
    """Return whether two dimensions represent every pattern of a shape: see `embed_trivially`."""
    return shape[0] <= 2 or shape[1] <= 3


def embed_trivially(pattern: Pattern) -> Embedding:
    r"""Embed a pattern of at most two rows or three columns in at most two dimensions.

    Parameters
    ----------
    pattern : Pattern, shape (m, n)
        Its shape `is_trivial`.

    Notes
    -----
    The rows are coordinates of the keys, or the keys are affinely independent.

    Examples
    --------
    >>> embed_trivially(Pattern.from_text("101\n010\n110")).dimension
    2
    """
    rows, columns = pattern.shape
    if rows <= 2:
        entries = (pattern.to_array() == 1).astype(np.int64)
        return Embedding(np.eye(rows, dtype=np.int64), entries.T, np.zeros(rows, dtype=np.int64))
    signs = np.where(pattern.to_array() == 1, 1, -1)
    keys = np.eye(columns, max(1, columns - 1), k=-1, dtype=np.int64)
    queries = np.zeros((rows, keys.shape[1]), dtype=np.int64)
    queries[:, : columns - 1] = signs[:, 1:] - signs[:, :1]
    return Embedding(queries, keys, -signs[:, 0])
