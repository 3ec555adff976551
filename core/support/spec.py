"""Names with parameters in a line of text: ``bigbird:w=3,g=2``, ``entmax:alpha=1.5``."""

from __future__ import annotations

import math
from collections.abc import Mapping

from samapprox.errors import InputError
from samapprox.support.nearest import suggestion

__all__ = ["number", "parse_spec", "require_known"]


def parse_spec(text: str) -> tuple[str, dict[str, str]]:
    """Parse ``name`` or ``name:key=value,key=value`` into the name and the values as text.

    Keys come back with underscores, as Python has them; hyphens will do, too.

    Raises
    ------
    InputError
        A part without ``=``, or a key given twice.

    Examples
    --------
    >>> parse_spec("bigbird:w=3, g=2")
    ('bigbird', {'w': '3', 'g': '2'})
    """
    name, _, rest = text.partition(":")
    given: dict[str, str] = {}
    for part in filter(None, (part.strip() for part in rest.split(","))):
        key, equals, value = part.partition("=")
        key = key.strip().replace("-", "_")
        if not equals:
            raise InputError(f"{text}: {part!r} must look like key=value")
        if key in given:
            raise InputError(f"{text}: {key} is given twice")
        given[key] = value.strip()
    return name, given


def require_known(text: str, name: str, given: Mapping[str, str], known: list[str]) -> None:
    """Refuse parameters that are not known.

    Raises
    ------
    InputError
        Names the parameter and the known ones.
    """
    for key in given:
        if key not in known:
            there = f"there are: {', '.join(known)}" if known else "it has none"
            meant = suggestion(key, known)
            raise InputError(f"{text}: {name} has no parameter {key!r}{meant}; {there}")


def number(text: str, key: str, value: str, kind: type) -> int | float:
    """Read the value of a key: an int, a finite float, or a bool as 0 or 1.

    Parameters
    ----------
    text, key, value : str
        All that was given, for messages; and the part in question.
    kind : type
        int, float or bool.

    Raises
    ------
    InputError

    Examples
    --------
    >>> number("entmax:alpha=1.5", "alpha", "1.5", float)
    1.5
    """
    try:
        if kind is bool:
            return {"0": False, "1": True, "false": False, "true": True}[value.lower()]
        if kind is int and len(value) <= 20:
            return int(value)
        if kind is float and math.isfinite(float(value)):
            return float(value)
    except (ValueError, KeyError):
        pass
    what = {int: "a whole number", float: "a number", bool: "0 or 1"}[kind]
    raise InputError(f"{text}: {key} must be {what}, not {value!r}")
