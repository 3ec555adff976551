"""Sign matrices: entries + and -, 1 and -1, or 1 and 0, besides *."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, BinaryIO, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from samapprox.errors import EntryError, InputError, SignsError
from samapprox.formats import Format
from samapprox.formats.arrays import Key, StoredArray, open_archive, open_array
from samapprox.formats.files import PatternLike, Source, read_recognized, recognize
from samapprox.formats.npz import choose_array, read_facts, read_names, read_origin
from samapprox.formats.text import decode_text, refuse_key
from samapprox.instance import Grading, Instance
from samapprox.pattern import Pattern
from samapprox.sign_matrix import SignMatrix
from samapprox.storage.entries import (
    FrameLike,
    SparseLike,
    as_matrix,
    check_size,
    names_of_labels,
    split_cells,
)

_CELLS = {"+": "1", "-": "0", "+1": "1", "-1": "0", "+1.0": "1", "-1.0": "0"}

_RULE = (
    "signs are + and -, 1 and -1, or 1 and 0; don't-care entries are * in text, or 0 in a care mask"
)

_SPARSE_RULE = "here 1 stands for + and 0 for -; write -1 in text, or in a dense array (npy or npz)"


@contextmanager
def _rule_for_signs(fault: str = f"; {_RULE}") -> Iterator[None]:
    """Replace the rule for entries of patterns, in errors, by the one for sign matrices."""
    try:
        yield
    except EntryError as error:
        raise InputError(f"{error.found}{fault}") from None


def as_sign_matrix(
    entries: PatternLike,
    *,
    format: str | None = None,
    key: str | None = None,
) -> SignMatrix:
    """Convert any accepted input to a sign matrix; a row may lack a 1.

    `entries`: with entries + and -, 1 and -1, or 1 and 0; "*" is don't care. `format`, `key`: for
    files, as in `samapprox.load`. Raises InputError: the file cannot be read, or the entries are no
    signs; one line that names the place.
    """
    if isinstance(entries, str | os.PathLike) or hasattr(entries, "read"):
        matrix = load_signs(cast(Source, entries), format=format, key=key).pattern
        assert isinstance(matrix, SignMatrix)
        return matrix
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
        return from_entries(entries.to_numpy(), **names)
    if isinstance(entries, SparseLike):
        with _rule_for_signs(f"; {_SPARSE_RULE}"):
            return SignMatrix.from_sparse(entries)
    return from_entries(cast(ArrayLike, entries))


def _copy(pattern: Pattern) -> SignMatrix:
    """Return the entries of a pattern as a sign matrix."""
    names = pattern.row_names, pattern.column_names
    return SignMatrix.from_storage(pattern.ones, pattern.unspecified, *names)


# ---------------------------------------------------------------- files


def load_signs(
    source: Source,
    *,
    format: str | None = None,
    key: str | None = None,
    grading: Grading | None = None,
) -> Instance:
    r"""Read a sign matrix from a file, with the facts and the origin that the file states.

    `format`, `key`: as in `samapprox.load`. `grading`: the rule for retrieval judgements. Returned:
    its pattern is a `SignMatrix`. Raises InputError: the file cannot be read, or the entries are no
    signs.

    >>> import io
    >>> load_signs(io.BytesIO(b"1 -1\n-1 -1\n")).pattern.row_ones.tolist()
    [1, 0]
    """
    with recognize(source, format) as (chosen, stream):
        return _read(source, chosen, stream, key, grading or Grading())


def load_matrix(
    source: Source,
    *,
    format: str | None = None,
    key: str | None = None,
    grading: Grading | None = None,
) -> Instance:
    r"""Read a pattern, or a sign matrix if the entries are + and -, or 1 and -1.

    `source`, `format`, `key`, `grading`: as for `load_signs`. Returned: its pattern is a
    `SignMatrix` for a file of signs. Raises InputError: the file cannot be read or holds neither.

    >>> import io
    >>> [type(load_matrix(io.BytesIO(text)).pattern).__name__ for text in (b"10\n", b"+-\n")]
    ['Pattern', 'SignMatrix']
    """
    grading = grading or Grading()
    with recognize(source, format) as (chosen, stream):
        try:
            return read_recognized(source, chosen, stream, key, grading)
        except SignsError:
            stream.seek(0)
            return _read(source, chosen, stream, key, grading)


def _read(
    source: Source, chosen: Format, stream: BinaryIO, key: str | None, grading: Grading
) -> Instance:
    if chosen.name == "text":
        refuse_key(key)
        with _rule_for_signs(f" is no entry; {_RULE}"):
            return Instance(SignMatrix.from_text(_replace_signs(decode_text(stream))))
    if chosen.name == "npy":
        with open_array(stream) as stored:
            return Instance(from_entries(_matrix_of(stored, Key.parse(key))))
    if chosen.name == "npz":
        read = _read_archive(stream, key)
        if read is not None:
            return read
        stream.seek(0)
    with _rule_for_signs(f"; {_SPARSE_RULE}"):
        instance = read_recognized(source, chosen, stream, key, grading)
    return replace(instance, pattern=_copy(instance.pattern))


def _read_archive(stream: BinaryIO, key: str | None) -> Instance | None:
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
        rows, columns = read_names(archive, (entries.shape[0], entries.shape[1]))
        matrix = from_entries(entries, care, row_names=rows, column_names=columns)
        return Instance(matrix, read_facts(archive), read_origin(archive))


def _matrix_of(stored: StoredArray, key: Key) -> NDArray[Any]:
    """Read one matrix of a stored array."""
    stored.require_reasonable_size()
    with stored.matrix(key.index) as rows:
        return rows(0, stored.shape[-2])


def _replace_signs(text: str) -> str:
    """Write + as 1 and - as 0, and likewise 1 and -1, line by line."""
    lines = text.split("\n")
    cells = [
        [] if line.lstrip().startswith("#") else split_cells(line, number)
        for number, line in enumerate(lines, start=1)
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


def from_entries(
    entries: ArrayLike,
    care: ArrayLike | None = None,
    *,
    row_names: list[str] | None = None,
    column_names: list[str] | None = None,
) -> SignMatrix:
    r"""Convert entries in memory, with their names, to a sign matrix.

    `entries`: + and -, 1 and -1, or 1 and 0; "*" is don't care. `care`, `row_names`,
    `column_names`: as for `Pattern.from_array`. Raises InputError: another entry, or both -1 and 0.

    >>> from_entries([[1, -1], [-1, 0]], [[1, 1], [1, 0]]).to_signs()
    '+-\n-*'
    """
    with _rule_for_signs():
        array = as_matrix(entries, "the matrix", kinds="biufUSO")
    check_size(*array.shape)
    if array.dtype.kind in "USO":
        signs = [_sign(value) for value in array.flat]
        array = np.array([*signs, None], dtype=object)[:-1].reshape(array.shape)
        negative = array == "-1"
    else:
        negative = array == -1
    if negative.any():
        zero = (array == 0) | (array == "0")
        if care is not None and np.shape(care) == array.shape:
            zero &= np.asarray(care) != 0
        if (zeros := np.argwhere(zero)).size:
            row, column = zeros[0]
            raise InputError(
                f"entry at row {row}, column {column} is 0, but others are -1; {_RULE}"
            )
        array = np.where(negative, 0, array)
    with _rule_for_signs():
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
