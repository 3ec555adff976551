"""Attention tensors in files: npy, npz, safetensors or torch.save, with any leading axes."""

from __future__ import annotations

import json
import math
import os
import pickle
import warnings
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import takewhile
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from samapprox.errors import InputError, errors_within, file_errors
from samapprox.formats import tensor_format
from samapprox.formats.arrays import NotNumbers, StoredArray, open_archive, open_array
from samapprox.formats.files import open_source
from samapprox.support.packages import require_package

Position = tuple[int, ...]

_MOST_AXES = 32  # the most axes of an array of numpy before version 2


_LARGEST_EXPANDED = 1 << 30  # bytes of tensors that repeat stored numbers, as expand() does
_LARGEST_RATIO = 20  # claimed bytes per stored byte, beyond that size


class NotWeights(InputError):
    """A tensor that cannot hold attention weights: too few axes, or another type of entries."""


@dataclass(frozen=True, slots=True)
class Tensor:
    """Attention weights of shape (.., queries, keys) in a file; nothing is in memory yet."""

    shape: tuple[int, ...]
    roundoff: float  # relative rounding error of the stored numbers; 0 for whole numbers
    read_part: Callable[[Position], NDArray[Any]]
    # Where files are read from their start: all matrices of a part in one pass.
    read_in_order: Callable[[Position], Iterator[NDArray[Any]]] | None = None

    def require_matrices(self) -> None:
        """Refuse a tensor without entries, or with more axes than an array has."""
        if len(self.shape) > _MOST_AXES:
            raise NotWeights(f"a tensor of {len(self.shape)} axes holds no attention weights")
        if 0 in self.shape:
            raise NotWeights(f"a tensor of shape {self.shape} holds no matrix")

    def read(self, select: Position) -> NDArray[Any]:
        """Read the part at these positions on the first leading axes."""
        self._require(select)
        return self.read_part(select)

    def matrices(self, select: Position) -> Iterator[NDArray[Any]]:
        """Read the matrices of that part in order, one in memory at a time."""
        self._require(select)
        if self.read_in_order is not None:
            yield from self.read_in_order(select)
            return
        for index in np.ndindex(self.shape[len(select) : -2]):
            yield self.read_part((*select, *index))

    def matrices_at(self, positions: Sequence[Position]) -> Iterator[NDArray[Any]]:
        """Read the matrices at these positions, which are in order, one in memory at a time."""
        if self.read_in_order is None:
            yield from map(self.read_part, positions)
            return
        wanted, pairs = set(positions), zip(positions[0], positions[-1], strict=True)
        prefix = tuple(first for first, _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
        indices = np.ndindex(self.shape[len(prefix) : -2])
        for index, matrix in zip(indices, self.read_in_order(prefix), strict=True):
            if (*prefix, *index) in wanted:
                yield matrix

    def _require(self, select: Position) -> None:
        """Refuse positions that the tensor does not have."""
        leading = self.shape[:-2]
        if len(select) > len(leading):
            raise InputError(
                f"a tensor of shape {self.shape} has {len(leading)} leading axes, and "
                f"{list(select)} names {len(select)} positions"
            )
        for axis, (position, size) in enumerate(zip(select, leading, strict=False)):
            if not 0 <= position < size:
                raise InputError(
                    f"a tensor of shape {self.shape} has no position {position} on axis {axis}; "
                    f"choose 0 to {size - 1}"
                )


@dataclass(frozen=True, slots=True)
class TensorFile:
    """The tensors of a file by name; the name of a lone tensor without a name is empty."""

    names: list[str]  # as stored; those of nested lists and dicts are joined by dots
    tensor: Callable[[str], Tensor]

    def __post_init__(self) -> None:
        if not self.names:
            raise InputError("the file holds no tensor")


def require_weights(kind: str, shape: tuple[int, ...], kinds: Collection[str]) -> None:
    """Refuse a tensor of another type of numbers, or without queries and keys."""
    if kind not in kinds or len(shape) < 2:
        raise NotWeights(
            f"the tensor holds {kind} of shape {shape}; attention weights are {', '.join(kinds)} "
            "of shape (.., queries, keys)"
        )


@contextmanager
def _open_torch(stream: BinaryIO, path: Path | None) -> Iterator[TensorFile]:
    """Open a file of torch.save: a tensor, or lists and dicts of tensors at any depth."""
    torch = require_package("torch", "torch", "A file of torch.save")
    mapped = path is not None and stream.read(2) == b"PK"
    stream.seek(0)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            held = torch.load(
                path if mapped else stream, weights_only=True, map_location="cpu", mmap=mapped
            )
        tensors = name_apart(flatten(held, lambda one: isinstance(one, torch.Tensor)))
    except InputError:
        raise
    except pickle.UnpicklingError as error:
        if "nsupported" in str(error):
            raise InputError(
                "holds objects other than tensors, lists and dicts, which are never unpickled: "
                "save the tensors alone, as by torch.save(outputs.attentions, FILE)"
            ) from None
        raise InputError("PyTorch cannot read the file: it is damaged") from None
    except Exception as error:  # damaged files raise nearly anything
        reason = str(error).partition("\n")[0]
        raise InputError(f"PyTorch cannot read the file: {reason}") from None
    yield TensorFile(list(tensors), lambda name: open_torch_tensor(tensors[name]))


def flatten(
    held: object, is_tensor: Callable[[object], bool], name: str = ""
) -> Iterator[tuple[str, Any]]:
    """All tensors within lists and dicts, by the path to each; other values are left out."""
    if is_tensor(held):
        yield name, held
        return
    items: Iterator[tuple[object, object]]
    if isinstance(held, Mapping):
        items = iter(held.items())
    elif isinstance(held, list | tuple):
        items = iter(enumerate(held))
    else:
        return
    for part, inner in items:
        yield from flatten(inner, is_tensor, f"{name}.{part}" if name else str(part))


def name_apart(found: Iterator[tuple[str, Any]]) -> dict[str, Any]:
    """The tensors by name; two of one name are refused."""
    tensors: dict[str, Any] = {}
    for name, tensor in found:
        if name in tensors:
            raise InputError(f"two tensors have the name {name!r}; rename one of them")
        tensors[name] = tensor
    return tensors


ROUNDOFF = {"float64": 2**-53, "float32": 2**-24, "float16": 2**-11, "bfloat16": 2**-8}
"""Type of numbers -> the relative error of rounding to it."""


def open_torch_tensor(held: Any) -> Tensor:
    """Open a tensor of PyTorch, on any device."""
    kind, shape = str(held.dtype).removeprefix("torch."), tuple(held.shape)
    if held.is_meta:
        raise NotWeights("the tensor has a shape without numbers (device meta)")
    if str(held.layout) != "torch.strided":
        raise NotWeights("the tensor is sparse; save its to_dense()")
    require_weights(kind, shape, ROUNDOFF)
    claimed, stored = held.numel() * held.itemsize, held.untyped_storage().nbytes()
    if claimed > max(_LARGEST_EXPANDED, _LARGEST_RATIO * stored):
        raise InputError(f"would unfold to {claimed} bytes from {stored}; refused")

    def read_part(select: Position) -> NDArray[Any]:
        part = held.detach()
        part = part[select] if select else part
        if kind in ("float16", "bfloat16"):  # numpy has no bfloat16; float32 holds both exactly
            part = part.float()
        return np.asarray(part.cpu().numpy())

    return Tensor(shape, ROUNDOFF[kind], read_part)


@dataclass(frozen=True, slots=True)
class _Kind:
    """A type of numbers: how numpy reads its bytes, and its relative rounding error."""

    dtype: str
    roundoff: float


_KINDS = {
    "F64": _Kind("<f8", 2**-53),
    "F32": _Kind("<f4", 2**-24),
    "F16": _Kind("<f2", 2**-11),
    "BF16": _Kind("<u2", 2**-8),
}


@contextmanager
def _open_safetensors(stream: BinaryIO, path: Path | None) -> Iterator[TensorFile]:
    """Open a safetensors file."""
    if path is None:
        raise InputError("safetensors are read from files, not from standard input")
    import safetensors

    try:
        with safetensors.safe_open(path, framework="numpy"):
            pass
    except safetensors.SafetensorError as error:
        raise InputError(f"not a readable safetensors file: {error}") from None
    length = int.from_bytes(stream.read(8), "little")
    header = json.loads(stream.read(length))
    header.pop("__metadata__", None)

    def tensor(name: str) -> Tensor:
        entry = header[name]
        return _safe_tensor(stream, 8 + length + entry["data_offsets"][0], entry)

    yield TensorFile(list(header), tensor)


def _safe_tensor(stream: BinaryIO, start: int, entry: dict[str, Any]) -> Tensor:
    """Return a tensor, of which each read takes the bytes of one part."""
    name, shape = entry["dtype"], tuple(entry["shape"])
    require_weights(name, shape, _KINDS)
    dtype = np.dtype(_KINDS[name].dtype)

    def read_part(select: Position) -> NDArray[Any]:
        part = shape[len(select) :]
        size = math.prod(part) * dtype.itemsize
        before = int(np.ravel_multi_index(select, shape[: len(select)])) if select else 0
        stream.seek(start + before * size)
        numbers = np.frombuffer(stream.read(size), dtype=dtype)
        if name == "BF16":  # the upper half of a float32
            numbers = (numbers.astype(np.uint32) << 16).view(np.float32)
        return numbers.reshape(part)

    return Tensor(shape, _KINDS[name].roundoff, read_part)


@contextmanager
def _open_npy(stream: BinaryIO, _path: Path | None) -> Iterator[TensorFile]:
    """Open an npy file, which has one tensor without a name."""
    yield TensorFile([""], lambda _name: _array_tensor(partial(open_array, stream)))


@contextmanager
def _open_npz(stream: BinaryIO, _path: Path | None) -> Iterator[TensorFile]:
    """Open an npz file."""
    with open_archive(stream) as archive:
        yield TensorFile(archive.names, lambda name: _array_tensor(partial(archive.open, name)))


def _array_tensor(open_stored: Callable[[], AbstractContextManager[StoredArray]]) -> Tensor:
    """Return a numpy array, which is opened from its start whenever it is read."""
    try:
        with open_stored() as stored:
            shape, dtype, name = stored.shape, stored.dtype, stored.name
    except NotNumbers as error:
        raise NotWeights(str(error)) from None
    if len(shape) < 2 or dtype.kind not in "fiu":
        pattern = "; a 0/1 pattern needs no rule: `samapprox dim`, `samapprox batch`"
        raise NotWeights(
            f"{name} holds {dtype} of shape {shape}, not attention weights "
            f"(.., queries, keys){pattern if dtype.kind == 'b' else ''}"
        )

    def read_part(select: Position) -> NDArray[Any]:
        if len(select) == len(shape) - 2:
            (matrix,) = read_in_order(select)
            return matrix
        with open_stored() as stored:
            return np.asarray(stored.read()[select])

    def read_in_order(select: Position) -> Iterator[NDArray[Any]]:
        with open_stored() as stored:
            yield from (block[0] for block in stored.blocks(1, select))

    roundoff = float(np.finfo(dtype).eps) / 2 if dtype.kind == "f" else 0.0
    return Tensor(shape, roundoff, read_part, read_in_order)


_HEAD = 256  # bytes by which a format is recognised

_OPENERS: dict[str, Callable[[BinaryIO, Path | None], AbstractContextManager[TensorFile]]] = {
    "npy": _open_npy,
    "npz": _open_npz,
    "safetensors": _open_safetensors,
    "torch": _open_torch,
}
"""Format of `tensor_format` -> the function that opens it, given a stream and its path."""


@contextmanager
def open_tensor(path: str | os.PathLike[str], key: str | None = None) -> Iterator[Tensor]:
    """Open one tensor of a file, which is then read one matrix at a time."""
    with open_tensors(path) as file:
        tensor = file.tensor(choose(file.names, key))
        tensor.require_matrices()
        yield tensor


@contextmanager
def open_tensors(path: str | os.PathLike[str]) -> Iterator[TensorFile]:
    """Open the tensors of a file, which are then read one matrix at a time."""
    with open_source(path) as stream, file_errors(path), errors_within(str(path)):
        head = stream.read(_HEAD)
        stream.seek(0)
        kind = tensor_format(os.fspath(path), head)
        if kind is None:
            raise InputError("not an npy, npz, safetensors or torch.save file")
        with _OPENERS[kind](stream, None if str(path) == "-" else Path(path)) as file:
            yield file


def choose(names: list[str], key: str | None) -> str:
    """Choose the tensor of this name, or the only one."""
    if key is not None:
        if names == [""]:
            raise InputError(f"the file has one array without a name; drop {key!r}")
        if key not in names:
            raise InputError(f"no array {key!r}; there are: {', '.join(names)}")
        return key
    if len(names) != 1:
        raise InputError(f"several arrays ({', '.join(names)}); choose one by the key (--key)")
    return names[0]
