"""Probability maps: scores of a query to the weights of its keys; the table of all."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, cast, get_type_hints

from samapprox.attention.transformers.maps.base import ProbabilityMap
from samapprox.errors import errors_within
from samapprox.support.packages import lazy_names, look_up
from samapprox.support.parameters import number, parse_spec, require_known

if TYPE_CHECKING:  # for tools that read types
    from samapprox.attention.transformers.maps.softmax import (
        Entmax,
        Hardmax,
        Softmax,
        SparselinGen,
        TopKSoftmax,
    )

__all__ = [
    "MAPS",
    "Entmax",
    "Hardmax",
    "ProbabilityMap",
    "Softmax",
    "SparselinGen",
    "TopKSoftmax",
    "probability_map",
]

_HERE = __name__

MAPS = {
    "hardmax": f"{_HERE}.softmax:Hardmax",
    "softmax": f"{_HERE}.softmax:Softmax",
    "topk-softmax": f"{_HERE}.softmax:TopKSoftmax",
    "sparselin-gen": f"{_HERE}.softmax:SparselinGen",
    "entmax": f"{_HERE}.softmax:Entmax",
}
"""Map name -> module and class, imported when used."""


def probability_map(text: str) -> ProbabilityMap:
    """Parse a probability map: ``name`` or ``name:key=value``.

    Parameters
    ----------
    text : str
        The line of text.

    Returns
    -------
    ProbabilityMap
        The map with its parameters.

    Raises
    ------
    InputError
        An unknown name (with the list) or parameter, or a value that is out of range.

    Examples
    --------
    >>> probability_map("entmax:alpha=1.5")
    Entmax(alpha=1.5)
    """
    name, given = parse_spec(text)
    kind = look_up(name, MAPS, "probability map")
    types = get_type_hints(kind)
    known = [field.name for field in dataclasses.fields(kind)]
    require_known(text, name, given, known)
    values = {key: number(text, key, value, types[key]) for key, value in given.items()}
    with errors_within(text):
        return cast(ProbabilityMap, kind(**values))


if not TYPE_CHECKING:
    __getattr__, __dir__ = lazy_names(
        __name__, softmax=("Entmax", "Hardmax", "SparselinGen", "Softmax", "TopKSoftmax")
    )
