"""Sets of vectors by a line of text: ``furthest-clustered:n=1000,d=16``."""

from __future__ import annotations

import inspect
import math
from typing import get_type_hints

from samapprox import InputError
from samapprox.reductions.vectors.table import family
from samapprox.vectors import VectorSet

__all__ = ["family_vectors"]

_LONGEST = 20


def family_vectors(text: str) -> VectorSet:
    """The vectors of a family that a line of text describes; see `samapprox generate`.

    Parameters
    ----------
    text : str
        ``name`` or ``name:key=value,key=value``; yes and no are 1 and 0.

    Raises
    ------
    InputError
        An unknown name (with the list) or parameter, or a value out of range.

    Examples
    --------
    >>> family_vectors("furthest-planted:n=6,d=3,double=1").shape
    (6, 3)
    """
    name, _, rest = text.partition(":")
    make = family(name)
    types = get_type_hints(make)
    kinds = {key: types[key] for key in inspect.signature(make).parameters}
    given: dict[str, int | float] = {}
    for part in filter(None, (part.strip() for part in rest.split(","))):
        key, equals, value = (piece.strip() for piece in part.partition("="))
        if not equals:
            raise InputError(f"{text}: {part!r} must look like key=value")
        if key not in kinds or key in given:
            raise InputError(
                f"{text}: {key!r} is given twice"
                if key in given
                else f"{text}: {name} has no parameter {key!r}; there are: {', '.join(kinds)}"
            )
        given[key] = _value(text, key, value, kinds[key])
    try:
        return make(**given)
    except InputError as error:
        raise error.within(name) from None


def _value(text: str, key: str, value: str, kind: type) -> int | float:
    """A number of that kind."""
    what = {bool: "0 or 1", int: "a whole number", float: "a number"}[kind]
    wrong = InputError(f"{text}: {key} must be {what}, not {value!r}")
    if len(value) > _LONGEST:
        raise wrong
    try:
        number = float(value) if kind is float else int(value)
    except ValueError:
        raise wrong from None
    if not math.isfinite(number) or (kind is bool and number not in (0, 1)):
        raise wrong
    return bool(number) if kind is bool else number
