"""Files of vectors and of their ids.

Vectors: npz (one set or two), npy, numbers as text, and Parquet with ids. Ids: a line each, a list
in JSON, or an array of text in npy or npz.
"""

from __future__ import annotations

import json
import os
import zipfile
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from samapprox.errors import InputError, abridge, require_path, require_type
from samapprox.formats.arrays import Archive, open_archive, open_array
from samapprox.formats.files import Source, errors_of_file, open_source, source_name, unpack
from samapprox.formats.npz import read_json, text_array, write_array
from samapprox.formats.text import decode_text, refuse_key
from samapprox.storage.entries import split_cells
from samapprox.support.arrays import Array
from samapprox.support.atomic import replacing
from samapprox.support.packages import require_package
from samapprox.vectors import VectorSet

_SETS = (
    ("vectors",),
    ("queries", "keys"),
    ("A", "B"),
    ("queries", "documents"),
    ("embeddings",),
)
"""Names of the arrays in an npz, one set or two, in the order in which they are looked for."""

_IDS = (("ids",), ("query_ids", "document_ids"))
"""Names of the arrays of their ids, for one set and for two."""

_IDS_OF_ONE = {"queries": "query_ids", "keys": "document_ids", "documents": "document_ids"}
"""Names of the ids of one set with this name, if there is no array `ids`."""

_BESIDE = ("furthest", "known", "origin", *_IDS[0], *_IDS[1])

_BETWEEN = "---"  # the sets in a text file


def load_ids(source: Source) -> tuple[str, ...]:
    r"""Read ids from a file, which may be compressed with gzip; nothing in it is unpickled.

    Of lines, all characters count but the end of the line. A file is JSON if its name says so,
    since ids may begin with a bracket. An npz holds one array, or one named `ids`. Whole numbers in
    JSON and arrays become text. Raises InputError: names the line.

    >>> import io
    >>> load_ids(io.BytesIO(b"q1\nquery 2\n"))
    ('q1', 'query 2')
    """
    with open_source(source) as raw, errors_of_file(name := source_name(source)):
        stream = unpack(raw, name)
        head = stream.read(6)
        stream.seek(0)
        if head.startswith(b"PK"):
            with open_archive(stream) as archive:
                if "ids" not in archive and len(archive.names) != 1:
                    raise InputError(
                        f"its arrays are {', '.join(archive.names)}; name the one of the ids `ids`"
                    )
                chosen = "ids" if "ids" in archive else archive.names[0]
                return read_texts(archive.read(chosen), f"array {chosen!r}")
        if head.startswith(b"\x93NUMPY"):
            with open_array(stream) as stored:
                return read_texts(stored.read(), stored.name)
        text = decode_text(stream)
        if name.removesuffix(".gz").lower().endswith(".json"):
            return _read_json(text)
        return _read_lines(text)


def read_texts(array: NDArray[Any], name: str) -> tuple[str, ...]:
    """Return an array of text or whole numbers as ids."""
    if array.ndim != 1 or array.dtype.kind not in "USiu":
        raise InputError(
            f"{name} holds {array.dtype} of shape {array.shape}; ids are a list of text or of "
            "whole numbers"
        )
    if array.dtype.kind == "S":
        try:
            return tuple(one.decode() for one in array.tolist())
        except UnicodeDecodeError:
            raise InputError(f"{name} holds bytes that are not UTF-8 text") from None
    return tuple(map(str, array.tolist()))


def _read_json(text: str) -> tuple[str, ...]:
    """Read a list of text or whole numbers."""
    try:
        values = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"not JSON: {error}") from None
    if not isinstance(values, list):
        raise InputError("ids in JSON are one list")
    for place, value in enumerate(values):
        if type(value) not in (str, int):
            raise InputError(f"id {place} is {abridge(value)}; ids are text or whole numbers")
    return tuple(map(str, values))


def _read_lines(text: str) -> tuple[str, ...]:
    """Read a line an id; blank lines are refused, as they would shift all that follow."""
    lines = text.removesuffix("\n").split("\n")
    ids = tuple(line.removesuffix("\r") for line in lines)
    for number, line in enumerate(ids, start=1):
        if not line.strip():
            raise InputError(f"line {number} has no id; write one id a line")
    return ids


def load_vectors(source: Source, *, key: str | None = None) -> VectorSet:
    r"""Read one or two sets of vectors from a file.

    Parameters
    ----------
    source : path, "-" for standard input, or a binary file
        npz with `vectors` or `embeddings`, with `queries` and `keys` or `documents`, or with `A`
        and `B`, and perhaps the ids of one set, `ids`, or of two, `query_ids` and `document_ids`
        (also in a file with queries or documents alone); npy; or text, a vector a line, commas or
        blanks between numbers, comments after #, and a line ``---`` between two sets.
    key : str, optional
        The array of an npz to take; two of them as in ``"left,right"``.

    Returns
    -------
    VectorSet
        The numbers as they are stored; solvers say what they can't use.

    Raises
    ------
    InputError
        The file cannot be read or holds no such vectors; one line that names the file.

    Examples
    --------
    >>> import io
    >>> load_vectors(io.BytesIO(b"0.5, 1\n2, 3\n---\n1, 1\n")).shape
    (2, 1, 2)
    """
    if key is not None:
        require_type("key", key, str, "a text")
    with open_source(source) as stream, errors_of_file(source_name(source)):
        head = stream.read(6)
        stream.seek(0)
        if head.startswith(b"PK"):
            return _read_npz(stream, key)
        if head.startswith(b"\x93NUMPY"):
            refuse_key(key)
            with open_array(stream) as stored:
                return VectorSet(_matrix(stored.read(), stored.name))
        if not head:
            raise InputError("the file is empty")
        refuse_key(key)
        return _read_text(decode_text(stream))


def save_vectors(vectors: VectorSet, path: str | os.PathLike[str]) -> None:
    """Write vectors to a file whose name ends in .npz; equal sets give equal bytes.

    Parameters
    ----------
    vectors : VectorSet
        One set is stored as `vectors`, two Boolean ones as `A` and `B`, others as `queries` and
        `keys`, or `documents` if these have ids.
    path : path
        The file to write; its extension tells the format.

    Raises
    ------
    InputError
        Another ending, or a place that cannot be written.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_vectors(VectorSet(np.eye(2)), folder + "/two.npz")
    ...     load_vectors(folder + "/two.npz").first.tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    require_type("vectors", vectors, VectorSet, "a VectorSet")
    require_path("path", path)
    path = Path(path)
    if path.suffix.lower() != ".npz":
        raise InputError(f"{path}: vectors are written as .npz")
    two = _SETS[2] if vectors.is_boolean else _SETS[1] if vectors.second_ids is None else _SETS[3]
    of_ids = _IDS[vectors.second is not None]
    with replacing(path) as stream, zipfile.ZipFile(stream, "w") as file:
        if vectors.second is None:
            write_array(file, _SETS[0][0], vectors.first)
        else:
            write_array(file, two[0], vectors.first)
            write_array(file, two[1], vectors.second)
        for name, ids in zip(of_ids, (vectors.first_ids, vectors.second_ids), strict=False):
            if ids is not None:
                write_array(file, name, text_array(ids))
        if vectors.furthest is not None:
            write_array(file, "furthest", vectors.furthest)
        for name, texts in (("known", vectors.known), ("origin", vectors.origin)):
            if texts:
                write_array(file, name, np.array(json.dumps(dict(texts))))


def write_text(vectors: VectorSet) -> str:
    r"""Return the numbers as text that `load_vectors` reads again, to the last bit.

    >>> write_text(VectorSet(np.array([[0.5, 1.0]]), np.array([[2.0, 0.1]])))
    '0.5,1.0\n---\n2.0,0.1'
    """
    sets = [vectors.first] if vectors.second is None else [vectors.first, vectors.second]
    texts = ["\n".join(",".join(map(str, row)) for row in part.tolist()) for part in sets]
    return f"\n{_BETWEEN}\n".join(texts)


def _read_npz(stream: BinaryIO, key: str | None) -> VectorSet:
    with open_archive(stream) as archive:
        names = _chosen(archive, key)
        sets = [_matrix(archive.read(name), f"array {name!r}") for name in names]
        furthest = None
        if "furthest" in archive:
            furthest = archive.read("furthest")
            if furthest.dtype.kind not in "iu" or furthest.shape != (len(sets[0]),):
                raise InputError("array 'furthest' must hold an index for each vector")
        return VectorSet(
            sets[0],
            sets[1] if len(sets) > 1 else None,
            None if furthest is None else furthest.astype(np.int64),
            read_json(archive, "known", dict),
            read_json(archive, "origin", dict),
            *(_ids(archive, name) for name in _names_of_ids(archive, names)),
        )


def _names_of_ids(archive: Archive, names: tuple[str, ...]) -> tuple[str, ...]:
    """Return the names of the arrays of ids, one for each set."""
    if len(names) == 1 and "ids" not in archive and names[0] in _IDS_OF_ONE:
        return (_IDS_OF_ONE[names[0]],)
    return _IDS[len(names) - 1]


def _ids(archive: Archive, name: str) -> tuple[str, ...] | None:
    return read_texts(archive.read(name), f"array {name!r}") if name in archive else None


def _chosen(archive: Archive, key: str | None) -> tuple[str, ...]:
    """Return the names of the arrays to take."""
    if key is not None:
        names = tuple(name.strip() for name in key.split(","))
        missing = [name for name in names if name not in archive]
        if missing:
            raise InputError(f"no array {missing[0]!r}; there are: {', '.join(archive.names)}")
        if len(names) > 2:
            raise InputError(f"{len(names)} arrays {key!r}; take one set or two")
        return names
    for names in _SETS:
        if all(name in archive for name in names):
            return names
    others = [name for name in archive.names if name not in _BESIDE]
    if len(others) != 1:
        raise InputError(
            f"none of the arrays {', '.join(archive.names)} is named vectors; choose by the key, "
            "one set or two (--key queries,keys)"
        )
    return (others[0],)


def _matrix(array: Array, name: str) -> Array:
    if array.ndim != 2 or array.dtype.kind not in "biuf":
        raise InputError(
            f"{name} holds {array.dtype} of shape {array.shape}; vectors are a matrix of numbers, "
            "a vector a row"
        )
    return array


def _read_text(text: str) -> VectorSet:
    """Read one vector per line."""
    sets: list[list[list[float]]] = [[]]
    for number, line in enumerate(text.splitlines(), start=1):
        content = line.partition("#")[0].strip()
        if content == _BETWEEN:
            sets.append([])
        elif content:
            sets[-1].append(_numbers(content, number))
            if len(sets[-1][-1]) != len(sets[-1][0]):
                raise InputError(
                    f"line {number} has {len(sets[-1][-1])} numbers, the first vector has "
                    f"{len(sets[-1][0])}; every vector needs the same dimension"
                )
    if len(sets) > 2 or not all(sets):
        raise InputError(f"one set of vectors, or two with a line {_BETWEEN} between them")
    arrays = [np.array(rows) for rows in sets]
    return VectorSet(arrays[0], arrays[1] if len(arrays) > 1 else None)


def _numbers(line: str, number: int) -> list[float]:
    numbers = []
    for place, word in enumerate(split_cells(line, number)):
        try:
            numbers.append(float(word))
        except ValueError:
            raise InputError(
                f"line {number}, column {place}: {word[:40]!r} is not a number"
            ) from None
    return numbers


def load_parquet(path: str | os.PathLike[str]) -> VectorSet:
    """Read the one column of lists as vectors, and the one column of text or whole numbers as ids.

    Further columns are allowed if one of the candidates is named `id`. Lists become float32 or
    float64, as they are stored. Raises InputError: pyarrow is missing, or the file has no such
    columns.
    """
    path = Path(path)
    require_package("pyarrow", "parquet", f"{path}: Parquet")
    import pyarrow
    import pyarrow.parquet

    try:
        table = pyarrow.parquet.read_table(path)
    except (OSError, pyarrow.ArrowException) as error:
        reason = getattr(error, "strerror", None) or str(error).partition("\n")[0]
        raise InputError(f"{path}: {reason}") from None
    with_lists = [field.name for field in table.schema if _is_list(field.type)]
    with_ids = [field.name for field in table.schema if _is_id(field.type)]
    if len(with_lists) != 1:
        raise InputError(
            f"{path}: {len(with_lists)} columns of lists of numbers ({', '.join(with_lists)}); "
            "vectors are one such column"
        )
    if "id" in with_ids:
        with_ids = ["id"]
    if len(with_ids) > 1:
        raise InputError(
            f"{path}: the columns {', '.join(with_ids)} may all be ids; name one of them `id`"
        )
    with errors_of_file(str(path)):
        vectors = _read_vectors(table.column(with_lists[0]).combine_chunks())
        ids = None
        if with_ids:
            column = table.column(with_ids[0])
            if column.null_count:
                raise InputError(f"the column {with_ids[0]!r} has ids that are null")
            ids = tuple(map(str, column.to_pylist()))
        return VectorSet(vectors, first_ids=ids)


def _is_list(kind: Any) -> bool:
    import pyarrow.types as types

    is_list = types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind)
    return bool(
        is_list and (types.is_floating(kind.value_type) or types.is_integer(kind.value_type))
    )


def _is_id(kind: Any) -> bool:
    import pyarrow.types as types

    return bool(types.is_string(kind) or types.is_large_string(kind) or types.is_integer(kind))


def _read_vectors(column: Any) -> np.ndarray[Any, Any]:
    """Return lists of equal length as a matrix."""
    if column.null_count or not len(column):
        raise InputError("the column of lists is empty or has nulls; every row needs a vector")
    import pyarrow.compute as compute

    lengths = compute.list_value_length(column).to_numpy(zero_copy_only=False)
    if (lengths != lengths[0]).any():
        place = int(np.flatnonzero(lengths != lengths[0])[0])
        raise InputError(
            f"vector {place} has {lengths[place]} numbers, the first vector has {lengths[0]}; "
            "every vector needs the same dimension"
        )
    flat = column.flatten()
    if flat.null_count:
        raise InputError("a vector has numbers that are null")
    return np.asarray(flat.to_numpy(zero_copy_only=False)).reshape(len(column), int(lengths[0]))
