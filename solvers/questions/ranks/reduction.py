"""The reduction of a rank to the dimension of a pattern, and the way back of both answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from samapprox.errors import InputError
from samapprox.pattern import UNSPECIFIED, Pattern
from samapprox.problem import Reduction
from samapprox.proofs.base import Proof, Submatrix, Witness
from samapprox.proofs.embeddings.embedding import Embedding
from samapprox.proofs.embeddings.moment_curve import MomentCurve
from samapprox.proofs.exact import ExactArray, exact_matmul, largest
from samapprox.proofs.ranks.factors import Factors
from samapprox.proofs.ranks.refutation import Form, ReducedCase, reduced_pattern
from samapprox.sign_matrix import SignMatrix
from samapprox.support.arrays import places_of

# Entries of the largest matrix whose reduced pattern is written out.
_MOST_ENTRIES = 1 << 28
# Below this size, twice the difference of two numbers stays within 64 bits.
_ROOMY = 1 << 58

_Indices = NDArray[np.int64]


class RankToDimension(Reduction[SignMatrix, "Pattern | None", "ReducedMatrix"]):
    r"""The rank of a sign matrix as the dimension of a reduced pattern.

    The relative form is relative to the row with most specified entries, in their columns. Where it
    is constant there is no pattern: `ReducedMatrix.lift_constant` proves rank 1.

    >>> to_dimension = RankToDimension("relative")
    >>> pattern, back = to_dimension.apply(SignMatrix.from_text("110\n001\n100"))
    >>> pattern.to_text(), back.rank_of(1)
    ('101', 2)
    """

    def __init__(self, form: Form) -> None:
        self._form = form

    def apply(self, asked: SignMatrix) -> tuple[Pattern | None, ReducedMatrix]:
        """Return the reduced pattern of a matrix; a matrix without a 1 has none."""
        height, width = asked.shape
        rows, columns = range(height), range(width)
        if self._form != "relative":
            back = ReducedMatrix(asked, self._form, rows, columns)
            return back.pattern, back
        first = int((asked.row_ones + asked.row_zeros).argmax())
        specified = np.flatnonzero(asked.submatrix([first], columns)[0] != UNSPECIFIED)
        others = [row for row in rows if row != first]
        back = ReducedMatrix(asked, self._form, [first, *others], specified.tolist())
        return None if back.is_constant else back.pattern, back

    def lift(self, proof: Proof, back: ReducedMatrix) -> Factors | ReducedCase:
        """Return an embedding as factors of the matrix, and a refutation as a case about it.

        An embedding is lifted where the reduced pattern is that of all rows and columns alone.
        """
        if isinstance(proof, Witness):
            return back.lift_yes(proof.embedding(back.pattern))
        assert isinstance(proof, Submatrix)  # as are all refutations of the free question
        return back.lift_no(proof)


@dataclass(frozen=True, eq=False)
class ReducedMatrix:
    """A reduced pattern of a sign matrix, without its rows that lack a 1.

    See `samapprox.proofs.ranks.refutation.reduced_pattern` for the forms. A relative form is
    relative to the first of the rows.
    """

    matrix: SignMatrix
    form: Form
    rows: Sequence[int]
    columns: Sequence[int]

    @cached_property
    def _whole(self) -> SignMatrix:
        if self.form == "plain" and self.is_whole:
            return self.matrix
        if len(self.rows) * len(self.columns) > _MOST_ENTRIES:
            raise InputError(
                f"the matrix has more than {_MOST_ENTRIES} entries, too many for this kind of rank"
            )
        return reduced_pattern(self.matrix, self.form, self.rows, self.columns)

    @cached_property
    def _kept(self) -> _Indices:
        """The rows of the reduced pattern that have a 1."""
        return np.flatnonzero(self._whole.row_ones)

    @cached_property
    def _row_of(self) -> _Indices:
        """The matrix's row for each row of the reduced pattern."""
        return np.array(self.rows[self.form == "relative" :], dtype=np.int64)

    @property
    def is_whole(self) -> bool:
        """Whether the reduced pattern is that of all rows and columns."""
        return (len(self.rows), len(self.columns)) == self.matrix.shape

    @property
    def is_constant(self) -> bool:
        """Whether no row of the reduced pattern holds both a 1 and a 0."""
        return not ((self._whole.row_ones > 0) & (self._whole.row_zeros > 0)).any()

    @cached_property
    def pattern(self) -> Pattern:
        """The rows with a 1, which have the dimension of all rows.

        Raises InputError if there are none.
        """
        whole = self._whole
        kept = whole.take(self._kept, np.arange(whole.shape[1]))
        return Pattern.from_storage(kept.ones, kept.unspecified)

    def rank_of(self, d: int) -> int:
        """Return the rank to which a dimension of the reduced pattern corresponds."""
        return d + 1 if self.form == "relative" else d

    def dimension_of(self, rank: int) -> int:
        """Return the dimension of the reduced pattern to which a rank corresponds."""
        return rank - 1 if self.form == "relative" else rank

    # ---------------------------------------------------------------- YES

    def lift_yes(self, embedding: Embedding) -> Factors:
        """Turn an embedding of the reduced pattern into factors of the matrix.

        The reduction must name all rows and columns. The thresholds of embeddings are whole
        numbers, and equality counts as 0. Doubling queries and thresholds and adding 1 makes
        all comparisons strict.
        """
        height, width = self.matrix.shape
        queries, keys = 2 * _wide(embedding.queries), _wide(embedding.keys)
        thresholds = 2 * _wide(embedding.thresholds) + 1
        if self.form == "relative":
            return self._lift_relative(queries, keys, thresholds)
        rows = self._row_of[self._kept]
        left = np.zeros((height, embedding.dimension), dtype=queries.dtype)
        left[rows] = queries
        if self.form == "doubled":
            return Factors(left, keys[:width] - keys[width:], np.zeros(height, dtype=np.int64))
        bounds = np.ones(height, dtype=object)  # 1 for the rows without a 1
        if self.form == "plain":
            bounds[rows] = thresholds
            return Factors(left, keys, bounds)
        origin = keys[width]
        bounds[rows] = thresholds - exact_matmul(queries, origin)
        return Factors(left, keys[:width] - origin, bounds)

    def _lift_relative(
        self, queries: ExactArray, keys: ExactArray, thresholds: ExactArray
    ) -> Factors:
        """Put thresholds beside queries, and ones beside keys; then flip columns back."""
        height, d = self.matrix.shape[0], keys.shape[1]
        rows = np.hstack([queries, -thresholds[:, None]])
        left = np.zeros((height, d + 1), dtype=rows.dtype)
        left[self.rows[0], d] = 1
        left[self._row_of, d] = -1  # the rows without a 1
        left[self._row_of[self._kept]] = rows
        right = np.hstack([keys, np.ones((len(keys), 1), dtype=np.int64)])
        first = self.matrix.submatrix(self.rows[:1], self.columns)[0]
        flips = np.where(first == 1, 1, -1)[:, None]
        return Factors(left, right * flips, np.zeros(height, dtype=np.int64))

    def lift_constant(self) -> Factors:
        """Return factors of rank 1, for a relative form whose rows are constant."""
        first = self.matrix.submatrix(self.rows[:1], self.columns)[0]
        left = np.ones((self.matrix.shape[0], 1), dtype=np.int64)
        left[self._row_of[self._whole.row_ones == 0]] = -1
        return Factors(left, np.where(first == 1, 1, -1)[:, None], np.zeros(len(left), np.int64))

    # ---------------------------------------------------------------- NO

    def lift_no(self, proof: Submatrix) -> ReducedCase:
        """Turn a refutation for the reduced pattern into a case about few rows and columns."""
        width = len(self.columns)
        chosen = np.array(sorted(proof.rows), dtype=np.int64)
        rows = [*self.rows[: self.form == "relative"], *self._row_of[self._kept[chosen]].tolist()]
        row_at = places_of(chosen, len(self._kept))
        doubled = self.form == "doubled"
        columns = np.array(
            sorted({column % width for column in proof.columns if doubled or column < width}),
            dtype=np.int64,
        )
        column_at = np.zeros(2 * width + 1, dtype=np.int64)
        column_at[width] = len(columns)  # the extra column
        column_at[columns] = np.arange(len(columns))
        if doubled:
            column_at[width + columns] = len(columns) + np.arange(len(columns))
        names = [self.columns[column] for column in columns.tolist()]
        return ReducedCase(self.form, rows, names, proof.place(row_at, column_at))


def _wide(array: ExactArray) -> ExactArray:
    """Return the numbers in a type in which twice their differences do not overflow."""
    return array if largest(array) < _ROOMY else array.astype(object)


# Products that are checked in about a second.
_MOST_PRODUCTS = 1 << 31
# The same for products beyond 64 bits, times their bits.
_MOST_LONG_WORK = 1 << 28
# Bits of products that fit into 64 with their sums.
_SHORT = 62


def require_few_products(rows: int, columns: int, rank: int, bits: int = 1) -> None:
    """Refuse factors whose check would take seconds; `bits` are those of one product."""
    products = rows * columns * rank
    if products > _MOST_PRODUCTS or (bits > _SHORT and products * bits > _MOST_LONG_WORK):
        raise InputError(
            f"{rows} x {columns} products of {bits} bits in rank {rank} take too long to check"
        )


def require_quick_check(factors: Factors) -> None:
    """Refuse factors whose check would take seconds."""
    bits = largest(factors.left).bit_length() + largest(factors.right).bit_length()
    require_few_products(len(factors.left), len(factors.right), factors.dimension, bits)


def require_quick_numbers(witness: Witness, shape: tuple[int, int]) -> None:
    """Refuse an order of many dimensions, before its long numbers are computed."""
    if isinstance(witness, MomentCurve):
        require_few_products(*shape, witness.dimension, witness.dimension * max(shape).bit_length())
