"""Suggestions for mistyped names."""

from __future__ import annotations

from collections.abc import Iterable

from samapprox.errors import InputError

__all__ = ["nearest", "suggestion", "unknown_name"]


def nearest(name: str, known: Iterable[str]) -> str | None:
    """Return the known name closest to a mistyped one; None if none is close.

    Examples
    --------
    >>> nearest("decid", ["decide", "dim"])
    'decide'
    """
    from difflib import get_close_matches

    return next(iter(get_close_matches(name[:100], known, 1)), None)


def suggestion(name: str, known: Iterable[str]) -> str:
    """Suggest the known name closest to a mistyped one; empty if none is close.

    Parameters
    ----------
    name : str
    known : iterable of str

    Returns
    -------
    str
        In brackets, with a space before them.

    Examples
    --------
    >>> suggestion("decid", ["decide", "dim"])
    " (did you mean 'decide'?)"
    >>> suggestion("fly", ["decide", "dim"])
    ''
    """
    meant = nearest(name, known)
    return "" if meant is None else f" (did you mean {meant!r}?)"


def unknown_name(what: str, name: str, known: Iterable[str]) -> InputError:
    """Return the error for a name that is in no table: it suggests the nearest name and lists all.

    Parameters
    ----------
    what : str
        The noun for such an item in messages.
    name : str
    known : iterable of str
        The known names.

    Returns
    -------
    InputError

    Examples
    --------
    >>> print(unknown_name("strategy", "lime", ["line", "rank"]))
    unknown strategy 'lime' (did you mean 'line'?); there are: line, rank
    """
    known = list(known)
    there = f"there are: {', '.join(known)}"
    return InputError(f"unknown {what} {name[:40]!r}{suggestion(name, known)}; {there}")
