"""A proof of YES for some rows and columns; all others are copies of these."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from samapprox.errors import InputError
from samapprox.pattern import Pattern
from samapprox.problem import Problem
from samapprox.proofs.base import Nested, Witness
from samapprox.proofs.checker import check
from samapprox.proofs.embeddings.embedding import Embedding
from samapprox.proofs.exact import ExactArray, Vector, require_writable
from samapprox.proofs.parts.simplify import Simplification
from samapprox.storage import PackedMatrix, block_height
from samapprox.storage.matrices import coordinates
from samapprox.storage.sparse import SparseMatrix
from samapprox.support.arrays import flags_at

_MOST_ONES = 1 << 28
"""Ones of the largest smaller pattern: complements of sparse rows could have far more."""


@dataclass(frozen=True, slots=True, eq=False)
class Merged(Witness):
    r"""A proof for a smaller pattern, with the copy of each row and column in it.

    Row k of the smaller pattern is row ``rows[k]``, on the columns `columns`, complemented if it
    is one of `flipped`. Every row i equals row ``row_of[i]`` of the smaller pattern, with column
    j read at ``column_of[j]``, up to the complement where i is one of `flipped`; a row without
    zeros may have -1 instead. Equal columns can be one key, equal rows one halfspace, and
    complementary rows are the two sides of one hyperplane.

    Parameters
    ----------
    rows, columns : array_like of int
        The rows and columns of the smaller pattern.
    row_of : array_like of int, shape (m,)
        The row of the smaller pattern that each row copies, or -1.
    flipped : array_like of int
        Rows of the whole pattern.
    column_of : array_like of int, shape (n,)
        The column of the smaller pattern that each column copies.
    proof : Witness
        For the smaller pattern.

    Raises
    ------
    InputError
        Not integers, or another proof.

    Examples
    --------
    >>> smaller = Embedding([[1]], [[1], [0]], [0])
    >>> proof = Merged([0], [0, 2], [0, 0, -1], [1], [0, 0, 1], smaller)
    >>> pattern = Pattern.from_text("110\n001\n111")
    >>> proof.smaller_pattern(pattern).to_text()
    '10'
    >>> proof.embedding(pattern).queries.tolist()
    [[1], [-1], [0]]
    """

    KIND = "merged"
    TASK = "dimension"
    SIMILARITIES = ("dot",)
    CLAIM = (
        "YES: the proof holds for a smaller pattern, whose row k is rows[k] on the columns, "
        "complemented if flipped; every row i is its row row_of[i] (-1: no zero), complemented if "
        "flipped, with column j at column_of[j]."
    )
    MEMBERS = (
        Vector("rows", least=1, minimum=0),
        Vector("columns", least=1, minimum=0),
        Vector("row_of", least=1, minimum=-1),
        Vector("flipped", minimum=0),
        Vector("column_of", least=1, minimum=0),
        Nested("proof"),
    )

    rows: ExactArray
    columns: ExactArray
    row_of: ExactArray
    flipped: ExactArray
    column_of: ExactArray
    proof: Witness

    def __init__(
        self,
        rows: ArrayLike,
        columns: ArrayLike,
        row_of: ArrayLike,
        flipped: ArrayLike,
        column_of: ArrayLike,
        proof: Witness,
    ) -> None:
        self._fill(rows, columns, row_of, flipped, column_of, proof)

    @classmethod
    def of(cls, simplification: Simplification, proof: Witness) -> Merged:
        """Make the proof for a simplified pattern one for the original.

        Parameters
        ----------
        simplification : Simplification
            Whose pattern has rows.
        proof : Witness
            The proof for the simplified pattern.
        """
        return cls(
            simplification.rows,
            simplification.columns,
            simplification.row_of,
            np.flatnonzero(simplification.flipped),
            simplification.column_of,
            proof,
        )

    @property
    def dimension(self) -> int:
        """The dimension of the proof for the smaller pattern."""
        return self.proof.dimension

    def embedding(self, pattern: Pattern, /) -> Embedding:
        """Copy the embedding of the smaller pattern to all rows and columns.

        Parameters
        ----------
        pattern : Pattern
            One that it represents.

        Raises
        ------
        InputError
            It has more than 2^26 numbers.
        """
        rows, columns = len(self.row_of), len(self.column_of)
        require_writable((rows + columns) * self.dimension + rows)
        flipped = flags_at(self.flipped, len(self.row_of))
        way_back = Simplification(
            None, self.rows, self.columns, self.row_of, flipped, self.column_of
        )
        return self.proof.embedding(self.smaller_pattern(pattern)).lift(way_back)

    def smaller_pattern(self, pattern: Pattern) -> Pattern:
        """Return the pattern that the proof is about.

        Parameters
        ----------
        pattern : Pattern
            The whole one, which has all the rows and columns that are named.

        Raises
        ------
        InputError
            Complements make it too large, or leave a row without a 1.
        """
        smaller = pattern.take(self.rows, self.columns)
        turned = np.isin(self.rows, self.flipped)
        if not turned.any():
            return smaller
        ones: PackedMatrix | SparseMatrix
        if isinstance(smaller.ones, PackedMatrix):
            ones = smaller.ones.complement_rows(turned, smaller.unspecified)
        else:
            _refuse_many_ones(smaller.ones, turned)
            ones = smaller.ones.complement_rows(turned)
        names = smaller.row_names, smaller.column_names
        return Pattern.from_storage(ones, smaller.unspecified, *names)

    def find_fault(self, problem: Problem) -> str | None:
        """Return the reason why the pattern is no copy or the smaller proof fails, or None.

        O(ones log ones) for sparse patterns, O(m n) for packed ones, and the proof's own check.
        """
        pattern = problem.pattern
        if fault := _find_fault_of_places(pattern, self):
            return fault
        is_flipped = flags_at(self.flipped, pattern.shape[0])
        if fault := _find_fault_of_rows(pattern, self, is_flipped):
            return fault
        if fault := _find_fault_of_columns(pattern, self):
            return fault
        try:
            smaller = self.smaller_pattern(pattern)
        except InputError as error:
            return f"the smaller pattern: {error}"
        return check(Problem(smaller, problem.d), self.proof)

    def explain(self, problem: Problem) -> list[str]:
        smaller = self.smaller_pattern(problem.pattern)
        rows, columns = smaller.shape
        inner = self.proof.explain(Problem(smaller, problem.d))
        if smaller.shape == problem.pattern.shape:
            return inner
        merging = "Merging equal or complementary rows and equal columns"
        return [f"{merging} leaves {rows} x {columns}.", *inner]


def _refuse_many_ones(ones: SparseMatrix, turned: NDArray[np.bool_]) -> None:
    """Refuse complements of sparse rows that would take too much memory."""
    zeros = int(turned.sum()) * ones.columns - int(ones.row_counts[turned].sum())
    if zeros > _MOST_ONES:
        raise InputError(f"complements of sparse rows have {zeros} ones, more than {_MOST_ONES}")


def _find_fault_of_places(pattern: Pattern, merged: Merged) -> str | None:
    """Check that all numbers name lines and each line of the smaller pattern is its own copy."""
    rows, columns = pattern.shape
    if len(merged.row_of) != rows or len(merged.column_of) != columns:
        return (
            f"it merges {len(merged.row_of)} x {len(merged.column_of)} rows and columns, the "
            f"pattern has {rows} x {columns}"
        )
    for name, size in (("rows", rows), ("flipped", rows), ("columns", columns)):
        if getattr(merged, name).max(initial=-1) >= size:
            return f"{name} names a line outside the {rows} x {columns} pattern"
    for chosen, place_of, line in (
        (merged.rows, merged.row_of, "row"),
        (merged.columns, merged.column_of, "column"),
    ):
        if place_of.max() >= len(chosen):
            return f"the smaller pattern has no {line} {place_of.max()}"
        if (astray := np.flatnonzero(place_of[chosen] != np.arange(len(chosen)))).size:
            return f"{line} {chosen[astray[0]]} does not represent itself"
    return None


def _find_fault_of_rows(
    pattern: Pattern, merged: Merged, is_flipped: NDArray[np.bool_]
) -> str | None:
    """Return the first row that does not equal its representative, up to complement as stated."""
    free = merged.row_of < 0
    if (held := np.flatnonzero(free & (pattern.row_zeros > 0))).size:
        return f"row {held[0]} has a zero, so it needs a row of the smaller pattern"
    copies = np.flatnonzero(~free)
    originals = merged.rows[merged.row_of[copies]].astype(np.int64)
    copies, originals = copies[copies != originals], originals[copies != originals]
    opposite = is_flipped[copies] != is_flipped[originals]
    compare = _differ_packed if isinstance(pattern.ones, PackedMatrix) else _differ_sparse
    wrong = np.flatnonzero(compare(pattern, copies, originals, opposite))
    if not wrong.size:
        return None
    row, other = copies[wrong[0]], originals[wrong[0]]
    return f"row {row} is no {'complement' if opposite[wrong[0]] else 'copy'} of row {other}"


def _differ_packed(
    pattern: Pattern,
    copies: NDArray[np.int64],
    originals: NDArray[np.int64],
    opposite: NDArray[np.bool_],
) -> NDArray[np.bool_]:
    """Mark the rows that differ from their original, or its complement, in some word."""
    assert isinstance(pattern.ones, PackedMatrix)
    words, stars = pattern.ones.words, pattern.unspecified
    inside = np.full(words.shape[1], ~np.uint64(0))
    inside[-1] >>= np.uint64(-pattern.shape[1] % 64)
    differ = np.zeros(len(copies), dtype=np.bool_)
    step = block_height(8 * words.shape[1])
    for start in range(0, len(copies), step):
        part = slice(start, start + step)
        wanted = words[originals[part]]
        wanted[opposite[part]] ^= inside
        if stars is not None:
            wanted &= ~stars.words[originals[part]]
            differ[part] = (stars.words[copies[part]] != stars.words[originals[part]]).any(axis=1)
        differ[part] |= (words[copies[part]] != wanted).any(axis=1)
    return differ


def _differ_sparse(
    pattern: Pattern,
    copies: NDArray[np.int64],
    originals: NDArray[np.int64],
    opposite: NDArray[np.bool_],
) -> NDArray[np.bool_]:
    """Mark the rows that differ from their original, or its complement, by their ones."""
    assert pattern.ones.is_sparse
    matrix, columns = pattern.ones, pattern.shape[1]
    counts = matrix.row_counts
    wanted = np.where(opposite, columns - counts[originals], counts[originals])
    differ: NDArray[np.bool_] = counts[copies] != wanted
    same = np.flatnonzero(~differ & ~opposite)
    lines, own = coordinates(matrix.take(copies[same]))
    _, other = coordinates(matrix.take(originals[same]))
    differ[same[lines[own != other]]] = True
    for row in np.flatnonzero(~differ & opposite).tolist():
        shared = np.intersect1d(matrix.row(copies[row]), matrix.row(originals[row]))
        differ[row] = shared.size > 0
    return differ


def _find_fault_of_columns(pattern: Pattern, merged: Merged) -> str | None:
    """Name the first row of the smaller pattern that separates a column from its copy."""
    columns, column_of = merged.columns, merged.column_of
    if pattern.ones.is_sparse:
        sizes = np.bincount(column_of, minlength=len(columns))
        lines, own = coordinates(pattern.ones.take(merged.rows.astype(np.int64)))
        keys, counts = np.unique(lines * len(columns) + column_of[own], return_counts=True)
        if (wrong := np.flatnonzero(counts != sizes[keys % len(columns)])).size:
            row = int(merged.rows[keys[wrong[0]] // len(columns)])
            return _name_fault(pattern, row, columns, column_of)
        return None
    step = block_height(pattern.shape[1])
    for start in range(0, len(merged.rows), step):
        rows = merged.rows[start : start + step]
        for matrix in (pattern.ones, pattern.unspecified):
            if matrix is not None:
                entries = PackedMatrix(matrix.words[rows], matrix.columns).dense()
                differ = (entries != entries[:, columns[column_of]]).any(axis=1)
                if differ.any():
                    return _name_fault(pattern, rows[differ.argmax()], columns, column_of)
    return None


def _name_fault(pattern: Pattern, row: int, columns: ExactArray, column_of: ExactArray) -> str:
    """Name the column of a row that is no copy."""
    entries = pattern.block(row, row + 1)[0]
    column = int(np.flatnonzero(entries != entries[columns[column_of]])[0])
    return f"column {column} is no copy of column {columns[column_of[column]]} in row {row}"
