"""The names of tensors and files: which layer, head, text and part of a model they mean."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from samapprox.errors import InputError

__all__ = ["Label", "read_label"]

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
