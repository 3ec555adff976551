"""Files of ids: a line each, a list in JSON, or an array of text in npy or npz."""

from __future__ import annotations

import json
from typing import Any

from numpy.typing import NDArray

from samapprox.errors import InputError
from samapprox.formats.arrays import open_archive, open_array
from samapprox.formats.files import Source, errors_within, open_source, source_name, unpack
from samapprox.formats.text import decode_text

__all__ = ["load_ids", "read_texts"]


def load_ids(source: Source) -> tuple[str, ...]:
    r"""Read ids from a file, which may be compressed with gzip; nothing in it is unpickled.

    Of lines, all characters count but the end of the line. A file is JSON if its name says so,
    since ids may begin with a bracket. An npz holds one array, or one named `ids`. Whole numbers in
    JSON and arrays become text. Raises InputError: names the line.

    >>> import io
    >>> load_ids(io.BytesIO(b"q1\nquery 2\n"))
    ('q1', 'query 2')
    """
    with open_source(source) as raw, errors_within(name := source_name(source)):
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
            raise InputError(f"id {place} is {value!r:.40}; ids are text or whole numbers")
    return tuple(map(str, values))


def _read_lines(text: str) -> tuple[str, ...]:
    """Read a line an id; blank lines are refused, as they would shift all that follow."""
    lines = text.removesuffix("\n").split("\n")
    ids = tuple(line.removesuffix("\r") for line in lines)
    for number, line in enumerate(ids, start=1):
        if not line.strip():
            raise InputError(f"line {number} has no id; write one id a line")
    return ids
