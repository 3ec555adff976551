"""Tensors in safetensors files, BF16 included."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from samapprox.attention.weights.tensor import (
    NotWeights,
    Tensor,
    TensorFile,
    TensorOfParts,
    require_selection,
)
from samapprox.errors import InputError

__all__ = ["open_safetensors"]


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
def open_safetensors(stream: BinaryIO, path: Path | None) -> Iterator[TensorFile]:
    """Open a safetensors file."""
    if path is None:
        raise InputError("safetensors are read from files, not from standard input")
    import safetensors

    try:
        with safetensors.safe_open(path, framework="numpy"):
            pass
    except safetensors.SafetensorError as error:
        raise InputError(f"not a readable safetensors file: {error}") from None
    yield _File(stream)


class _File:
    """A safetensors file whose header fits the file."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        length = int.from_bytes(stream.read(8), "little")
        self._header = json.loads(stream.read(length))
        self._header.pop("__metadata__", None)
        self._start = 8 + length
        self.names: list[str] = list(self._header)
        if not self.names:
            raise InputError("the file holds no tensor")

    def tensor(self, name: str) -> Tensor:
        entry = self._header[name]
        kind, shape = entry["dtype"], tuple(entry["shape"])
        if kind not in _KINDS or len(shape) < 2:
            raise NotWeights(
                f"the tensor holds {kind} of shape {shape}; attention weights are "
                f"{', '.join(_KINDS)} of shape (.., queries, keys)"
            )
        return _Stored(self._stream, self._start + entry["data_offsets"][0], shape, kind)


class _Stored(TensorOfParts):
    """A tensor, of which each read takes the bytes of one part."""

    def __init__(self, stream: BinaryIO, start: int, shape: tuple[int, ...], kind: str) -> None:
        self._stream, self._start, self._kind = stream, start, kind
        self.shape = shape
        self.roundoff = _KINDS[kind].roundoff

    def read(self, select: tuple[int, ...]) -> NDArray[Any]:
        require_selection(self.shape, select)
        dtype = np.dtype(_KINDS[self._kind].dtype)
        part = self.shape[len(select) :]
        size = math.prod(part) * dtype.itemsize
        before = int(np.ravel_multi_index(select, self.shape[: len(select)])) if select else 0
        self._stream.seek(self._start + before * size)
        numbers = np.frombuffer(self._stream.read(size), dtype=dtype)
        if self._kind == "BF16":  # the upper half of a float32
            numbers = (numbers.astype(np.uint32) << 16).view(np.float32)
        return numbers.reshape(part)
