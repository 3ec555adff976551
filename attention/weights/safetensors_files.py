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

from samapprox.attention.weights.tensor import Position, Tensor, TensorFile, require_weights
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
    length = int.from_bytes(stream.read(8), "little")
    header = json.loads(stream.read(length))
    header.pop("__metadata__", None)

    def tensor(name: str) -> Tensor:
        entry = header[name]
        return _tensor(stream, 8 + length + entry["data_offsets"][0], entry)

    yield TensorFile(list(header), tensor)


def _tensor(stream: BinaryIO, start: int, entry: dict[str, Any]) -> Tensor:
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
