"""Files of any format compressed by gzip."""

from __future__ import annotations

import io
from typing import BinaryIO

from samapprox.errors import InputError

__all__ = ["unpack"]

_MAGIC = b"\x1f\x8b"
_MOST_UNPACKED = 1 << 31  # bytes, which are kept in memory
_AT_ONCE = 1 << 20


def unpack(stream: BinaryIO, name: str) -> BinaryIO:
    r"""Return the stream of a gzip file's content; of any other file, the stream itself.

    Parameters
    ----------
    stream : seekable binary file
    name : str
        The name of the file: one that ends in .gz must be compressed.

    Raises
    ------
    InputError
        Falsely named, damaged, truncated, or of more than 2 GiB when it is unpacked.

    Examples
    --------
    >>> import gzip
    >>> unpack(io.BytesIO(gzip.compress(b"10\n01\n")), "eye.csv.gz").read()
    b'10\n01\n'
    """
    start = stream.read(len(_MAGIC))
    stream.seek(0)
    if start == _MAGIC:
        return io.BytesIO(_unpack(stream))
    if start and name.lower().endswith(".gz"):
        raise InputError("named .gz, but not compressed by gzip; leave .gz out of its name")
    return stream


def _unpack(stream: BinaryIO) -> bytes:
    import gzip
    import zlib

    content = bytearray()
    try:
        with gzip.GzipFile(fileobj=stream, mode="rb") as file:
            while part := file.read1(_AT_ONCE):
                content += part
                if len(content) > _MOST_UNPACKED:
                    raise InputError(
                        f"it unpacks to more than {_MOST_UNPACKED >> 20} MB; give a sparse "
                        "matrix (scipy.sparse.save_npz), or less of it"
                    )
    except EOFError:
        raise InputError(f"the gzip file ends early, {_place(content)}; {_MEND}") from None
    except (gzip.BadGzipFile, zlib.error):
        raise InputError(f"the gzip file is damaged, {_place(content)}; {_MEND}") from None
    return bytes(content)


_MEND = "download or compress it again"


def _place(content: bytearray) -> str:
    """Return the place where the content ends: its last line."""
    lines = content.count(b"\n")
    return f"in line {lines + 1} of what it holds"
