"""Tensors in memory: arrays of any library, and lists and dicts of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from samapprox.attention.weights.tensor import Position, Tensor, TensorFile, require_weights
from samapprox.attention.weights.torch_files import (
    ROUNDOFF,
    flatten,
    name_apart,
    open_torch_tensor,
)
from samapprox.errors import InputError

__all__ = ["open_held"]


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
    return TensorFile(list(tensors), lambda name: _open(tensors[name]))


def _is_tensor(held: object) -> bool:
    return hasattr(held, "__array__") and hasattr(held, "shape")


def _open(held: Any) -> Tensor:
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
