"""The names of tensors and files: which layer, head, text and part of a model they mean.

The leading axes of tensors, and the places of their matrices in a model.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from samapprox.errors import InputError

__all__ = ["Label", "Place", "axes_of", "parse_axes", "place", "read_label"]


_NUMBER = r"(\d{1,6})(?!\d)"
_WORDS = {
    "layer": rf"(?:layers?|blocks?)[._-]?{_NUMBER}|\bh\.{_NUMBER}",
    "head": rf"heads?[._-]?{_NUMBER}",
    "text": rf"(?<![a-z])(?:texts?|sentences?|prompts?|samples?|examples?)[._-]?{_NUMBER}",
}
"""Words before a number; not L6, which in the name of a model counts its layers."""

_ATTENTIONS = rf"(?:att|attns?|attentions?|attn_weights|attention_weights)[._-]?{_NUMBER}"
_POSITION = rf"(?:^|\.)(?:arr_)?{_NUMBER}$"

_NESTED = r"(?:^|\.|att\.|attns?\.|attentions?\.|attn_weights\.|attention_weights\.)\d+\.\d+$"

_PARTS = {
    "cross": r"cross[_-]?att|encdecatt|decoder.*encoder_attn",
    "decoder": r"decoder",
    "encoder": r"encoder",
}
"""Parts of a model with layers of their own; BART calls its cross-attention encoder_attn."""


@dataclass(frozen=True, slots=True)
class Label:
    """The place in a model that a name states.

    Attributes
    ----------
    layer, head, text : int or None
    part : {"encoder", "decoder", "cross"} or None
        The part of an encoder-decoder model.
    listed : bool
        The layer is only a position in a list, as in ``arr_3``.
    rest : str
        The name without its layer; tensors of a list have it in common.
    """

    layer: int | None = None
    head: int | None = None
    text: int | None = None
    part: str | None = None
    listed: bool = False
    rest: str = ""


def read_label(
    key: str,
    stem: str = "",
    *,
    above: Sequence[str] = (),
    several: bool = True,
    beside: bool = False,
) -> Label:
    """Read the place that the name of a tensor states, or else that of its file.

    Parameters
    ----------
    key : str
        Name of the tensor; empty where it has none.
    stem : str
        Name of the file, without its ending.
    above : sequence of str
        Names of the folders around it, the innermost last; only a name that is nothing else than
        a place counts, as ``layer_3``.
    several : bool
        The file has several tensors; then ``arr_3`` and ``3`` are positions in a list of layers.
    beside : bool
        The folder has several files; then so are the names ``attn_3`` and ``3`` of files.

    Raises
    ------
    InputError
        The name has two positions, as in a list of lists.

    Examples
    --------
    >>> read_label("encoder.layer.3.attention.self").layer
    3
    >>> read_label("cross_attentions.2").part, read_label("arr_2").listed
    ('cross', True)
    """
    found = {
        word: _search(form, key, stem) or _search(rf"^(?:{form})$", *reversed(above))
        for word, form in _WORDS.items()
    }
    layer = found["layer"]
    if layer is None:
        layer = _search(_ATTENTIONS, key, stem if beside else "")
    listed = layer is None
    if layer is None:
        layer = _search(_POSITION, key if several else "", stem if beside else "")
    if found["layer"] is None and re.search(_NESTED, key, re.IGNORECASE):
        raise InputError(
            f"{key!r} is a position in a list of lists: save a dict with one list of layers for "
            "each text, as {'text_0': [..], 'text_1': [..]}; if these are the steps of generate(), "
            "save one forward pass over the whole text"
        )
    return Label(
        layer=_number(layer),
        head=_number(found["head"]),
        text=_number(found["text"]),
        part=_part(key) or _part(stem) or _part_of_folders(above),
        listed=listed and layer is not None,
        rest=_without(layer, key, stem),
    )


def _search(form: str, *names: str) -> re.Match[str] | None:
    matches = (re.search(form, name, re.IGNORECASE) for name in names)
    return next((match for match in matches if match is not None), None)


def _number(match: re.Match[str] | None) -> int | None:
    return None if match is None else int(next(filter(None, match.groups())))


def _part(name: str) -> str | None:
    return next((s for s, form in _PARTS.items() if re.search(form, name, re.IGNORECASE)), None)


def _part_of_folders(above: Sequence[str]) -> str | None:
    return next((part for part in map(str.lower, reversed(above)) if part in _PARTS), None)


def _without(layer: re.Match[str] | None, key: str, stem: str) -> str:
    """Key and stem without the layer's number and what follows a number within the key."""
    if layer is None:
        return f"{stem}/{key}"
    before = layer.string[: layer.start()]
    if layer.string == key:
        return f"{stem}/{before}"
    return f"{before}{layer.string[layer.end() :]}/{key}"


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
