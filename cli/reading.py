"""Whole documents from files, where - is standard input."""

from __future__ import annotations

import sys
from pathlib import Path

from samapprox.errors import InputError

__all__ = ["read_bytes", "read_text"]

_MOST_BYTES = 1 << 29
"""The size limit of a document; larger proofs are beyond the checker, too."""


def read_bytes(source: str) -> bytes:
    """Read the bytes of a file, or of standard input for -.

    Raises
    ------
    InputError
        The file cannot be read, or has more than 512 MB.
    """
    try:
        if source != "-":
            with Path(source).open("rb") as stream:
                content = stream.read(_MOST_BYTES + 1)
        elif sys.stdin is None:
            raise InputError("standard input is closed")
        else:
            content = sys.stdin.buffer.read(_MOST_BYTES + 1)
    except InputError:
        raise
    except (OSError, ValueError) as error:  # the latter: a null byte in the name
        raise InputError(f"{source}: {getattr(error, 'strerror', None) or error}") from None
    if len(content) > _MOST_BYTES:
        raise InputError(f"{source}: has more than {_MOST_BYTES} bytes")
    return content


def read_text(source: str, *, mend: str = "give a text file in UTF-8") -> str:
    """Read the text of a file, or of standard input for -.

    Parameters
    ----------
    source : str
    mend : str
        Advice for a file that is not text.

    Raises
    ------
    InputError
        The file cannot be read, has more than 512 MB, or is not text.
    """
    content = read_bytes(source)
    try:
        text = content.decode()
        place = text.find("\0")
    except UnicodeDecodeError as error:
        text, place = "", error.start
    if place >= 0:
        raise InputError(f"{source}: byte {place} is not text; {mend}")
    return text
