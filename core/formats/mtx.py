"""Matrix Market files of zeros and ones.

Read here and not by scipy, whose reader crashes the process on some damaged files.
"""

from __future__ import annotations

from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from samapprox.errors import InputError
from samapprox.formats.text import decode_text, refuse_key
from samapprox.instance import Instance
from samapprox.pattern import Pattern
from samapprox.storage.entries import check_size
from samapprox.storage.sparse import rows_of_coordinates
from samapprox.support.text import plural

_BEYOND = 2.0**53  # from here on, float64 does not hold every whole number
_FIELDS = ("pattern", "integer", "real", "double", "unsigned-integer")


def read(stream: BinaryIO, key: str | None) -> Instance:
    """Read a coordinate or array file, general or symmetric.

    Boisvert, Pozo, Remington (1996), "The Matrix Market Exchange Formats".
    """
    refuse_key(key)
    head, _, body = decode_text(stream).partition("\n")
    words = head.lower().split()
    if len(words) != 5 or words[1] != "matrix" or words[2] not in ("array", "coordinate"):
        raise InputError("not a Matrix Market file: its first line is not a Matrix Market header")
    _, _, layout, field, symmetry = words
    if field not in _FIELDS or symmetry not in ("general", "symmetric"):
        raise InputError(f"a {field} {symmetry} Matrix Market file cannot hold a pattern")
    lines = [line for line in body.split("\n") if line.strip() and not line.startswith("%")]
    numbers = _numbers(lines)
    width = 2 if layout == "array" else 3
    if len(numbers) < width:
        raise InputError("damaged: the Matrix Market file has no size line")
    if not _are_counts(numbers[:width]):
        given = " ".join(f"{size:g}" for size in numbers[:width])
        raise InputError(f"damaged: sizes are whole numbers from 0 and below 2^53, not {given}")
    sizes = [int(size) for size in numbers[:width]]
    values = numbers[width:]
    if layout == "array":
        return Instance(_dense(values, sizes[0], sizes[1], symmetry == "symmetric"))
    with_values = field != "pattern"
    if len(values) != sizes[2] * (2 + with_values):
        raise InputError(
            f"damaged: the sizes say {plural(sizes[2], 'entry')}, but "
            f"{plural(len(lines) - 1, 'line')} of entries are there"
        )
    return Instance(
        _sparse(values.reshape(-1, 2 + with_values), sizes[0], sizes[1], symmetry == "symmetric")
    )


def _numbers(lines: list[str]) -> NDArray[np.float64]:
    """Read all numbers of the file."""
    try:
        return np.array(" ".join(lines).split(), dtype=np.float64)
    except ValueError as error:
        raise InputError(f"not a readable Matrix Market file: {error}") from None


def _are_counts(numbers: NDArray[np.float64]) -> bool:
    """Return whether all are whole numbers that float64 holds exactly, none below 0; nan is not."""
    return bool(((numbers >= 0) & (numbers < _BEYOND) & (numbers == np.floor(numbers))).all())


def _dense(values: NDArray[np.float64], rows: int, columns: int, symmetric: bool) -> Pattern:
    check_size(rows, columns)
    wanted = rows * (rows + 1) // 2 if symmetric else rows * columns
    if len(values) != wanted or (symmetric and rows != columns):
        raise InputError(f"damaged: a {rows} x {columns} matrix, but {len(values)} values")
    if not symmetric:
        return Pattern.from_array(values.reshape(columns, rows).T)
    matrix = np.zeros((rows, rows))
    matrix.T[np.triu_indices(rows)] = values  # columns of the lower triangle, one after another
    return Pattern.from_array(np.maximum(matrix, matrix.T))


def _sparse(entries: NDArray[np.float64], rows: int, columns: int, symmetric: bool) -> Pattern:
    check_size(rows, columns, stored_densely=False)
    given = entries[:, :2]
    inside = (given >= 1) & (given <= [rows, columns]) & (given == np.floor(given))  # nor nan
    if not inside.all():
        raise InputError(f"entry {int(inside.all(axis=1).argmin())} lies outside the matrix")
    places = given.astype(np.int64) - 1
    values = entries[:, 2] if entries.shape[1] == 3 else np.ones(len(entries))
    if symmetric:
        mirrored = places[:, 0] != places[:, 1]
        places = np.concatenate([places, places[mirrored, ::-1]])
        values = np.concatenate([values, values[mirrored]])
    csr = rows_of_coordinates(places[:, 0], places[:, 1], values, rows)
    return Pattern.from_csr(*csr, (rows, columns))
