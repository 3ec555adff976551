"""The place of a matrix in a model, by the names of tensors and files and by leading axes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from samapprox.errors import InputError, abridge

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
    """The place in a model that a name states."""

    layer: int | None = None
    head: int | None = None
    text: int | None = None
    part: str | None = None  # the part of an encoder-decoder model
    listed: bool = False  # the layer is only a position in a list, as in ``arr_3``
    rest: str = ""  # the name without its layer; tensors of a list have it in common


def read_label(
    key: str,
    stem: str = "",
    *,
    above: Sequence[str] = (),
    several: bool = True,
    beside: bool = False,
) -> Label:
    """Read the place that the name of a tensor states, or else that of its file."""
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
    """The place of one matrix of weights in a model."""

    # Short, and different for each position of a tensor: ``L4_H08``; empty for a lone matrix.
    name: str
    # ``layer``, ``head`` and ``text`` where they are known, and positions on other leading axes.
    coordinates: dict[str, int]


def parse_axes(text: str) -> tuple[str, ...]:
    """Parse the names of leading axes, as they are written on the command line."""
    names = tuple(part.strip() for part in text.split(",")) if text.strip() else ()
    if not _are_axes(names):
        raise InputError(
            f"axes must be different lower-case words such as layer,head, not {text!r}"
        )
    return names


def require_axes(names: object) -> tuple[str, ...] | None:
    """Return the names of leading axes as a tuple, or refuse them.

    >>> require_axes(["layer", "head"])
    ('layer', 'head')
    """
    if names is None:
        return None
    if not isinstance(names, tuple | list) or not _are_axes(names):
        raise InputError(
            "axes must be a tuple of different lower-case words such as ('layer', 'head'), "
            f"not {abridge(names)}"
        )
    return tuple(names)


def _are_axes(names: Sequence[object]) -> bool:
    """Whether these are different lower-case words."""
    words = [name for name in names if isinstance(name, str) and re.fullmatch(r"[a-z]{1,20}", name)]
    return len(set(words)) == len(names)


def axes_of(
    shape: tuple[int, ...], named: tuple[str, ...] | None, *, has_layer: bool
) -> list[str | None]:
    """Name the leading axes of a tensor.

    The last leading axis is the head. Of the axes before it, those of size 1 are batches and have
    no name. One axis that remains is the layer, or the text where the name of the tensor states a
    layer; two are layer and text.
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
    """Locate one matrix of a tensor in its model."""
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
