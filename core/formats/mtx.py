"""Matrix Market files of zeros and ones."""

from __future__ import annotations

from typing import BinaryIO

from samapprox.errors import InputError
from samapprox.formats.text import refuse_key
from samapprox.instance import Instance
from samapprox.pattern import Pattern

__all__ = ["read"]

_SHORTEST_ENTRY = 2  # bytes: a digit and the end of its line


def read(stream: BinaryIO, key: str | None) -> Instance:
    """Read a coordinate or array file with scipy, once its size line is believable.

    Raises
    ------
    InputError
    """
    import scipy.io

    refuse_key(key)
    _require_plausible_size(stream)
    stream.seek(0)
    try:
        matrix = scipy.io.mmread(stream)
    except (ValueError, OverflowError, TypeError) as error:
        raise InputError(f"not a readable Matrix Market file: {error}") from None
    if hasattr(matrix, "tocsr"):
        return Instance(Pattern.from_sparse(matrix))
    return Instance(Pattern.from_array(matrix))


def _require_plausible_size(stream: BinaryIO) -> None:
    """Refuse a size line that claims more than the file can hold, before scipy allocates it."""
    size = stream.seek(0, 2)
    stream.seek(0)
    header = stream.readline(1 << 10).decode("ascii", "replace").lower().split()
    dense = "array" in header
    line = b"%"
    while line.startswith(b"%") or (line and not line.strip()):
        line = stream.readline(1 << 16)
    try:
        rows, columns, *stored = (int(part) for part in line.split())
    except ValueError:
        raise InputError("damaged: the Matrix Market file has no line of sizes") from None
    entries = rows * columns if dense else sum(stored)
    half = 2 if "symmetric" in header else 1
    if (
        min(rows, columns) < 0
        or entries < 0
        or entries * _SHORTEST_ENTRY > half * (size + 2 * rows)
        or (not dense and rows > half * entries)
    ):
        raise InputError(
            f"a {rows} x {columns} Matrix Market file with {entries} entries cannot be right for "
            f"a file of {size} bytes and a 1 in every row"
        )
