"""Attention tensors in files: npy, npz, safetensors or torch.save, with any leading axes."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import BinaryIO

from samapprox.attention.weights.numpy_files import open_npy, open_npz
from samapprox.attention.weights.safetensors_files import open_safetensors
from samapprox.attention.weights.tensor import Tensor, TensorFile
from samapprox.attention.weights.torch_files import open_torch
from samapprox.errors import InputError
from samapprox.formats.files import open_source
from samapprox.formats.known_formats import tensor_format

__all__ = ["choose", "open_tensor", "open_tensors"]

_HEAD = 256  # bytes by which a format is recognised

_OPENERS: dict[str, Callable[[BinaryIO, Path | None], AbstractContextManager[TensorFile]]] = {
    "npy": open_npy,
    "npz": open_npz,
    "safetensors": open_safetensors,
    "torch": open_torch,
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
    with open_source(path) as stream:
        try:
            head = stream.read(_HEAD)
            stream.seek(0)
            kind = tensor_format(os.fspath(path), head)
            if kind is None:
                raise InputError("not an npy, npz, safetensors or torch.save file")
            with _OPENERS[kind](stream, None if str(path) == "-" else Path(path)) as file:
                yield file
        except InputError as error:
            raise error.within(str(path)) from None
        except OSError as error:
            raise InputError(f"{path}: {error.strerror or error}") from None


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
