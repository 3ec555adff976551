"""Attention tensors in files: npy, npz or safetensors, with any leading axes."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from samapprox.errors import InputError
from samapprox.formats.arrays import StoredArray, open_archive, open_array
from samapprox.formats.files import opened

__all__ = ["load_attention"]

_FLOATS = ("F16", "F32", "F64")


def load_attention(
    path: str | os.PathLike[str], *, key: str | None = None, select: tuple[int, ...] = ()
) -> NDArray[Any]:
    """Attention weights from a file.

    Parameters
    ----------
    path : path
        npy, npz or safetensors.
    key : str, optional
        Which tensor, where there are several.
    select : tuple of int
        Positions on the leading axes (layer, head): the rest is not read where the file allows it.

    Returns
    -------
    ndarray of float or int, shape (.., m, n)

    Raises
    ------
    InputError
        The file cannot be read or holds no such tensor; one line that names the file.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     np.save(folder + "/a.npy", np.full((6, 12, 3, 3), 1 / 3))
    ...     load_attention(folder + "/a.npy", select=(0, 8)).shape
    (3, 3)
    """
    with opened(path) as stream:
        try:
            return _load(stream, path, key, select)
        except InputError as error:
            raise error.within(str(path)) from None
        except OSError as error:
            raise InputError(f"{path}: {error.strerror or error}") from None


def _load(
    stream: BinaryIO, path: str | os.PathLike[str], key: str | None, select: tuple[int, ...]
) -> NDArray[Any]:
    head = stream.read(16)
    stream.seek(0)
    if head.startswith(b"\x93NUMPY"):
        if key is not None:
            raise InputError(f"an npy file has one array without a name; drop {key!r}")
        with open_array(stream) as stored:
            return _read(stored, select)
    if head.startswith(b"PK"):
        with open_archive(stream) as archive, archive.open(_choose(archive.names, key)) as stored:
            return _read(stored, select)
    if head[8:9] == b"{":
        if str(path) == "-":
            raise InputError("safetensors are read from files, not from standard input")
        return _read_safetensors(Path(path), key, select)
    raise InputError("not an npy, npz or safetensors file")


def _choose(names: list[str], key: str | None) -> str:
    if key is not None:
        if key not in names:
            raise InputError(f"no array {key!r}; there are: {', '.join(names)}")
        return key
    if len(names) != 1:
        raise InputError(f"several arrays ({', '.join(names)}); choose one by the key")
    return names[0]


def _read(stored: StoredArray, select: tuple[int, ...]) -> NDArray[Any]:
    if stored.ndim < 2 or stored.dtype.kind not in "fiu":
        raise InputError(
            f"{stored.name} holds {stored.dtype} of shape {stored.shape}, not attention weights "
            "(.., queries, keys)"
        )
    _require_selection(stored.shape, select)
    if len(select) == stored.ndim - 2:
        with stored.matrix(select) as rows:
            return rows(0, stored.shape[-2])
    return np.asarray(stored.read()[select])


def _read_safetensors(path: Path, key: str | None, select: tuple[int, ...]) -> NDArray[Any]:
    import safetensors

    try:
        with safetensors.safe_open(path, framework="numpy") as file:
            part = file.get_slice(_choose(list(file.keys()), key))
            shape = tuple(part.get_shape())
            if part.get_dtype() not in _FLOATS or len(shape) < 2:
                raise InputError(
                    f"the tensor holds {part.get_dtype()} of shape {shape}; attention weights are "
                    f"{', '.join(_FLOATS)} of shape (.., queries, keys): convert it"
                )
            _require_selection(shape, select)
            return np.asarray(part[select] if select else part[:])
    except safetensors.SafetensorError as error:
        raise InputError(f"not a readable safetensors file: {error}") from None


def _require_selection(shape: tuple[int, ...], select: tuple[int, ...]) -> None:
    if len(select) > len(shape) - 2 or any(
        not 0 <= position < size for position, size in zip(select, shape, strict=False)
    ):
        raise InputError(f"a tensor of shape {shape} has no part {list(select)}")
