"""Tables from names to import strings, resolved on use."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

from samapprox.support.nearest import unknown_name

__all__ = ["look_up"]


def look_up(name: str, table: Mapping[str, str], what: str) -> Any:
    """Import the object behind a name.

    Parameters
    ----------
    name : str
        A key of the table.
    table : mapping of str to str
        Name -> ``module:attribute``.
    what : str
        The noun for such an item in messages.

    Returns
    -------
    object
        The function or class; its caller knows of which type.

    Raises
    ------
    InputError
        No such name; suggests the nearest and lists those there are.

    Examples
    --------
    >>> look_up("eye", {"eye": "numpy:eye"}, "matrix")(1).tolist()
    [[1.0]]
    """
    if name not in table:
        raise unknown_name(what, name, table)
    module, _, attribute = table[name].partition(":")
    return getattr(import_module(module), attribute)
