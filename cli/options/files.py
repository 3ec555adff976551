"""Files that a command reads and writes, kept apart."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations
from os.path import realpath
from pathlib import Path

from samapprox.errors import InputError

__all__ = ["keep_apart", "make_folder"]

_STANDARD = "-"


def keep_apart(read: Iterable[str | None], written: Iterable[str | None]) -> None:
    """Refuse to read standard input twice, to write over a file that is read, or to write twice.

    Parameters
    ----------
    read, written : iterable of str or None
        Names of files; - stands for standard input or output, None for no file.

    Raises
    ------
    InputError
    """
    sources = [source for source in read if source]
    targets = [target for target in written if target]
    if sources.count(_STANDARD) > 1:
        raise InputError("-: standard input can be read only once; name a file for the rest")
    if targets.count(_STANDARD) > 1:
        raise InputError("-: two things would go to standard output; name a file for one of them")
    files = [Path(target) for target in targets if target != _STANDARD]
    for target in files:
        if any(_is_same(target, Path(source)) for source in sources if source != _STANDARD):
            raise InputError(f"{target}: it is read, and would be overwritten; name another file")
    for one, other in combinations(files, 2):
        if _is_same(one, other) and (one.is_file() or not one.exists()):  # devices take it all
            raise InputError(f"{other}: two things would be written there; name another file")


def _is_same(one: Path, other: Path) -> bool:
    try:
        return realpath(one) == realpath(other) or one.samefile(other)
    except (OSError, ValueError):  # one of them is not there
        return False


def make_folder(folder: Path) -> Path:
    """The folder, made where it is missing.

    Raises
    ------
    InputError
        It cannot be made.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{folder}: {error.strerror or error}") from None
    return folder
