"""Which layer and head a matrix of attention weights belongs to, and what its pattern is called."""

from __future__ import annotations

import re
from dataclasses import dataclass

from samapprox.errors import InputError

__all__ = ["Place", "axes_of", "parse_axes", "place"]

_TOLD = {
    "layer": re.compile(r"(?:layers?|blocks?)[._-]?(\d{1,6})|\bh\.(\d{1,6})\.", re.IGNORECASE),
    "head": re.compile(r"heads?[._-]?(\d{1,6})", re.IGNORECASE),
}
"""How names of tensors tell them; not L6, which in a model's name counts layers."""

_MARKS = {"layer": "L", "head": "H"}


@dataclass(frozen=True, slots=True)
class Place:
    """Where in a model a matrix of weights comes from.

    Attributes
    ----------
    name : str
        Short, and another one for each position: ``L4_H08``; empty for a lone matrix.
    coordinates : dict of str to int
        ``layer`` and ``head`` where they are known, and positions on other leading axes.
    """

    name: str
    coordinates: dict[str, int]


def parse_axes(text: str) -> tuple[str, ...]:
    """The names of leading axes, as they are written on the command line.

    Raises
    ------
    InputError
        Not different lower-case words.

    Examples
    --------
    >>> parse_axes("text,layer,head")
    ('text', 'layer', 'head')
    """
    names = tuple(part.strip() for part in text.split(",")) if text.strip() else ()
    if len(set(names)) < len(names) or not all(re.fullmatch(r"[a-z]{1,20}", n) for n in names):
        raise InputError(f"axes are different lower-case words as in layer,head, not {text!r}")
    return names


def axes_of(shape: tuple[int, ...], named: tuple[str, ...] | None, *, has_layer: bool) -> list[str]:
    """What the leading axes of a tensor are.

    Parameters
    ----------
    shape : tuple of int
        Of the tensor, queries and keys last.
    named : tuple of str or None
        As the user says; None: the last leading axis is the head, the one before it the layer.
    has_layer : bool
        The tensor's name tells its layer; then the axis before the head's is a text's.

    Raises
    ------
    InputError
        Another number of axes than named, or too many to guess.

    Examples
    --------
    >>> axes_of((6, 12, 9, 9), None, has_layer=False)
    ['layer', 'head']
    """
    leading = len(shape) - 2
    if named is not None:
        if len(named) != leading:
            raise InputError(
                f"a tensor of shape {shape} has {leading} leading axes, not {len(named)} "
                f"({', '.join(named)})"
            )
        return list(named)
    if leading > 2:
        raise InputError(
            f"a tensor of shape {shape} has {leading} leading axes: name them by --axes, as in "
            "text,layer,head"
        )
    return ["text" if has_layer else "layer", "head"][2 - leading :]


def place(
    tensor: str, shape: tuple[int, ...], position: tuple[int, ...], named: tuple[str, ...] | None
) -> Place:
    """The place of one matrix of a tensor.

    Parameters
    ----------
    tensor : str
        Its name, which may tell layer and head.
    shape : tuple of int
    position : tuple of int
        On all leading axes.
    named : tuple of str or None
        See `axes_of`.

    Returns
    -------
    Place
        What the axes say goes before what the name says.

    Examples
    --------
    >>> place("attention", (6, 12, 9, 9), (4, 8), None)
    Place(name='L4_H08', coordinates={'layer': 4, 'head': 8})
    >>> place("encoder.layer.3.weights", (12, 9, 9), (8,), None)
    Place(name='L3_H08', coordinates={'layer': 3, 'head': 8})
    """
    told = {
        axis: int(next(filter(None, match.groups())))
        for axis, form in _TOLD.items()
        if (match := form.search(tensor)) is not None
    }
    axes = axes_of(shape, named, has_layer="layer" in told)
    found = dict(zip(axes, position, strict=True))
    widths = {axis: len(str(size - 1)) for axis, size in zip(axes, shape, strict=False)}
    order = dict.fromkeys([*(axis for axis in told if axis not in found), *axes])
    coordinates = {axis: found.get(axis, told.get(axis, 0)) for axis in order}
    marks = [
        f"{_MARKS.get(axis, axis)}{at:0{widths.get(axis, 1)}d}" for axis, at in coordinates.items()
    ]
    return Place("_".join(marks), coordinates)
