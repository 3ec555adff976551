"""Functions on stored matrices of any kind: packing, coordinates, the causal view, fingerprints."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from samapprox.errors import InputError
from samapprox.storage import PackedMatrix
from samapprox.storage.entries import as_matrix, check_size, from_characters, zero_one_bytes

if TYPE_CHECKING:
    from samapprox.storage.sparse import SparseMatrix


def pack_array(
    entries: ArrayLike, care: ArrayLike | None = None
) -> tuple[PackedMatrix, PackedMatrix | None]:
    """Pack a matrix of 0, 1 and *.

    `entries`, `care`: as for `samapprox.Pattern.from_array`. `ones, unspecified`: the 1 entries and
    the * entries; `unspecified` is None if there are none. Raises InputError: another entry, not
    two-dimensional, ragged, or empty.

    One pass over the input in blocks; extra memory m n / 8 bytes (m n / 4 with `care`).

    >>> ones, unspecified = pack_array([[1, "*"], [0, 1]])
    >>> ones.row_counts.tolist(), unspecified.row_counts.tolist()
    ([1, 1], [1, 0])
    """
    array = as_matrix(entries, kinds="biufUSO")
    if array.dtype.kind in "USO":
        array, care = from_characters(array)
    rows, columns = array.shape
    check_size(rows, columns)
    unspecified = None if care is None else _pack_stars(care, array.shape)

    def read(start: int, stop: int) -> NDArray[np.uint8]:
        block = array[start:stop]
        if unspecified is not None:
            block = np.where(unspecified.dense(start, stop), 0, block)
        return zero_one_bytes(block, start)

    ones = PackedMatrix.from_blocks(rows, columns, read, in_any_order=True)
    return ones, None if unspecified is None else unspecified.nonempty()


def _pack_stars(care: ArrayLike, shape: tuple[int, ...]) -> PackedMatrix:
    """Pack the zeros of a care mask."""
    mask = as_matrix(care, "care")
    if mask.shape != shape:
        raise InputError(f"care has shape {mask.shape} but the entries have {shape}")
    rows, columns = mask.shape
    return PackedMatrix.from_blocks(
        rows,
        columns,
        lambda start, stop: 1 - zero_one_bytes(mask[start:stop], start, "care entry"),
    )


def drop_later(
    ones: PackedMatrix | SparseMatrix, unspecified: PackedMatrix | None
) -> tuple[PackedMatrix, PackedMatrix | None]:
    r"""Turn every entry above the diagonal into *.

    `ones`: square. `unspecified`: the * entries. `ones, unspecified`: `unspecified` is None if
    there are no * entries.

    Cost O(m n), in blocks.

    >>> from samapprox import Pattern
    >>> ones, unspecified = drop_later(Pattern.from_text("11\n01").ones, None)
    >>> ones.row_counts.tolist(), unspecified.row_counts.tolist()
    ([1, 1], [1, 0])
    """
    rows, columns = ones.shape

    def later(start: int, stop: int) -> NDArray[np.bool_]:
        return np.arange(columns) > np.arange(start, min(stop, rows))[:, None]

    def read_ones(start: int, stop: int) -> NDArray[np.uint8]:
        return (ones.dense(start, stop) & ~later(start, stop)).view(np.uint8)

    def read_unspecified(start: int, stop: int) -> NDArray[np.uint8]:
        above = later(start, stop)
        if unspecified is not None:
            above |= unspecified.dense(start, stop)
        return above.view(np.uint8)

    kept = PackedMatrix.from_blocks(rows, columns, read_ones)
    return kept, PackedMatrix.from_blocks(rows, columns, read_unspecified).nonempty()


def coordinates(matrix: PackedMatrix | SparseMatrix) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    r"""Return rows and columns of all 1 entries, row-major.

    >>> from samapprox import Pattern
    >>> [indices.tolist() for indices in coordinates(Pattern.from_text("01\n11").ones)]
    [[0, 1, 1], [1, 0, 1]]
    """
    counts = matrix.row_counts
    columns = np.empty(int(counts.sum()), dtype=np.int64)
    filled = 0
    for indices in matrix.indices():
        columns[filled : filled + len(indices)] = indices
        filled += len(indices)
    return np.repeat(np.arange(len(counts)), counts), columns


def distinct_rows(
    ones: PackedMatrix | SparseMatrix, unspecified: PackedMatrix | None = None
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Find the first row of each class of equal rows, in order, and the class of each row.

    `unspecified`: don't-cares, which count as a third value.

    Rows are looked up by their content in a hash table: O(ones + m) for sparse rows, O(m n / 64)
    for packed ones. Many sparse rows are compared by sums of random numbers first.

    >>> matrix = PackedMatrix(np.array([[1], [3], [1]], dtype="<u8"), 2)
    >>> [numbers.tolist() for numbers in distinct_rows(matrix)]
    [[0, 1], [0, 1, 0]]
    """
    if unspecified is None and ones.is_sparse and ones.shape[0] >= _MANY_ROWS:
        equal = _find_equal_rows(ones)
        if equal is not None:
            is_first = equal == np.arange(len(equal))
            return np.flatnonzero(is_first), (np.cumsum(is_first) - 1)[equal]
    number: dict[object, int] = {}
    keys = ones.row_keys()
    both = keys if unspecified is None else zip(unspecified.row_keys(), keys, strict=True)
    class_of = np.fromiter((number.setdefault(key, len(number)) for key in both), dtype=np.int64)
    first = np.flatnonzero(np.diff(np.maximum.accumulate(class_of), prepend=-1))
    return first, class_of


_MANY_ROWS = 10_000  # from which on vectors of sums are faster than a table of rows


def _find_equal_rows(matrix: SparseMatrix) -> NDArray[np.int64] | None:
    """Find for each row the first row that is equal to it.

    Each column has a random number. Rows with equal sums are compared entry by entry; None if any
    of them differ.
    """
    numbers = np.random.default_rng(0).integers(1 << 62, size=matrix.columns)
    sums = np.zeros(matrix.shape[0], dtype=np.int64)
    for start, stop, _, columns in matrix.blocks_of_ones():
        counts = matrix.row_counts[start:stop]
        held = np.flatnonzero(counts)
        if held.size:
            sums[start + held] = np.add.reduceat(
                numbers[columns], (np.cumsum(counts) - counts)[held]
            )
    _, first, place = np.unique(sums, return_index=True, return_inverse=True)
    equal = first[place]
    later = np.flatnonzero(equal != np.arange(len(equal)))
    found, expected = matrix.take(later), matrix.take(equal[later])
    if not np.array_equal(found.indptr, expected.indptr):
        return None
    return equal if all(map(np.array_equal, found.indices(), expected.indices())) else None


def is_among(columns: NDArray[np.int64], ascending: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Mark the columns that are among some ascending ones, by binary search.

    >>> is_among(np.array([3, 0, 5]), np.array([1, 3]))
    array([ True, False, False])
    """
    found = np.searchsorted(ascending, columns)
    inside = found < len(ascending)
    inside[inside] = ascending[found[inside]] == columns[inside]
    return inside


def fingerprint(ones: PackedMatrix | SparseMatrix, unspecified: PackedMatrix | None) -> str:
    r"""Return the SHA-256 of shape and entries, in hexadecimal digits.

    `unspecified`: the * entries.

    `samapprox.Pattern.sha256` says what is hashed, and at which cost.

    >>> from samapprox import Pattern
    >>> pattern = Pattern.from_text("1*\n01")
    >>> fingerprint(pattern.ones, pattern.unspecified) == pattern.sha256
    True
    """
    import hashlib  # loads OpenSSL, which most decisions do without

    digest = hashlib.sha256(b"samapprox pattern 1")
    digest.update(np.array(ones.shape, dtype="<i8").tobytes())
    for matrix in (ones, unspecified):
        if matrix is None:
            digest.update(bytes(8 * ones.shape[0]))
            continue
        digest.update(matrix.row_counts.astype("<i8").tobytes())
        for indices in matrix.indices():
            digest.update(indices.astype("<i8").tobytes())
    return digest.hexdigest()
