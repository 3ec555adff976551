"""Numpy archives: our own (key S, care, names, facts) and those of scipy.sparse.save_npz."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Sequence
from dataclasses import asdict
from typing import IO, TYPE_CHECKING, Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from samapprox.errors import InputError
from samapprox.formats.arrays import Archive, Key, StoredArray, open_archive, pack, write_matrix
from samapprox.instance import Fact, Instance
from samapprox.pattern import Pattern
from samapprox.storage import PackedMatrix
from samapprox.storage.entries import WEIGHTS_RULE, check_size

if TYPE_CHECKING:
    from samapprox.storage.sparse import SparseMatrix


ROW_NAMES = ("row_names", "queries")
COLUMN_NAMES = ("column_names", "docs")
BESIDE = ("care", "facts", "origin", *ROW_NAMES, *COLUMN_NAMES)
"""Arrays that accompany the pattern."""

_TEXT_CHARACTERS = 1 << 20  # facts and origin are short


def read(stream: BinaryIO, key: str | None) -> Instance:
    """Read an npz file."""
    with open_archive(stream) as archive:
        if key is None and "S" not in archive and "format" in archive:
            pattern = _read_sparse(archive)
        else:
            pattern = _read_dense(archive, choose_array(archive, Key.parse(key)))
        return Instance(pattern, read_facts(archive), read_origin(archive))


def write(instance: Instance, stream: BinaryIO) -> None:
    """Write an npz file, the same bytes on every machine (nothing is compressed).

    Sparse patterns are laid out as scipy.sparse.save_npz does, so that scipy reads them.
    """
    file = zipfile.ZipFile(stream, "w")
    try:
        with file:
            _write_members(file, instance)
    except BaseException:
        file.fp = None  # interrupted between two of its steps, it would complain when it is deleted
        raise


def _write_members(file: zipfile.ZipFile, instance: Instance) -> None:
    """Write the entries, and the names, facts and origin that there are."""
    pattern = instance.pattern
    if pattern.ones.is_sparse:
        _write_csr(file, pattern.ones)
    else:
        _write_matrix(file, "S", pattern.ones)
    if pattern.unspecified is not None:
        _write_matrix(file, "care", _complement(pattern.unspecified))
    for name, names in (
        (ROW_NAMES[0], pattern.row_names),
        (COLUMN_NAMES[0], pattern.column_names),
    ):
        if names is not None:
            write_array(file, name, text_array(names))
    if instance.facts:
        facts = [asdict(fact) for fact in instance.facts]
        write_array(file, "facts", np.array(json.dumps(facts)))
    if instance.origin:
        write_array(file, "origin", np.array(json.dumps(dict(instance.origin))))


# ---------------------------------------------------------------- reading


_VECTORS_RULE = (
    "for sets of vectors, use `samapprox orthogonal` or `samapprox furthest`, which are also tasks "
    "of `samapprox batch`"
)


def choose_array(archive: Archive, key: Key) -> Key:
    """Return the key with its name filled in.

    `key`: without a name: S, or the only array that is a candidate. Raises InputError: no such
    array, or several candidates.
    """
    if key.name:
        if key.name not in archive:
            raise InputError(f"no array {key.name!r}; there are: {', '.join(archive.names)}")
        return key
    if "S" in archive:
        return Key("S", key.index)
    candidates = [name for name in archive.names if name not in BESIDE]
    if len(candidates) != 1:
        hint = ""
        if "vectors" in archive or ("A" in archive and "B" in archive):
            hint = f"; {_VECTORS_RULE}"
        elif _any_weights(archive, candidates):
            hint = f"; {WEIGHTS_RULE}"
        raise InputError(
            f"none of the arrays {', '.join(archive.names)} is named S; choose one by the key, "
            f"such as --key {archive.names[0]!r}{hint}"
        )
    return Key(candidates[0], key.index)


def _any_weights(archive: Archive, names: Sequence[str]) -> bool:
    """Return whether an array may hold attention weights: a matrix or a stack of floats."""
    for name in names:
        with archive.open(name) as stored:
            if stored.ndim > 1 and stored.dtype.kind == "f":
                return True
    return False


def _read_dense(archive: Archive, key: Key) -> Pattern:
    care = None
    if "care" in archive and key.name != "care":
        care = _read_care(archive, key)
    with archive.open(key.name) as stored:
        if stored.dtype.kind in "US":
            ones, unspecified = _read_characters(stored, key.index)
        else:
            ones, unspecified = pack(stored, key.index), None
    if care is not None:
        if care.shape != ones.shape:
            raise InputError(f"care has shape {care.shape} but {key.name} has {ones.shape}")
        ones = PackedMatrix(ones.words & care.words, ones.columns)
        unspecified = _complement(care)
    if unspecified is not None and not unspecified.row_counts.any():
        unspecified = None
    rows, columns = ones.shape
    return Pattern.from_storage(
        ones,
        unspecified,
        *read_names(archive, (rows, columns)),
    )


def _read_characters(
    stored: StoredArray, index: tuple[int, ...]
) -> tuple[PackedMatrix, PackedMatrix | None]:
    stored.require_reasonable_size()
    with stored.matrix(index) as rows:
        pattern = Pattern.from_array(rows(0, stored.shape[-2]))
    assert isinstance(pattern.ones, PackedMatrix)
    return pattern.ones, pattern.unspecified


def _read_care(archive: Archive, key: Key) -> PackedMatrix:
    """Return the care mask; one for every matrix of a stack, or one for all."""
    with archive.open("care") as stored:
        return pack(stored, key.index if stored.ndim > 2 else (), "care entry")


def _read_sparse(archive: Archive) -> Pattern:
    """Read compressed rows, compressed columns or coordinates.

    The arrays are checked and turned into rows here: scipy trusts them, and crashes if they lie.
    """
    from samapprox.storage.sparse import check_csr, rows_of_coordinates

    rows, columns = _read_shape(archive)
    layout = _read_format(archive)
    check_size(rows, columns, stored_densely=False)
    data = _required(archive, "data")
    if layout not in ("csr", "csc", "coo"):
        raise InputError(f"sparse layout {layout!r} is not read; save the matrix as csr")
    if layout == "coo":
        row_of, column_of = _coordinates(archive)
        if len({len(row_of), len(column_of), len(data)}) > 1 or (
            len(row_of) and not 0 <= row_of.min() <= row_of.max() < rows
        ):
            raise InputError("the sparse matrix is damaged: its coordinates do not fit its shape")
        indptr, indices, data = rows_of_coordinates(row_of, column_of, data, rows)
    else:
        indptr, indices = _integers(archive, "indptr"), _integers(archive, "indices")
        if layout == "csc":
            check_csr(indptr, indices, data, columns, rows)
            column_of = np.repeat(np.arange(columns), np.diff(indptr))
            indptr, indices, data = rows_of_coordinates(indices, column_of, data, rows)
    row_names, column_names = read_names(archive, (rows, columns))
    return Pattern.from_csr(
        indptr, indices, data, (rows, columns), row_names=row_names, column_names=column_names
    )


def _coordinates(archive: Archive) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Read row and column of every stored entry, in scipy's newer or older names."""
    if "coords" not in archive:
        return _integers(archive, "row"), _integers(archive, "col")
    coordinates = archive.read("coords")
    if coordinates.ndim != 2 or len(coordinates) != 2 or coordinates.dtype.kind not in "iu":
        raise InputError("the sparse matrix is damaged: 'coords' is not two rows of integers")
    return coordinates[0].astype(np.int64), coordinates[1].astype(np.int64)


def _required(archive: Archive, name: str) -> NDArray[Any]:
    if name not in archive:
        raise InputError(f"the sparse matrix is damaged: no array {name!r}")
    return archive.read(name)


def _read_format(archive: Archive) -> str:
    value = archive.read("format").reshape(-1)
    text = value[0] if value.size else b""
    return text.decode("ascii", "replace") if isinstance(text, bytes) else str(text)


def _read_shape(archive: Archive) -> tuple[int, int]:
    shape = _integers(archive, "shape")
    if shape.shape != (2,):
        raise InputError(f"the sparse matrix has {shape.size} dimensions; a pattern has 2")
    return int(shape[0]), int(shape[1])


def _integers(archive: Archive, name: str) -> NDArray[np.int64]:
    values = _required(archive, name)
    if values.dtype.kind not in "iu" or values.ndim != 1:
        raise InputError(f"the sparse matrix is damaged: {name!r} is not a row of integers")
    return values.astype(np.int64)


def read_names(
    archive: Archive, shape: tuple[int, int]
) -> tuple[list[str] | None, list[str] | None]:
    """Read the names of rows and columns; None for those that are missing.

    Raises InputError: too many or too few.
    """
    rows, columns = shape
    row_names = _read_texts(archive, ROW_NAMES, rows)
    return row_names, _read_texts(archive, COLUMN_NAMES, columns)


def _read_texts(archive: Archive, aliases: Sequence[str], size: int) -> list[str] | None:
    for alias in aliases:
        if alias in archive:
            with archive.open(alias) as stored:
                if stored.shape != (size,):
                    raise InputError(f"{alias} has shape {stored.shape} but must be ({size},)")
                return [str(name) for name in stored.read().tolist()]
    return None


def read_json(archive: Archive, name: str, kind: type) -> Any:
    """Read a short JSON text from a 0-d array; return an empty list or dict if it is missing."""
    if name not in archive:
        return kind()
    with archive.open(name) as stored:
        if stored.shape or stored.dtype.kind != "U" or stored.dtype.itemsize > 4 * _TEXT_CHARACTERS:
            raise InputError(f"array {name!r} must hold one JSON text")
        text = str(stored.read()[()])
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"array {name!r} is not JSON: {error}") from None
    if not isinstance(value, kind):
        raise InputError(f"array {name!r} must hold a JSON {kind.__name__}")
    return value


def read_facts(archive: Archive) -> tuple[Fact, ...]:
    """Read the facts that the file states."""
    try:
        return tuple(map(Fact.from_json, read_json(archive, "facts", list)))
    except InputError as error:
        raise InputError(f"array 'facts': {error}") from None


def read_origin(archive: Archive) -> dict[str, int | float | str]:
    """Read the origin that the file states."""
    origin: dict[str, int | float | str] = read_json(archive, "origin", dict)
    return origin


# ---------------------------------------------------------------- writing


def _write_csr(file: zipfile.ZipFile, matrix: SparseMatrix) -> None:
    indices = np.concatenate(list(matrix.indices()))
    write_array(file, "indices", indices)
    write_array(file, "indptr", matrix.indptr)
    write_array(file, "format", np.array(b"csr"))
    write_array(file, "shape", np.array(matrix.shape, dtype=np.int64))
    write_array(file, "data", np.ones(len(indices), dtype=np.uint8))


def _write_matrix(file: zipfile.ZipFile, name: str, matrix: PackedMatrix) -> None:
    with _member(file, name) as stream:
        write_matrix(matrix, stream)


def write_array(file: zipfile.ZipFile, name: str, array: NDArray[Any]) -> None:
    """Add an array, little-endian, the same bytes on every machine."""
    if array.dtype.byteorder == ">":
        array = array.astype(array.dtype.newbyteorder("<"))
    buffer = io.BytesIO()
    np.lib.format.write_array(buffer, array, version=(1, 0), allow_pickle=False)
    with _member(file, name) as stream:
        stream.write(buffer.getvalue())


def _member(file: zipfile.ZipFile, name: str) -> IO[bytes]:
    """Return a new member without date or owner, so that equal content gives equal bytes."""
    info = zipfile.ZipInfo(name + ".npy", date_time=(1980, 1, 1, 0, 0, 0))
    info.create_system = 3
    info.external_attr = 0o644 << 16
    return file.open(info, "w", force_zip64=True)


def text_array(names: Sequence[str]) -> NDArray[np.str_]:
    """Return names as an array of text as wide as the longest of them."""
    width = max(1, max(map(len, names)))
    return np.array(names, dtype=f"<U{width}")


def _complement(matrix: PackedMatrix) -> PackedMatrix:
    """Complement every entry; the bits past the last column stay 0."""
    return PackedMatrix.from_blocks(
        *matrix.shape, lambda start, stop: (~matrix.dense(start, stop)).view(np.uint8)
    )
