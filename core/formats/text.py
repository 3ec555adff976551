"""Rows of 0, 1 and *, as people write them: csv or plain text."""

from __future__ import annotations

from typing import BinaryIO

from samapprox.errors import InputError
from samapprox.instance import Instance
from samapprox.pattern import Pattern


def read(stream: BinaryIO, key: str | None) -> Instance:
    """Read lines of 0, 1 and *; see `Pattern.from_text`.

    Raises InputError: names the line and the column.
    """
    refuse_key(key)
    return Instance(Pattern.from_text(decode_text(stream)))


def write(instance: Instance, stream: BinaryIO) -> None:
    """Write each row as a line with commas between the entries."""
    for line in instance.pattern.to_text().splitlines():
        stream.write(",".join(line).encode() + b"\n")


def decode_text(stream: BinaryIO) -> str:
    """Decode the whole file as UTF-8 text.

    Raises InputError: names the byte that is not UTF-8.
    """
    content = stream.read()
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise InputError(
            f"line {line}: byte {error.start} is not UTF-8 text; save the file as UTF-8"
        ) from None


def refuse_key(key: str | None) -> None:
    """Refuse a key, which only archives have."""
    if key is not None:
        raise InputError(f"only npy and npz files have keys; drop {key!r}")
