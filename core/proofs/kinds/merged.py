"""A proof of YES for some rows and columns; all others are copies of these."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from samapprox.errors import InputError
from samapprox.pattern import Pattern
from samapprox.problem import Problem
from samapprox.proofs.base import Witness
from samapprox.proofs.exact import ExactArray
from samapprox.proofs.kinds.embedding import Embedding
from samapprox.proofs.members import Vector
from samapprox.proofs.nested import Nested
from samapprox.proofs.simplify import Simplified
from samapprox.proofs.written import require_writable
from samapprox.storage.packed import PackedMatrix
from samapprox.storage.sparse import SparseMatrix

__all__ = ["Merged"]

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
    flipped : array_like of int
        Rows of the whole pattern.
    column_of : array_like of int, shape (n,)
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
        self._fill(
            rows=rows,
            columns=columns,
            row_of=row_of,
            flipped=flipped,
            column_of=column_of,
            proof=proof,
        )

    @classmethod
    def of(cls, simplified: Simplified, proof: Witness) -> Merged:
        """Make the proof for a simplified pattern one for the original.

        Parameters
        ----------
        simplified : Simplified
            Whose pattern has rows.
        proof : Witness
        """
        return cls(
            simplified.rows,
            simplified.columns,
            simplified.row_of,
            np.flatnonzero(simplified.flipped),
            simplified.column_of,
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
        flipped = np.zeros(len(self.row_of), dtype=np.bool_)
        flipped[self.flipped] = True
        way_back = Simplified(None, self.rows, self.columns, self.row_of, flipped, self.column_of)
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

    def explain(self, problem: Problem) -> list[str]:
        """Explain the proof in lines of text."""
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
