"""Checks that a command does not overwrite what it reads, and folders to write to."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations
from os.path import realpath
from pathlib import Path

from samapprox.errors import InputError

__all__ = ["keep_apart", "make_folder"]

_STANDARD = "-"


def keep_apart(read: Iterable[str | None], written: Iterable[str | None]) -> None:
    """Refuse to read standard input twice, to overwrite an input, or to write a file twice.

    Parameters
    ----------
    read, written : iterable of str or None
        Names of files; - stands for standard input or output, None for no file.

    Raises
    ------
    InputError
        One of these would happen.
    """
    sources = [source for source in read if source]
    targets = [target for target in written if target]
    if sources.count(_STANDARD) > 1:
        raise InputError("-: standard input can be read only once; name a file for the other input")
    if targets.count(_STANDARD) > 1:
        raise InputError("-: two outputs would go to standard output; name a file for one of them")
    files = [Path(target) for target in targets if target != _STANDARD]
    for target in files:
        if any(_is_same(target, Path(source)) for source in sources if source != _STANDARD):
            raise InputError(f"{target}: this input would be overwritten; name another file")
    for one, other in combinations(files, 2):
        if _is_same(one, other) and (
            one.is_file() or not one.exists()
        ):  # devices such as /dev/null may take several
            raise InputError(f"{other}: two outputs would go to this file; name another file")


def _is_same(one: Path, other: Path) -> bool:
    try:
        return realpath(one) == realpath(other) or one.samefile(other)
    except (OSError, ValueError):  # one of them does not exist
        return False


def make_folder(folder: Path) -> Path:
    """Return the folder, which is created if it is missing.

    Raises
    ------
    InputError
        The folder cannot be created.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{folder}: {error.strerror or error}") from None
    return folder
