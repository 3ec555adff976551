"""The leading axes of tensors, and the places of their matrices in a model."""

from __future__ import annotations

import re
from dataclasses import dataclass

from samapprox.attention.weights.labels import Label
from samapprox.errors import InputError

__all__ = ["Place", "axes_of", "parse_axes", "place"]

_MARKS = {"layer": "L", "head": "H"}


@dataclass(frozen=True, slots=True)
class Place:
    """The place of one matrix of weights in a model.

    Attributes
    ----------
    name : str
        Short, and different for each position of a tensor: ``L4_H08``; empty for a lone matrix.
    coordinates : dict of str to int
        ``layer``, ``head`` and ``text`` where they are known, and positions on other leading axes.
    """

    name: str
    coordinates: dict[str, int]


def parse_axes(text: str) -> tuple[str, ...]:
    """Parse the names of leading axes, as they are written on the command line.

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
        raise InputError(
            f"axes must be different lower-case words such as layer,head, not {text!r}"
        )
    return names


def axes_of(
    shape: tuple[int, ...], named: tuple[str, ...] | None, *, has_layer: bool
) -> list[str | None]:
    """Name the leading axes of a tensor.

    The last leading axis is the head. Of the axes before it, those of size 1 are batches and have
    no name. One axis that remains is the layer, or the text where the name of the tensor states a
    layer; two are layer and text.

    Parameters
    ----------
    shape : tuple of int
        Shape of the tensor, queries and keys last.
    named : tuple of str or None
        Names that the user gives instead.
    has_layer : bool
        The name of the tensor states its layer.

    Returns
    -------
    list of str or None
        None for an axis without a name.

    Raises
    ------
    InputError
        The user names another number of axes, or there are too many to guess.

    Examples
    --------
    >>> axes_of((6, 12, 9, 9), None, has_layer=False)
    ['layer', 'head']
    >>> axes_of((6, 1, 12, 9, 9), None, has_layer=False)
    ['layer', None, 'head']
    """
    leading = shape[:-2]
    if named is not None:
        if len(named) != len(leading):
            raise InputError(
                f"a tensor of shape {shape} has {len(leading)} leading axes, not {len(named)} "
                f"({', '.join(named)})"
            )
        return list(named)
    guesses = ("text",) if has_layer else ("layer", "text")
    free = [axis for axis, size in enumerate(leading[:-1]) if size > 1]
    if len(free) > len(guesses):
        raise InputError(
            f"a tensor of shape {shape} has {len(leading)} leading axes: name them by --axes, as "
            f"in --axes {','.join(['run', 'batch', 'text', 'layer', 'head'][-len(leading) :])}"
        )
    axes: list[str | None] = [None] * len(leading)
    for axis, guess in zip(free, guesses, strict=False):
        axes[axis] = guess
    if axes:
        axes[-1] = "head"
    return axes


def place(
    label: Label,
    shape: tuple[int, ...],
    position: tuple[int, ...],
    named: tuple[str, ...] | None,
) -> Place:
    """Locate one matrix of a tensor in its model.

    Parameters
    ----------
    label : Label
        The place that the tensor's name states.
    shape : tuple of int
    position : tuple of int
        On all leading axes.
    named : tuple of str or None
        See `axes_of`.

    Returns
    -------
    Place
        Axes go before names. Where an axis is the layer, a position in a list of tensors is the
        text.

    Examples
    --------
    >>> place(Label(), (6, 12, 9, 9), (4, 8), None)
    Place(name='L4_H08', coordinates={'layer': 4, 'head': 8})
    >>> place(Label(layer=3), (1, 12, 9, 9), (0, 8), None)
    Place(name='L3_H08', coordinates={'layer': 3, 'head': 8})
    """
    stated = {"layer": label.layer, "head": label.head, "text": label.text}
    axes = axes_of(shape, named, has_layer=label.layer is not None)
    if label.listed and "layer" in axes and label.text is None:
        stated["text"] = label.layer
    found = {axis: at for axis, at in zip(axes, position, strict=True) if axis is not None}
    widths = {axis: len(str(size - 1)) for axis, size in zip(axes, shape, strict=False)}
    before = {axis: at for axis, at in stated.items() if at is not None and axis not in found}
    coordinates = {**before, **found}
    marks = [
        f"{_MARKS.get(axis, axis)}{at:0{widths.get(axis, 1)}d}" for axis, at in coordinates.items()
    ]
    return Place("_".join(marks), coordinates)
