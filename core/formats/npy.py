"""One matrix, or a stack of them, as numpy's npy."""

from __future__ import annotations

from typing import IO, BinaryIO

import numpy as np

from samapprox.errors import InputError
from samapprox.formats.arrays import Key, StoredArray, open_array
from samapprox.instance import Instance
from samapprox.pattern import Pattern
from samapprox.storage.entries import check_size, zero_one_bytes
from samapprox.storage.packed import PackedMatrix, block_height
from samapprox.storage.sparse import SparseMatrix

__all__ = ["pack", "read", "write", "write_matrix"]


def read(stream: BinaryIO, key: str | None) -> Instance:
    """Read an npy file; a key like ``[3]`` picks from a stack."""
    wanted = Key.parse(key)
    if wanted.name:
        raise InputError(f"an npy file has one array without a name; drop {wanted.name!r}")
    with open_array(stream) as stored:
        if stored.dtype.kind in "US":
            return Instance(Pattern.from_array(stored.read()))
        return Instance(Pattern.from_storage(pack(stored, wanted.index)))


def write(instance: Instance, stream: BinaryIO) -> None:
    """Write the entries as uint8.

    Raises InputError: the pattern has don't-care entries.
    """
    pattern = instance.pattern
    if not pattern.is_specified:
        raise InputError("npy cannot hold don't-care entries; write .npz, .csv or .txt")
    write_matrix(pattern.ones, stream)


def write_matrix(matrix: PackedMatrix | SparseMatrix, stream: IO[bytes]) -> None:
    """Write a 0/1 matrix as an npy of uint8, block by block."""
    header = {"descr": "|u1", "fortran_order": False, "shape": matrix.shape}
    np.lib.format.write_array_header_1_0(stream, header)
    step = block_height(matrix.shape[1])
    for start in range(0, matrix.shape[0], step):
        stream.write(matrix.dense(start, start + step).tobytes())


def pack(stored: StoredArray, index: tuple[int, ...], what: str = "entry") -> PackedMatrix:
    """Pack a stored matrix of 0 and 1 while it is read.

    `index`: the matrix of a stack. `what`: the name of an entry in messages.
    """
    with stored.matrix(index) as rows:
        height, width = stored.shape[-2:]
        check_size(height, width)
        return PackedMatrix.from_blocks(
            height,
            width,
            lambda start, stop: zero_one_bytes(rows(start, stop), start, what),
        )
