"""Sign matrices: entries + and -, 1 and -1, or 1 and 0, besides *."""

from __future__ import annotations

import os
import re
from typing import Any, BinaryIO, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from samapprox.errors import InputError
from samapprox.formats.arrays import Key, StoredArray, open_archive, open_array
from samapprox.formats.files import PatternLike, Source, load_instance, recognize
from samapprox.formats.known_formats import Format, format_named
from samapprox.formats.npz import choose_array
from samapprox.formats.text import decode_text, refuse_key
from samapprox.instance import Instance
from samapprox.pattern import Pattern
from samapprox.sign_matrix import SignMatrix
from samapprox.storage.entries import as_matrix, check_size
from samapprox.storage.foreign import FrameLike, SparseLike, names_of_labels

__all__ = ["as_sign_matrix"]

_SIGN_TEXT = re.compile(rb"(\s*(#[^\n]*)?\n)*[-+01*,;.\s]+(\n|$)")
"""The head of a text file whose first row holds signs."""

_CELLS = {"+": "1", "-": "0", "+1": "1", "-1": "0", "+1.0": "1", "-1.0": "0"}
_SEPARATORS = re.compile(r"[,;\s]+")

_RULE = "signs are + and -, 1 and -1, or 1 and 0; * is don't care"


def as_sign_matrix(
    entries: PatternLike,
    *,
    format: str | None = None,
    key: str | None = None,
) -> SignMatrix:
    r"""Convert any accepted input to a sign matrix; a row may lack a 1.

    Parameters
    ----------
    entries : path, "-" for standard input, a binary file, array_like, or what `Pattern` takes
        With entries + and -, 1 and -1, or 1 and 0; "*" is don't care.
    format, key : str, optional
        For files, as in `samapprox.load`.

    Raises
    ------
    InputError
        The file cannot be read, or the entries are no signs; one line that names the place.

    Examples
    --------
    >>> as_sign_matrix([[1, -1], [-1, -1]]).to_text()
    '10\n00'
    >>> import io
    >>> as_sign_matrix(io.BytesIO(b"+-*\n---\n")).to_text()
    '10*\n000'
    """
    if isinstance(entries, str | os.PathLike) or hasattr(entries, "read"):
        return _read(cast(Source, entries), format, key)
    if format is not None or key is not None:
        raise InputError(f"format and key are for files, not for a {type(entries).__name__}")
    held = getattr(entries, "pattern", entries)
    if isinstance(held, SignMatrix):
        return held
    if isinstance(held, Pattern):
        return _copy(held)
    if isinstance(entries, FrameLike) and not isinstance(entries, SparseLike):
        names = {
            "row_names": names_of_labels(entries.index),
            "column_names": names_of_labels(entries.columns),
        }
        return _from_array(entries.to_numpy(), **names)
    if isinstance(entries, SparseLike):
        return SignMatrix.from_sparse(entries)
    return _from_array(cast(ArrayLike, entries))


def _copy(pattern: Pattern) -> SignMatrix:
    """Return the entries of a pattern as a sign matrix."""
    names = pattern.row_names, pattern.column_names
    return SignMatrix.from_storage(pattern.ones, pattern.unspecified, *names)


# ---------------------------------------------------------------- files


def _read(source: Source, format: str | None, key: str | None) -> SignMatrix:
    with recognize(source, format) as (chosen, stream):
        if format is None and not chosen.magic:
            head = stream.read(1 << 12)
            stream.seek(0)
            if _SIGN_TEXT.match(head.removeprefix(b"\xef\xbb\xbf")):
                chosen = format_named("text")
        return _read_format(chosen, stream, key)


def _read_format(chosen: Format, stream: BinaryIO, key: str | None) -> SignMatrix:
    if chosen.name == "text":
        refuse_key(key)
        return SignMatrix.from_text(_replace_signs(decode_text(stream)))
    if chosen.name == "npy":
        with open_array(stream) as stored:
            return _from_array(_matrix_of(stored, Key.parse(key)))
    if chosen.name == "npz":
        matrix = _read_archive(stream, key)
        if matrix is not None:
            return matrix
        stream.seek(0)
    instance: Instance = load_instance(stream, format=chosen.name, key=key)
    return _copy(instance.pattern)


def _read_archive(stream: BinaryIO, key: str | None) -> SignMatrix | None:
    """Read a dense array and its care mask; None for the layout of scipy.sparse.save_npz."""
    with open_archive(stream) as archive:
        if key is None and "S" not in archive and "format" in archive:
            return None
        chosen = choose_array(archive, Key.parse(key))
        with archive.open(chosen.name) as stored:
            entries = _matrix_of(stored, chosen)
        care = None
        if "care" in archive and chosen.name != "care":
            with archive.open("care") as stored:
                care = _matrix_of(stored, chosen if stored.ndim > 2 else Key("care", ()))
        return _from_array(entries, care)


def _matrix_of(stored: StoredArray, key: Key) -> NDArray[Any]:
    """Read one matrix of a stored array."""
    stored.require_reasonable_size()
    with stored.matrix(key.index) as rows:
        return rows(0, stored.shape[-2])


def _replace_signs(text: str) -> str:
    """Write + as 1 and - as 0, and likewise 1 and -1, line by line."""
    lines = text.split("\n")
    cells = [
        [] if line.lstrip().startswith("#") else _SEPARATORS.split(line.strip()) for line in lines
    ]
    found = {cell for row in cells for cell in row}
    if "-1" in found and "0" in found:
        raise InputError(f"the file holds both -1 and 0; {_RULE}")
    return "\n".join(
        line if not row else _replace_in_row(row) for line, row in zip(lines, cells, strict=True)
    )


def _replace_in_row(cells: list[str]) -> str:
    if len(cells) == 1 and cells[0] not in _CELLS:
        return cells[0].replace("+", "1").replace("-", "0")
    return " ".join(_CELLS.get(cell, cell) for cell in cells)


# ---------------------------------------------------------------- arrays


def _from_array(
    entries: ArrayLike,
    care: ArrayLike | None = None,
    *,
    row_names: list[str] | None = None,
    column_names: list[str] | None = None,
) -> SignMatrix:
    array = as_matrix(entries, "the matrix", kinds="biufUSO")
    check_size(*array.shape)
    if array.dtype.kind in "USO":
        signs = [_sign(value) for value in array.flat]
        array = np.array([*signs, None], dtype=object)[:-1].reshape(array.shape)
        negative = array == "-1"
    else:
        negative = array == -1
    if negative.any():
        if (zeros := np.argwhere((array == 0) | (array == "0"))).size:
            row, column = zeros[0]
            raise InputError(
                f"entry at row {row}, column {column} is 0, but others are -1; {_RULE}"
            )
        array = np.where(negative, 0, array)
    return SignMatrix.from_array(array, care, row_names=row_names, column_names=column_names)


def _sign(value: object) -> object:
    """Return an entry of an array of objects or text in the terms of `Pattern.from_array`."""
    if isinstance(value, bytes):
        value = value.decode("latin-1")
    if isinstance(value, str):
        if value in ("+", "+1"):
            return 1
        return "0" if value == "-" else value
    return "-1" if isinstance(value, int | float | np.number) and value == -1 else value
