"""The 0/1 pattern that attention is asked to represent."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol, Self, TypeAlias, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from samapprox.errors import InputError, abridge
from samapprox.storage import PackedMatrix
from samapprox.storage.entries import (
    FrameLike,
    SparseLike,
    as_lines,
    as_names,
    check_size,
    choose_names,
    label,
    names_of_labels,
    read_text,
    write_text,
)

if TYPE_CHECKING:
    import scipy.sparse

    from samapprox.storage.sparse import SparseMatrix


UNSPECIFIED = -1
"""The value of a don't-care entry in small integer arrays."""


class _HasPattern(Protocol):
    @property
    def pattern(self) -> Pattern: ...


Matrix: TypeAlias = "ArrayLike | SparseLike | FrameLike | Pattern | _HasPattern"
"""Types that `Pattern` takes: arrays, nested lists, sparse matrices, DataFrames, an Instance."""


class Pattern:
    """An immutable matrix with entries 1, 0 or * (don't care): rows are queries, columns are keys.

    A 1 says that the query must attend to the key more strongly than to any key where its row has
    a 0. Every row holds at least one 1 (Likhosherstov et al. 2023, Definition 0.1).
    `samapprox.load` reads a pattern from a file, `from_text` from a string.

    Parameters
    ----------
    entries : array_like, scipy sparse matrix, DataFrame, Instance or Pattern, shape (m, n)
        Booleans or numbers equal to 0 or 1; nested lists, arrays of strings and DataFrames may hold
        the string ``"*"`` too. The labels of a DataFrame become names, unless they only count its
        rows or columns.
    care : array_like of 0/1, shape (m, n), optional
        As for `from_array`; for arrays and nested lists only.
    row_names, column_names : sequence of str, optional
        Names to use instead of those that `entries` has.

    Raises
    ------
    InputError
        Another entry, not two-dimensional, ragged, empty, or a row without a 1.

    Attributes
    ----------
    ones : PackedMatrix or SparseMatrix
        The 1 entries; packed if there are don't-cares.
    unspecified : PackedMatrix or None
        The * entries; None if every entry is specified.
    row_names, column_names : tuple of str or None
        Names of the queries and keys (for instance query and document ids).

    Notes
    -----
    Dense patterns take m n / 8 bytes (twice that with don't-care entries); sparse ones are kept by
    their ones alone when that is smaller. Equality and `sha256` do not depend on the storage, nor
    on names.

    Examples
    --------
    >>> pattern = Pattern([[1, 0, 0], [1, 1, 0]])
    >>> pattern
    <Pattern 2 x 3, 3 ones>
    >>> print(pattern.to_text())
    100
    110
    """

    __slots__ = ("_sha256", "column_names", "ones", "row_names", "unspecified")

    def __init__(
        self,
        entries: Matrix,
        care: ArrayLike | None = None,
        *,
        row_names: Sequence[str] | None = None,
        column_names: Sequence[str] | None = None,
    ) -> None:
        read = _convert(entries, care)
        self._set(
            read.ones,
            read.unspecified,
            read.row_names if row_names is None else row_names,
            read.column_names if column_names is None else column_names,
        )

    def _set(
        self,
        ones: PackedMatrix | SparseMatrix,
        unspecified: PackedMatrix | None,
        row_names: Sequence[str] | None,
        column_names: Sequence[str] | None,
    ) -> None:
        if unspecified is not None and ones.is_sparse:
            ones = ones.packed()  # sparse ones mean that all other entries are 0
        self.ones = ones
        self.unspecified = unspecified
        self.row_names = as_names(row_names, self.shape[0], "row")
        self.column_names = as_names(column_names, self.shape[1], "column")
        self._sha256: str | None = None
        self._require_ones()

    # ---------------------------------------------------------------- construction

    @classmethod
    def from_storage(
        cls,
        ones: PackedMatrix | SparseMatrix,
        unspecified: PackedMatrix | None = None,
        row_names: Sequence[str] | None = None,
        column_names: Sequence[str] | None = None,
    ) -> Self:
        """Make a pattern from entries that are stored already, without a copy.

        Parameters
        ----------
        ones : PackedMatrix or SparseMatrix
            The 1 entries, as stored.
        unspecified : PackedMatrix, optional
            Disjoint from `ones`, and not empty.
        row_names, column_names : sequence of str, optional
            Names that messages and pictures show beside the numbers.

        Raises
        ------
        InputError
            A row without a 1, or too many or too few names.

        Examples
        --------
        >>> pattern = Pattern([[1, 0], [1, 1]])
        >>> Pattern.from_storage(pattern.ones) == pattern
        True
        """
        pattern = cls.__new__(cls)
        pattern._set(ones, unspecified, row_names, column_names)
        return pattern

    @classmethod
    def from_array(
        cls,
        entries: ArrayLike,
        care: ArrayLike | None = None,
        *,
        row_names: Sequence[str] | None = None,
        column_names: Sequence[str] | None = None,
    ) -> Self:
        """Make a pattern from a numpy array or nested lists of 0 and 1.

        Parameters
        ----------
        entries : array_like, shape (m, n)
            Booleans or numbers equal to 0 or 1; nested lists, arrays of strings and arrays of
            objects may hold the string ``"*"`` too.
        care : array_like of 0/1, shape (m, n), optional
            0 marks an entry as don't care; what `entries` holds there is ignored.
        row_names, column_names : sequence of str, optional
            Names that messages and pictures show beside the numbers.

        Raises
        ------
        InputError
            Another entry, not two-dimensional, ragged, empty, or a row without a 1.

        Notes
        -----
        One pass over the input in blocks; extra memory m n / 8 bytes (m n / 4 with `care`).

        Examples
        --------
        >>> print(Pattern.from_array([[1, "*"], [0, 1]]).to_text())
        1*
        01
        """
        from samapprox.storage.matrices import pack_array  # files are packed as they are read

        ones, unspecified = pack_array(entries, care)
        return cls.from_storage(ones, unspecified, row_names, column_names)

    @classmethod
    def from_sparse(
        cls,
        matrix: scipy.sparse.sparray | scipy.sparse.spmatrix,
        *,
        row_names: Sequence[str] | None = None,
        column_names: Sequence[str] | None = None,
    ) -> Self:
        """Make a pattern from a scipy sparse matrix of zeros and ones, without densifying.

        Parameters
        ----------
        matrix : scipy.sparse matrix or array, shape (m, n)
            Values must be 0 or 1 (scipy sums the duplicates of coordinate formats first; in
            compressed rows they are an error).

        Raises
        ------
        InputError
            Another value than 0 and 1, indices that do not fit the shape, or a row without a 1.

        Examples
        --------
        >>> import scipy.sparse
        >>> Pattern.from_sparse(scipy.sparse.eye_array(1000000, format="csr"))
        <Pattern 1000000 x 1000000, 1000000 ones>
        """
        if not hasattr(matrix, "tocsr"):
            raise InputError(f"the matrix must be a scipy sparse matrix, not {abridge(matrix)}")
        if matrix.ndim != 2:
            dimensions = f"{matrix.ndim} dimension{'s' * (matrix.ndim != 1)}"
            raise InputError(f"the sparse matrix has {dimensions}; a pattern has 2")
        csr = matrix.tocsr()
        return cls.from_csr(
            csr.indptr,
            csr.indices,
            csr.data,
            csr.shape,
            row_names=row_names,
            column_names=column_names,
        )

    @classmethod
    def from_csr(
        cls,
        indptr: NDArray[np.integer],
        indices: NDArray[np.integer],
        data: NDArray[np.generic] | None,
        shape: tuple[int, int],
        *,
        row_names: Sequence[str] | None = None,
        column_names: Sequence[str] | None = None,
    ) -> Self:
        """Make a pattern from the three arrays of a compressed sparse row matrix.

        Parameters
        ----------
        indptr : ndarray of int, shape (m + 1,)
            Row i has the column indices ``indices[indptr[i]:indptr[i + 1]]``.
        indices : ndarray of int, shape (ones,)
            The columns of the ones, row by row.
        data : ndarray, shape (ones,), or None
            Values 0 or 1; None means all 1.
        shape : (m, n)
            The numbers of rows and columns.

        Raises
        ------
        InputError
            Inconsistent arrays, indices out of range, a coordinate given twice, other values.
        """
        from samapprox.storage.sparse import SparseMatrix  # most patterns are dense

        stored = SparseMatrix.from_csr(indptr, indices, data, shape).compact()
        return cls.from_storage(stored, None, row_names, column_names)

    @classmethod
    def from_text(
        cls,
        text: str,
        *,
        row_names: Sequence[str] | None = None,
        column_names: Sequence[str] | None = None,
    ) -> Self:
        r"""Read lines of ``0``, ``1`` and ``*``, optionally separated by commas or blanks.

        Raises
        ------
        InputError
            Names the line and the column of the first wrong character, or the ragged line.

        Examples
        --------
        >>> Pattern.from_text("1*0\n0 1 1").shape
        (2, 3)
        """
        ones, care = read_text(text)
        return cls.from_array(ones, care, row_names=row_names, column_names=column_names)

    # ---------------------------------------------------------------- facts

    @property
    def shape(self) -> tuple[int, int]:
        """(m, n): number of queries and of keys."""
        return self.ones.shape

    @property
    def size(self) -> int:
        """The number of entries, don't-cares included: m n."""
        return self.shape[0] * self.shape[1]

    @property
    def is_square(self) -> bool:
        """Whether queries and keys can be the same tokens."""
        return self.shape[0] == self.shape[1]

    @property
    def is_specified(self) -> bool:
        """Whether there is no * entry."""
        return self.unspecified is None

    @property
    def row_ones(self) -> NDArray[np.int64]:
        """Number of 1 entries in every row, shape (m,)."""
        return self.ones.row_counts

    @property
    def row_zeros(self) -> NDArray[np.int64]:
        """Number of 0 entries in every row, shape (m,); a row without any is free."""
        zeros = self.shape[1] - self.row_ones
        return zeros if self.unspecified is None else zeros - self.unspecified.row_counts

    @property
    def count(self) -> int:
        """Number of 1 entries."""
        return int(self.row_ones.sum())

    @property
    def density(self) -> float:
        """The share of ones among the specified entries."""
        return self.count / (self.count + int(self.row_zeros.sum()))

    @property
    def sha256(self) -> str:
        """Fingerprint of shape and entries, the same for every storage; names do not count.

        Notes
        -----
        SHA-256 of the text ``samapprox pattern 1``, then m and n, then for the 1 entries and
        again for the * entries: the count of every row and all column indices row by row, each
        number as 8 little-endian bytes. Computed once, on demand. Cost O(m n) for dense patterns,
        O(ones) for sparse ones.
        """
        if self._sha256 is None:
            from samapprox.storage.matrices import fingerprint

            self._sha256 = fingerprint(self.ones, self.unspecified)
        return self._sha256

    def row_label(self, row: int) -> str:
        """Return the row's number, and its name if it has one, as in messages.

        Examples
        --------
        >>> Pattern.from_text("10", row_names=["q7"]).row_label(0)
        "row 0 ('q7')"
        """
        return label("row", row, self.row_names)

    def column_label(self, column: int) -> str:
        """Return the column's number, and its name if it has one, as messages show it."""
        return label("column", column, self.column_names)

    # ---------------------------------------------------------------- views

    def block(self, start: int = 0, stop: int | None = None) -> NDArray[np.int8]:
        """Return rows start..stop as small integers: 1, 0, and -1 for a * entry."""
        entries = self.ones.dense(start, stop).astype(np.int8)
        if self.unspecified is not None:
            entries[self.unspecified.dense(start, stop)] = UNSPECIFIED
        return entries

    def to_array(self) -> NDArray[np.int8]:
        """Return all entries as small integers: 1, 0, and -1 for a * entry; shape (m, n)."""
        check_size(*self.shape)
        return self.block()

    def submatrix(self, rows: Sequence[int], columns: Sequence[int]) -> NDArray[np.int8]:
        """Return the entries at chosen rows and columns: 1, 0, and -1 for a * entry.

        Raises
        ------
        IndexError
            A row or column that the pattern does not have.
        """
        chosen_rows = as_lines(rows, self.shape[0], "row").reshape(-1, 1)
        chosen_columns = as_lines(columns, self.shape[1], "column").reshape(1, -1)
        entries = self.ones.entries(chosen_rows, chosen_columns).view(np.int8)
        if self.unspecified is not None:
            entries[self.unspecified.entries(chosen_rows, chosen_columns)] = UNSPECIFIED
        return entries

    def take(
        self,
        rows: Sequence[int] | NDArray[np.integer],
        columns: Sequence[int] | NDArray[np.integer],
    ) -> Pattern:
        r"""Return the pattern of chosen rows and columns, in the order given, names included.

        `submatrix` gives the same entries as an array; this never writes out what is sparse.

        Parameters
        ----------
        rows : sequence of int
            The rows to take, in this order; a row may occur again.
        columns : sequence of int
            Distinct.

        Returns
        -------
        Pattern
            Sparse where this one is sparse and that takes less memory, else packed.

        Raises
        ------
        InputError
            Nothing is chosen, or a chosen row has no 1 in the chosen columns.
        IndexError
            A row or column that the pattern does not have.
        ValueError
            A column is chosen twice.

        Notes
        -----
        For r rows that hold k ones, and c columns: O(k log c + r) for sparse patterns, whatever
        m and n are, so that taking all parts of a pattern in turn is nearly linear in its ones;
        O(r n / 64 + r c) for packed ones.

        Examples
        --------
        >>> pattern = Pattern.from_text("1*0\n011\n110", column_names=["a", "b", "c"])
        >>> taken = pattern.take([2, 0], [1, 0])
        >>> taken.to_text(), taken.column_names
        ('11\n*1', ('b', 'a'))
        """
        chosen_rows = as_lines(rows, self.shape[0], "row")
        chosen_columns = as_lines(columns, self.shape[1], "column")
        ascending = np.sort(chosen_columns)
        if (ascending[1:] == ascending[:-1]).any():
            raise ValueError("a column is chosen twice")
        check_size(len(chosen_rows), len(chosen_columns), stored_densely=False)
        taken = self.ones.take(chosen_rows, chosen_columns)
        unspecified = None
        if self.unspecified is not None:
            unspecified = self.unspecified.take(chosen_rows, chosen_columns).nonempty()
        return Pattern.from_storage(
            taken.compact() if taken.is_sparse else taken,
            unspecified,
            choose_names(self.row_names, chosen_rows),
            choose_names(self.column_names, chosen_columns),
        )

    def to_text(self) -> str:
        """Write lines of 0, 1 and *, as `from_text` reads them."""
        return write_text(self.to_array())

    def to_sparse(self) -> scipy.sparse.csr_array:
        """Return the 1 entries as a scipy compressed sparse row array of int8.

        Raises
        ------
        InputError
            The pattern has don't-care entries.
        """
        import scipy.sparse

        if self.unspecified is not None:
            raise InputError("a sparse matrix cannot hold don't-care entries; use to_array")
        indices = np.concatenate(list(self.ones.indices()))
        indptr = np.concatenate(([0], np.cumsum(self.row_ones)))
        data = np.ones(len(indices), dtype=np.int8)
        return scipy.sparse.csr_array((data, indices, indptr), shape=self.shape)

    def causal(self) -> Pattern:
        r"""Return the pattern under causal attention: every entry above the diagonal becomes *.

        Raises
        ------
        InputError
            Not square, too large to store densely, or a row with no 1 on or below the diagonal.

        Examples
        --------
        >>> print(Pattern.from_text("11\n01").causal().to_text())
        1*
        01
        """
        if not self.is_square:
            raise InputError(
                f"causal attention needs as many queries as keys, not {_size(self.shape)}"
            )
        from samapprox.storage.matrices import drop_later

        check_size(*self.shape)
        ones, unspecified = drop_later(self.ones, self.unspecified)
        return Pattern.from_storage(ones, unspecified, self.row_names, self.column_names)

    # ---------------------------------------------------------------- dunder

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Pattern):
            return NotImplemented
        if self is other:  # no need for the fingerprint, which costs more than many decisions
            return True
        return self.shape == other.shape and self.sha256 == other.sha256

    def __hash__(self) -> int:
        return hash(self.sha256)

    def __repr__(self) -> str:
        stars = "" if self.unspecified is None else f", {self.unspecified.row_counts.sum()} free"
        ones = f"{self.count} one{'s' * (self.count != 1)}"
        return f"<{type(self).__name__} {_size(self.shape)}, {ones}{stars}>"

    def _require_ones(self) -> None:
        empty = np.flatnonzero(self.row_ones == 0)
        if empty.size:
            others = empty.size - 1
            more = f" (nor have {others} other rows)" if others > 1 else ""
            more = " (nor has 1 other row)" if others == 1 else more
            raise InputError(
                f"{self.row_label(int(empty[0]))} has no 1{more}: every query must attend to "
                "at least one key; drop the row or give it a 1 (`samapprox rank` takes such rows)"
            )


def _convert(entries: Matrix, care: ArrayLike | None) -> Pattern:
    """Convert any accepted input to a pattern; its kind is known by its methods.

    Neither scipy nor pandas is imported to ask; arrays come first, since to ask takes a while.
    """
    if isinstance(entries, np.ndarray):
        return Pattern.from_array(entries, care)
    held = getattr(entries, "pattern", entries)  # an Instance or a Problem
    if isinstance(held, Pattern):
        converted = held
    elif isinstance(entries, SparseLike):
        converted = Pattern.from_sparse(entries)
    elif isinstance(entries, FrameLike):
        return _from_frame(entries, care)
    else:
        return Pattern.from_array(cast(ArrayLike, entries), care)
    if care is not None:
        raise InputError(f"care is for arrays and nested lists, not for a {type(entries).__name__}")
    return converted


def _from_frame(frame: FrameLike, care: ArrayLike | None) -> Pattern:
    return Pattern.from_array(
        frame.to_numpy(),  # of objects, where columns have several types
        care,
        row_names=names_of_labels(frame.index),
        column_names=names_of_labels(frame.columns),
    )


def _size(shape: tuple[int, int]) -> str:
    return f"{shape[0]} x {shape[1]}"
