"""Sets of vectors described by a line of text: ``furthest-clustered:n=1000,d=16``."""

from __future__ import annotations

import inspect
from typing import get_type_hints

from samapprox import InputError
from samapprox.reductions.vectors.known_families import family
from samapprox.support.spec import number, parse_spec, require_known
from samapprox.vectors import VectorSet

__all__ = ["family_vectors"]


def family_vectors(text: str) -> VectorSet:
    """Generate the vectors that a line of text describes; see `samapprox generate`.

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
    name, given = parse_spec(text)
    make = family(name)
    types = get_type_hints(make)
    kinds = {key: types[key] for key in inspect.signature(make).parameters}
    require_known(text, name, given, list(kinds))
    values = {key: number(text, key, value, kinds[key]) for key, value in given.items()}
    try:
        return make(**values)
    except InputError as error:
        raise error.within(name) from None
