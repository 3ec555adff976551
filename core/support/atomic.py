"""Files that are written completely or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from samapprox.errors import InputError


@contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """Open a new file that replaces `path` on success, and leaves no trace otherwise.

    Raises InputError: the place cannot be written.
    """
    import tempfile  # loads compression, which most programs do without

    require_place(path)
    try:
        if path.exists() and not path.is_file():  # a device or a pipe is written to
            with path.open("wb") as stream:
                yield stream
            return
        target = path.resolve()  # a link stays one
        handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    except OSError as error:
        raise InputError(f"{path}: {error.strerror or error}") from None
    try:
        with os.fdopen(handle, "wb") as stream:
            yield stream
        Path(temporary).chmod(0o666 & ~_umask())
        Path(temporary).replace(target)
    except BaseException as error:
        Path(temporary).unlink(missing_ok=True)
        if isinstance(error, OSError):
            raise InputError(f"{path}: {error.strerror or error}") from None
        raise


def require_place(path: Path) -> None:
    """Refuse, before any work, a path where no file can be written.

    Raises InputError: it is a directory, its folder is not there or takes no files, or its name or
    links lead nowhere.

    >>> require_place(Path("no") / "such" / "folder" / "p.png")
    Traceback (most recent call last):
    ...
    samapprox.errors.InputError: no/such/folder/p.png: there is no such folder
    """
    try:
        if path.is_dir():
            raise InputError(f"{path}: is a directory; give a file name")
        if path.exists():
            return
        folder = path.resolve().parent
        if not folder.is_dir():
            raise InputError(f"{path}: there is no such folder")
        if not os.access(folder, os.W_OK):
            raise InputError(f"{path}: no file can be written in this folder")
    except (OSError, RuntimeError) as error:  # before Python 3.13 a circle of links is the latter
        raise InputError(f"{path}: {getattr(error, 'strerror', None) or error}") from None


def _umask() -> int:
    """Return the permissions that new files lack; reading it requires setting it."""
    mask = os.umask(0o022)
    os.umask(mask)
    return mask
