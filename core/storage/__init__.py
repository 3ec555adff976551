"""Entries of patterns in memory: bit-packed 0/1 matrices, 64 columns a word.

Modules hold sparse rows, and the checks of users' input.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from samapprox.support.packages import lazy_modules

_BLOCK_BYTES = 1 << 18  # bytes that one step of a blocked loop touches: they stay in a core's cache
_SHARED_BLOCK_BYTES = 1 << 20  # the same where threads take turns: fewer, longer steps


def block_height(bytes_a_row: int) -> int:
    """Return the number of rows that one step of a blocked loop takes (at least one)."""
    return max(1, _BLOCK_BYTES // max(1, bytes_a_row))


def _pack_rows(block: NDArray[np.uint8], out: NDArray[np.uint8]) -> None:
    """Pack a C-contiguous block of 0/1 bytes into the leading bytes of `out`'s rows."""
    rows, columns = block.shape
    if columns % 8 == 0:  # one flat run is twice as fast as packing row by row
        packed = np.packbits(block.reshape(-1), bitorder="little").reshape(rows, -1)
    else:
        packed = np.packbits(block, axis=1, bitorder="little")
    out[:, : packed.shape[1]] = packed


class PackedMatrix:
    """An immutable 0/1 matrix in words of 64 columns.

    Bit ``j % 64`` of ``words[i, j // 64]`` is entry (i, j); the bits past the last column are 0.

    `columns`: n.
    """

    __slots__ = ("_row_counts", "columns", "words")

    is_sparse: ClassVar[Literal[False]] = False
    """Whether only the ones are stored."""

    def __init__(self, words: NDArray[np.uint64], columns: int) -> None:
        words.flags.writeable = False
        self.words = words
        self.columns = columns
        self._row_counts: NDArray[np.int64] | None = None

    @classmethod
    def from_blocks(
        cls,
        rows: int,
        columns: int,
        read: Callable[[int, int], NDArray[np.uint8]],
        *,
        in_any_order: bool = False,
    ) -> PackedMatrix:
        """Pack a matrix that is read block by block, so that it never stands in memory whole.

        `read`: ``read(start, stop)`` gives rows start..stop as 0/1 bytes. `in_any_order`: whether
        `read` may be called from several threads, for any rows; else it is called in ascending
        order.
        """
        words = np.zeros((rows, (columns + 63) // 64), dtype="<u8")
        out = words.view(np.uint8)

        def pack(first: int, last: int) -> None:
            step = max(1, _SHARED_BLOCK_BYTES // columns)
            for start in range(first, last, step):
                stop = min(last, start + step)
                _pack_rows(np.ascontiguousarray(read(start, stop)), out[start:stop])

        if in_any_order:
            from samapprox.support.parallel import share_rows  # files are read in order

            share_rows(rows, pack, bytes_touched=rows * columns)
        else:
            pack(0, rows)
        return cls(words, columns)

    @property
    def shape(self) -> tuple[int, int]:
        """(m, n)."""
        return self.words.shape[0], self.columns

    @property
    def nbytes(self) -> int:
        """Memory of the stored bits."""
        return self.words.nbytes

    @property
    def row_counts(self) -> NDArray[np.int64]:
        """Number of 1 entries in every row, shape (m,)."""
        if self._row_counts is None:
            self._row_counts = self._popcounts(None)
            self._row_counts.flags.writeable = False
        return self._row_counts

    def nonempty(self) -> PackedMatrix | None:
        """Return this matrix, or None if it has no 1 entry."""
        return self if self.row_counts.any() else None

    def intersections(self, row: int) -> NDArray[np.int64]:
        """Count the 1 entries that every row shares with `row`, shape (m,)."""
        return self._popcounts(self.words[row])

    def prefix_counts(
        self, order: NDArray[np.int64], lengths: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """Count the 1 entries of row i among the first lengths[i] columns of `order`.

        `order`: a permutation of the columns.

        Rows are visited by length, so that each block's masks grow out of one another:
        O(m n / 64 + n) word operations.
        """
        counts = np.empty(len(lengths), dtype=np.int64)
        by_length = np.argsort(lengths, kind="stable")
        step = block_height(8 * self.words.shape[1])
        reached = 0  # columns of `order` that the running mask holds
        running = np.zeros(self.words.shape[1], dtype="<u8")
        for start in range(0, len(by_length), step):
            rows = by_length[start : start + step]
            masks = _growing_masks(running, order[reached:], lengths[rows] - reached)
            reached, running = int(lengths[rows[-1]]), masks[-1].copy()
            masks &= self.words[rows]
            counts[rows] = np.bitwise_count(masks).sum(axis=1, dtype=np.int64)
        return counts

    def entries(
        self, rows: NDArray[np.int64] | int, columns: NDArray[np.int64] | int
    ) -> NDArray[np.bool_]:
        """Return the entries at the broadcast (rows, columns)."""
        columns = np.asarray(columns, dtype=np.int64)
        word = self.words[rows, columns >> 6]
        bit = (columns & 63).astype(np.uint64)
        return np.asarray(word >> bit & np.uint64(1), dtype=np.bool_)

    def dense(self, start: int = 0, stop: int | None = None) -> NDArray[np.bool_]:
        """Unpack rows start..stop, shape (stop - start, n)."""
        packed = self.words[start:stop].view(np.uint8)
        bits = np.unpackbits(packed, axis=1, count=self.columns, bitorder="little")
        return bits.view(np.bool_)

    def row_keys(self) -> Iterator[bytes]:
        """Yield every row as bytes: equal for equal rows, and for these alone."""
        width = 8 * self.words.shape[1]
        step = block_height(width)
        for start in range(0, len(self.words), step):
            content = self.words[start : start + step].tobytes()
            yield from (content[at : at + width] for at in range(0, len(content), width))

    def complement_rows(
        self, rows: NDArray[np.bool_], unspecified: PackedMatrix | None = None
    ) -> PackedMatrix:
        """Complement the rows chosen by a mask, but keep 0 where `unspecified` is 1.

        >>> matrix = PackedMatrix(np.array([[0b101], [0b010]], dtype="<u8"), 3)
        >>> matrix.complement_rows(np.array([True, False])).dense().astype(int)
        array([[0, 1, 0],
               [0, 1, 0]])
        """
        if not rows.any():
            return self
        words = self.words.copy()
        words[rows] = ~words[rows]
        if self.columns % 64:
            words[rows, -1] &= np.uint64((1 << self.columns % 64) - 1)
        if unspecified is not None:
            words[rows] &= ~unspecified.words[rows]
        return PackedMatrix(words, self.columns)

    def take(
        self, rows: NDArray[np.int64], columns: NDArray[np.int64] | None = None
    ) -> PackedMatrix:
        """Return the submatrix of these rows and columns, in their order.

        `columns`: all of them by default.

        Cost O(r n / 64 + r c) for r rows and c columns.

        >>> matrix = PackedMatrix(np.array([[0b101], [0b010]], dtype="<u8"), 3)
        >>> matrix.take(np.array([1, 0]), np.array([2, 1])).dense().astype(int)
        array([[0, 1],
               [1, 0]])
        """
        if columns is None:
            return PackedMatrix(self.words[rows], self.columns)
        packed = self.words.view(np.uint8)
        byte, bit = columns >> 3, (columns & 7).astype(np.uint8)

        def read(start: int, stop: int) -> NDArray[np.uint8]:
            return np.take(packed[rows[start:stop]], byte, axis=1) >> bit & np.uint8(1)

        return PackedMatrix.from_blocks(len(rows), len(columns), read, in_any_order=True)

    def transposed(self) -> PackedMatrix:
        """Return the same entries with rows and columns exchanged. Cost O(m n)."""
        rows, columns = self.shape
        words = np.zeros((columns, (rows + 63) // 64), dtype="<u8")
        out = words.view(np.uint8)
        step = 64 * max(1, block_height(columns) // 64)
        for start in range(0, rows, step):
            block = np.ascontiguousarray(self.dense(start, start + step).T).view(np.uint8)
            _pack_rows(block, out[:, start // 8 :])
        return PackedMatrix(words, rows)

    def blocks(self) -> Iterator[tuple[int, NDArray[np.bool_]]]:
        """Yield (first row, unpacked rows), block by block."""
        step = block_height(self.columns)
        for start in range(0, self.shape[0], step):
            yield start, self.dense(start, start + step)

    def indices(self) -> Iterator[NDArray[np.int64]]:
        """Yield the column indices of the 1 entries, row-major, block by block."""
        for _, block in self.blocks():
            yield np.nonzero(block)[1]

    def _popcounts(self, mask: NDArray[np.uint64] | None) -> NDArray[np.int64]:
        """Count the 1 entries of every row, within a mask of columns if one is given."""
        rows, width = self.words.shape
        counts = np.empty(rows, dtype=np.int64)
        step = block_height(8 * width)
        for start in range(0, rows, step):
            block = self.words[start : start + step]
            inside = block if mask is None else block & mask
            np.bitwise_count(inside).sum(axis=1, dtype=np.int64, out=counts[start : start + step])
        return counts


def _growing_masks(
    first: NDArray[np.uint64], order: NDArray[np.int64], lengths: NDArray[np.int64]
) -> NDArray[np.uint64]:
    """One mask a length (ascending): `first` and the bits of that many columns of `order`."""
    masks = np.zeros((len(lengths), len(first)), dtype="<u8")
    masks[0] = first
    columns = order[: lengths[-1]]
    # A column enters with the first mask that is long enough; later ones inherit it.
    entry = np.searchsorted(lengths, np.arange(len(columns)), side="right")
    bits = np.uint64(1) << (columns % 64).astype(np.uint64)
    np.bitwise_or.at(masks, (entry, columns // 64), bits)
    np.bitwise_or.accumulate(masks, axis=0, out=masks)
    return masks


__getattr__, __dir__ = lazy_modules(__name__)
