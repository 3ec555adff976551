"""One matrix, or a stack of them, as numpy's npy."""

from __future__ import annotations

from typing import BinaryIO

from samapprox.errors import InputError
from samapprox.formats.arrays import Key, open_array, pack, write_matrix
from samapprox.instance import Instance
from samapprox.pattern import Pattern


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
