"""Refusal of tensors whose places in a model are not clear."""

from __future__ import annotations

import re
from fnmatch import fnmatchcase
from pathlib import Path

from samapprox.attention.weights.layouts import Place
from samapprox.attention.weights.sources import FoundTensor
from samapprox.errors import InputError

__all__ = ["UniquePlaces"]


class UniquePlaces:
    """The places of all matrices of a source; no two tensors have the same."""

    def __init__(self) -> None:
        self._tensors: dict[tuple[object, ...], tuple[Path, str]] = {}
        self._shapes: dict[tuple[Path, str], tuple[int, ...]] = {}

    def require_one_length(
        self, found: FoundTensor, shape: tuple[int, ...], axes: tuple[str, ...] | None
    ) -> None:
        """Refuse a list of tensors that may be layers of texts, but as well texts of layers.

        Parameters
        ----------
        found : FoundTensor
        shape : tuple of int
        axes : tuple of str or None
            The names that the user gives to the leading axes.

        Raises
        ------
        InputError
            The texts of two layers differ in length, and nobody named the axes.
        """
        if not found.label.listed or axes is not None:
            return
        guess = found.axes(shape)
        if "layer" in guess:
            return
        other = self._shapes.setdefault((found.path.parent, found.label.rest), shape)
        if other[-2:] != shape[-2:]:
            mend = (
                "name the axes, by --axes layer,head if every tensor is a text, by --axes "
                "text,head if it is a layer"
                if "text" in guess
                else "layers of one text have one length; if every tensor is a text, save them as "
                "text_0, text_1, .."
            )
            raise InputError(f"{found.describe()}: has shape {shape} beside {other}: {mend}")

    def add(self, found: FoundTensor, at: Place) -> None:
        """Refuse a place with a layer that another tensor of the same list has.

        Parameters
        ----------
        found : FoundTensor
        at : Place
            The place of one of its matrices.

        Raises
        ------
        InputError
        """
        label = found.label
        if label.layer is None:
            return
        own = (found.path.parent, label.rest, label.part, *sorted(at.coordinates.items()))
        path, key = self._tensors.setdefault(own, (found.path, found.key))
        if (path, key) == (found.path, found.key):
            return
        if path == found.path:
            other, mend = key, f"take one by --key, as in --key {_choice(found.key, key)!r}"
        else:
            other, mend = path.name, "keep one of the files in another folder"
        coordinates = ", ".join(f"{axis} {index}" for axis, index in at.coordinates.items())
        raise InputError(f"{found.describe()}: has {coordinates}, as {other} has; {mend}")


def _choice(key: str, other: str) -> str:
    """Return a pattern of the shell for tensors named like the first one, in every layer."""
    every = (re.sub(r"\d+", "*", key, count=count) for count in (0, 1))  # 0: all numbers
    fitting = (one for one in every if fnmatchcase(key, one) and not fnmatchcase(other, one))
    return next(fitting, key)
