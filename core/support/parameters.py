"""Parameters in a line of text, such as ``bigbird:w=3,g=2``, their checks, and random streams."""

from __future__ import annotations

import inspect
import math
import operator
from collections.abc import Callable, Mapping
from typing import Any, get_type_hints

import numpy as np

from samapprox.errors import InputError, abridge, require_type, require_whole
from samapprox.support.packages import suggestion


def require(condition: bool, message: str) -> None:
    """Refuse a parameter."""
    if not condition:
        raise InputError(message)


def random_stream(seed: int) -> np.random.RandomState:
    """Return numpy's legacy generator, whose stream is the same on every machine.

    Raises InputError: not in 0..2^32 - 1.
    """
    require_whole("the seed", seed)
    require(0 <= seed < 1 << 32, f"the seed must be in 0..{(1 << 32) - 1}, not {abridge(seed)}")
    return np.random.RandomState(seed)


def parse_spec(text: str) -> tuple[str, dict[str, str]]:
    """Parse ``name`` or ``name:key=value,key=value`` into the name and the values as text.

    Keys come back with underscores, as Python has them; hyphens will do, too.

    Raises InputError: A part without ``=``, or a key given twice.

    >>> parse_spec("bigbird:w=3, g=2")
    ('bigbird', {'w': '3', 'g': '2'})
    """
    require_type("the name", text, str, "a text")
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

    Raises InputError: names the parameter and the known ones.
    """
    for key in given:
        if key not in known:
            there = f"there are: {', '.join(known)}" if known else "it has none"
            meant = suggestion(key, known)
            raise InputError(f"{text}: {name} has no parameter {key!r}{meant}; {there}")


def read_parameters(
    text: str, make: Callable[..., object], also: Mapping[str, type] | None = None
) -> dict[str, Any]:
    """Read the parameters of a function from a line of text that names it.

    `also`: further parameters with their types. Raises InputError: unknown parameters, or values of
    other types than the function's parameters have.

    >>> def line(rows: int = 3, gamma: float = 1.0) -> None: ...
    >>> read_parameters("line:rows=4,count=2", line, {"count": int})
    {'rows': 4, 'count': 2}
    """
    name, given = parse_spec(text)
    types = get_type_hints(make)
    kinds = {key: types[key] for key in inspect.signature(make).parameters} | dict(also or {})
    require_known(text, name, given, list(kinds))
    return {
        key: value if kinds[key] is str else number(text, key, value, kinds[key])
        for key, value in given.items()
    }


_WORDS = {int: "a whole number", float: "a number", bool: "True or False", str: "a text"}


def match_parameters(
    name: str, make: Callable[..., object], given: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the parameters of a function, numpy's numbers as Python's, or refuse them.

    `name`: of the function, for messages.

    >>> def line(rows: int = 3, gamma: float = 1.0) -> None: ...
    >>> match_parameters("line", line, {"rows": np.int8(4), "gamma": 2})
    {'rows': 4, 'gamma': 2.0}
    """
    types = get_type_hints(make)
    kinds = {key: types[key] for key in inspect.signature(make).parameters}
    require_known(name, name, given, list(kinds))
    return {key: _match(name, key, value, kinds[key]) for key, value in given.items()}


def _match(name: str, key: str, value: Any, kind: type) -> Any:
    """Return a value as one of this type, or refuse it."""
    try:
        if kind is int:
            return operator.index(value)
        if kind is float and not isinstance(value, str | bytes) and math.isfinite(float(value)):
            return float(value)
        if kind is bool and (isinstance(value, np.bool_) or operator.index(value) in (0, 1)):
            return bool(value)
    except (TypeError, ValueError, OverflowError):
        pass
    if kind is str and isinstance(value, str):
        return value
    raise InputError(f"{name}: {key} must be {_WORDS[kind]}, not {abridge(value)}")


def number(text: str, key: str, value: str, kind: type) -> int | float:
    """Read the value of a key: an int, a finite float, or a bool as 0 or 1.

    `text`, `key`, `value`: all that was given, for messages; and the part in question. `kind`: int,
    float or bool.

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
    what = "0 or 1" if kind is bool else _WORDS[kind]
    raise InputError(f"{text}: {key} must be {what}, not {value!r}")
