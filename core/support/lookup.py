"""Tables of names: import strings that are resolved on use, and suggestions for mistyped names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from importlib import import_module
from typing import Any

from samapprox.errors import InputError

__all__ = [
    "load_object",
    "look_up",
    "nearest",
    "suggestion",
    "unknown_name",
]


def nearest(name: str, known: Iterable[str]) -> str | None:
    """Return the known name closest to a mistyped one; None if none is close.

    >>> nearest("decid", ["decide", "dim"])
    'decide'
    """
    from difflib import get_close_matches

    return next(iter(get_close_matches(name[:100], known, 1)), None)


def suggestion(name: str, known: Iterable[str]) -> str:
    """Suggest the known name closest to a mistyped one; empty if none is close.

    Returned: in brackets, with a space before them.

    >>> suggestion("decid", ["decide", "dim"])
    " (did you mean 'decide'?)"
    >>> suggestion("fly", ["decide", "dim"])
    ''
    """
    meant = nearest(name, known)
    return "" if meant is None else f" (did you mean {meant!r}?)"


def unknown_name(what: str, name: str, known: Iterable[str]) -> InputError:
    """Return the error for a name that is in no table: it suggests the nearest name and lists all.

    `what`: the noun for such an item in messages. `known`: the known names.

    >>> print(unknown_name("strategy", "lime", ["line", "rank"]))
    unknown strategy 'lime' (did you mean 'line'?); there are: line, rank
    """
    known = list(known)
    there = f"there are: {', '.join(known)}"
    return InputError(f"unknown {what} {name[:40]!r}{suggestion(name, known)}; {there}")


def look_up(name: str, table: Mapping[str, str], what: str) -> Any:
    """Import the object behind a name.

    `name`: a key of the table. `table`: name -> ``module:attribute``. `what`: the noun for such an
    item in messages. Returned: the function or class; its caller knows of which type. Raises
    InputError: no such name; suggests the nearest and lists those there are.

    >>> look_up("eye", {"eye": "numpy:eye"}, "matrix")(1).tolist()
    [[1.0]]
    """
    if name not in table:
        raise unknown_name(what, name, table)
    return load_object(table[name])


def load_object(path: str) -> Any:
    """Import what ``module:attribute`` names."""
    module, _, attribute = path.partition(":")
    return getattr(import_module(module), attribute)
