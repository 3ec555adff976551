"""Lines of text files, some megabytes at a time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO, NamedTuple

from samapprox.errors import InputError

__all__ = ["Lines", "read_lines"]

_BLOCK = 1 << 20  # bytes: some 30,000 lines of judgements


class Lines(NamedTuple):
    """Consecutive lines of a text file.

    Attributes
    ----------
    first : int
        Number of the first line, from 1.
    text : str
        The lines, with a line feed between every two.
    """

    first: int
    text: str


def read_lines(stream: BinaryIO) -> Iterator[Lines]:
    r"""Yield the lines of a file in UTF-8; they end with \n, \r\n or \r.

    Raises
    ------
    InputError
        Names the line and the byte that is not UTF-8.

    Notes
    -----
    Memory for some megabytes of the file, however large it is.

    Examples
    --------
    >>> import io
    >>> list(read_lines(io.BytesIO(b"q1 0 a 1\r\nq1 0 b 1\n")))
    [Lines(first=1, text='q1 0 a 1\nq1 0 b 1')]
    """
    first, offset, encoding = 1, 0, "utf-8-sig"
    parts: list[bytes] = []  # of a line that goes on
    while content := stream.read(_BLOCK):
        end = content.rfind(b"\n") + 1
        if not end:
            parts.append(content)
            continue
        block = b"".join([*parts, content[:end]])
        parts = [content[end:]]
        text = _decode(block, encoding, first, offset)
        yield Lines(first, text)
        first, offset, encoding = first + text.count("\n") + 1, offset + len(block), "utf-8"
    if block := b"".join(parts):
        yield Lines(first, _decode(block, encoding, first, offset))


def _decode(block: bytes, encoding: str, first: int, offset: int) -> str:
    try:
        text = block.decode(encoding)
    except UnicodeDecodeError as error:
        line = first + block.count(b"\n", 0, error.start)
        raise InputError(
            f"line {line}: byte {offset + error.start} is not UTF-8 text; save the file as UTF-8"
        ) from None
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return text.removesuffix("\n")
