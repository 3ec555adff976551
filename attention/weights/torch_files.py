"""Tensors in files that torch.save wrote, read by PyTorch without unpickling other objects."""

from __future__ import annotations

import pickle
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from samapprox.attention.weights.tensor import (
    NotWeights,
    Position,
    Tensor,
    TensorFile,
    require_weights,
)
from samapprox.errors import InputError
from samapprox.support.packages import require_package

__all__ = ["ROUNDOFF", "flatten", "name_apart", "open_torch", "open_torch_tensor"]

_LARGEST_EXPANDED = 1 << 30  # of tensors that repeat what is stored, as expand() makes them
_LARGEST_RATIO = 20  # of claimed to stored bytes, beyond that size


@contextmanager
def open_torch(stream: BinaryIO, path: Path | None) -> Iterator[TensorFile]:
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
