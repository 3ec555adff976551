"""The tensors of a file, a folder or in memory, with places in a model, which must be clear."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import nullcontext
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from samapprox.attention.weights.layouts import Label, Place, axes_of, place, read_label
from samapprox.attention.weights.tensors import (
    ROUNDOFF,
    NotWeights,
    Position,
    Tensor,
    TensorFile,
    flatten,
    name_apart,
    open_tensors,
    open_torch_tensor,
    require_weights,
)
from samapprox.errors import InputError, abridge, file_errors, require_type
from samapprox.formats import TENSOR_ENDINGS
from samapprox.problem import as_whole


def open_held(held: object) -> TensorFile:
    """Open tensors as those of a file are: by name, or by position in a list.

    Whole numbers as keys of a dict are layers, in ``layer3`` as well as in 3.
    """
    if isinstance(held, Mapping):
        held = {f"layer{key}" if isinstance(key, int) else key: own for key, own in held.items()}
    tensors = name_apart(flatten(held, _is_tensor))
    if not tensors:
        raise InputError(
            f"a {type(held).__name__} without any array: give the path of a file, an array of "
            "shape (.., queries, keys), or a list or dict of arrays, one for each layer"
        )
    return TensorFile(list(tensors), lambda name: _open_one(tensors[name]))


def _is_tensor(held: object) -> bool:
    return hasattr(held, "__array__") and hasattr(held, "shape")


def _open_one(held: Any) -> Tensor:
    """Open an array, or a tensor of PyTorch on any device."""
    if type(held).__module__.partition(".")[0] == "torch":
        return open_torch_tensor(held)
    array: NDArray[Any] = np.asarray(held)
    kind = array.dtype.name
    require_weights(kind, array.shape, [*ROUNDOFF, *([kind] if array.dtype.kind in "iu" else [])])
    if kind == "bfloat16":  # of the package ml_dtypes; float32 holds it exactly
        array = array.astype(np.float32)

    def read_part(select: Position) -> NDArray[Any]:
        return np.asarray(array[select])

    return Tensor(array.shape, ROUNDOFF.get(kind, 0.0), read_part)


@dataclass(frozen=True, slots=True)
class FoundTensor:
    """A tensor of a source, readable until the next one is found."""

    path: Path  # its file
    key: str  # its name in the file; empty where it has none
    folder: str  # the folder of its patterns within a set, different for every tensor of a source
    label: Label  # the place that its name or the name of its file states
    chosen: bool  # the user chose it by name
    file: TensorFile

    @property
    def origin(self) -> dict[str, int | float | str]:
        """The origin of the patterns of this tensor."""
        part = {} if self.label.part is None else {"part": self.label.part}
        return {"attention": self.path.name, **({"key": self.key} if self.key else {}), **part}

    def open(self) -> Tensor:
        """Open the tensor."""
        try:
            tensor = self.file.tensor(self.key)
            tensor.require_matrices()
        except NotWeights:
            raise
        except InputError as error:
            raise self.locate(error) from None
        return tensor

    def axes(self, shape: tuple[int, ...]) -> list[str | None]:
        """Guess the names of the leading axes; see `weights.layouts.axes_of`."""
        try:
            return axes_of(shape, None, has_layer=self.label.layer is not None)
        except InputError as error:
            raise self.locate(error) from None

    def places(
        self, shape: tuple[int, ...], axes: tuple[str, ...] | None
    ) -> dict[tuple[int, ...], Place]:
        """The place of each matrix of the tensor, by its position on the leading axes."""
        try:
            return {
                position: place(self.label, shape, position, axes)
                for position in np.ndindex(shape[:-2])
            }
        except InputError as error:
            raise self.locate(error) from None

    def matrices(
        self, tensor: Tensor, places: Mapping[tuple[int, ...], Place]
    ) -> Iterator[tuple[Place, NDArray[Any]]]:
        """Read the matrices with these places one by one."""
        matrices = tensor.matrices_at(list(places))
        try:
            yield from zip(places.values(), matrices, strict=True)
        except InputError as error:
            raise self.locate(error) from None

    def describe(self, at: str = "") -> str:
        """Describe the tensor in a message."""
        name = f"{self.path}: {self.key}" if self.key else str(self.path)
        return f"{name} {at}".rstrip()

    def locate(self, error: InputError) -> InputError:
        """Say where an error is, and how to leave the tensor out unless the user chose it."""
        mend = "" if self.chosen or not self.key else "; --key '*attn*' reads only matching names"
        return InputError(f"{error.within(self.describe())}{mend}")


def _tensor_files(source: Path) -> list[Path]:
    """List the files of a folder, and of its folders, that may hold tensors."""
    with file_errors(source):
        if not source.is_dir():
            return [source]
        files = sorted(path for path in source.rglob("*") if path.suffix.lower() in TENSOR_ENDINGS)
    if not files:
        raise InputError(f"{source}: no {', '.join(TENSOR_ENDINGS)} file in this folder")
    return files


Source = Path | TensorFile
"""A file, a folder, or tensors in memory."""

_HELD = Path("attentions")  # the name in messages where there is no file


def as_source(given: object) -> Source:
    """A path as such, and other objects as tensors in memory."""
    return Path(given) if isinstance(given, str | os.PathLike) else open_held(given)


def name_of(source: Source) -> Path:
    """The name of a source in messages."""
    return source if isinstance(source, Path) else _HELD


def require_key(key: object) -> None:
    """Refuse a pattern of names that is no text."""
    if key is not None:
        require_type("key", key, str, "a text such as '*attn*'")


def find_tensors(source: Source, key: str | None = None) -> Iterator[FoundTensor]:
    """Find the tensors of a source, in the order of files and names."""
    require_key(key)
    files = _tensor_files(source) if isinstance(source, Path) else [_HELD]
    stems = Counter(path.with_suffix("") for path in files)
    folders = Counter(path.parent for path in files)
    fitting = False
    taken: set[str] = set()
    for path in files:
        with open_tensors(path) if isinstance(source, Path) else nullcontext(source) as file:
            above: tuple[str, ...] = ()
            if isinstance(source, Path) and path != source:
                above = path.parent.relative_to(source).parts
            labels = _labels(file.names, path.stem, above, beside=folders[path.parent] > 1)
            for name, label in labels.items():
                if key is not None and not fnmatchcase(name, key):
                    continue
                fitting = True
                own = path.name if stems[path.with_suffix("")] > 1 else path.stem
                below = [name] if len(file.names) > 1 else []
                folder = _unused("/".join(map(safe_name, [*above, own, *below])), taken)
                yield FoundTensor(path, name, folder, label, key is not None, file)
    if not fitting:
        raise InputError(f"{name_of(source)}: no tensor's name fits {key!r}")


def _unused(folder: str, taken: set[str]) -> str:
    """The folder, with a number where another tensor has it; it is taken from now on."""
    own, number = folder, 1
    while own in taken:
        number += 1
        own = f"{folder}-{number}"
    taken.add(own)
    return own


def _labels(
    names: list[str], stem: str, above: tuple[str, ...], *, beside: bool
) -> dict[str, Label]:
    """The labels of all tensors of a file; a single kind of self-attention is no part."""
    labels = {
        name: read_label(name, stem, above=above, several=len(names) > 1, beside=beside)
        for name in names
    }
    parts = {label.part for label in labels.values()} - {None}
    if len(parts) > 1 or "cross" in parts or read_label("", stem, above=above).part is not None:
        return labels
    return {name: replace(label, part=None) for name, label in labels.items()}


def safe_name(name: str) -> str:
    """Turn a name into one that files have on every system."""
    return re.sub(r"[^\w.-]+", "-", name).lstrip(".") or "-"


def require_positions(select: Any) -> None:
    """Refuse what is no tuple of whole numbers."""
    listed = isinstance(select, tuple | list)
    if not (listed and all(isinstance(as_whole(number), int) for number in select)):
        raise InputError(
            "select must be a tuple of whole numbers, (layer,) or (layer, head), "
            f"not {abridge(select)}"
        )


class Choice:
    """The layer, or the layer and the head, that the user chose, if any.

    Matrices without a layer or a head are in layer 0 and are head 0, as in the map of heads.
    """

    def __init__(self, select: tuple[int, ...]) -> None:
        require_positions(select)
        if len(select) > len(_CHOSEN):
            raise InputError(
                f"select names LAYER, or LAYER,HEAD, not {','.join(map(str, select))}; axes of size"
                " 1 do not count, and all texts of a batch are read"
            )
        self._select = select
        self._seen: list[set[int]] = [set() for _ in select]  # layers, and heads of the layer

    def keep(self, places: Mapping[tuple[int, ...], Place]) -> dict[tuple[int, ...], Place]:
        """Keep the places that were chosen."""
        kept = dict(places)
        for axis, seen, wanted in zip(_CHOSEN, self._seen, self._select, strict=False):
            numbers = {key: at.coordinates.get(axis, 0) for key, at in kept.items()}
            seen.update(numbers.values())
            kept = {key: at for key, at in kept.items() if numbers[key] == wanted}
        return kept

    def require_found(self, source: Source) -> None:
        """Refuse a layer or a head that no tensor of the source has."""
        for axis, seen, wanted in zip(_CHOSEN, self._seen, self._select, strict=False):
            if seen and wanted not in seen:
                within = "" if axis == "layer" else f" in layer {self._select[0]}"
                raise InputError(
                    f"{name_of(source)}: no {axis} {wanted}{within}; choose {_span(seen)}"
                )


_CHOSEN = ("layer", "head")


def _span(numbers: set[int]) -> str:
    """The numbers in words: a range where they are one."""
    low, high = min(numbers), max(numbers)
    if len(numbers) == high - low + 1 > 1:
        return f"{low} to {high}"
    return ", ".join(map(str, sorted(numbers)))


class UniquePlaces:
    """The places of all matrices of a source; no two tensors have the same."""

    def __init__(self) -> None:
        self._tensors: dict[tuple[object, ...], tuple[Path, str]] = {}
        self._shapes: dict[tuple[Path, str], tuple[int, ...]] = {}

    def require_one_length(
        self, found: FoundTensor, shape: tuple[int, ...], axes: tuple[str, ...] | None
    ) -> None:
        """Refuse a list of tensors that may be layers of texts, but as well texts of layers."""
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
        """Refuse a place with a layer that another tensor of the same list has."""
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
