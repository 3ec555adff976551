"""Attention tensors in files: npy, npz or safetensors, with any leading axes."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from samapprox.errors import InputError
from samapprox.formats.arrays import Archive, StoredArray, open_archive, open_array
from samapprox.formats.files import open_source

__all__ = ["ENDINGS", "Tensor", "TensorFile", "load_attention", "open_tensors"]

ENDINGS = (".npy", ".npz", ".safetensors")
"""Of files that hold tensors."""

_FLOATS = ("F16", "F32", "F64")


class Tensor(Protocol):
    """Attention weights of shape (.., queries, keys) in a file; nothing of them is in memory."""

    @property
    def shape(self) -> tuple[int, ...]:
        """Leading axes, queries, keys."""

    def read(self, select: tuple[int, ...]) -> NDArray[Any]:
        """The part below some positions on the leading axes."""

    def matrices(self, select: tuple[int, ...]) -> Iterator[NDArray[Any]]:
        """The matrices of that part in order, one in memory at a time."""


class TensorFile(Protocol):
    """The tensors of a file by name; an npy file has one without a name."""

    @property
    def names(self) -> list[str]:
        """As stored."""

    def tensor(self, name: str) -> Tensor:
        """One of them; of an npy file, to be read once."""


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
    with open_tensors(path) as file:
        return file.tensor(_choose(file.names, key)).read(select)


@contextmanager
def open_tensors(path: str | os.PathLike[str]) -> Iterator[TensorFile]:
    """The tensors of a file, to be read one matrix at a time.

    Parameters
    ----------
    path : path
        npy, npz or safetensors.

    Raises
    ------
    InputError
        The file, or what is read within the context, is damaged or holds no attention; one line
        that names the file.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     np.savez(folder + "/a.npz", A=np.full((6, 12, 3, 3), 1 / 3))
    ...     with open_tensors(folder + "/a.npz") as file:
    ...         file.names, sum(1 for _ in file.tensor("A").matrices((2,)))
    (['A'], 12)
    """
    with open_source(path) as stream:
        try:
            head = stream.read(16)
            stream.seek(0)
            if head.startswith(b"\x93NUMPY"):
                with open_array(stream) as stored:
                    yield _Single(stored)
            elif head.startswith(b"PK"):
                with open_archive(stream) as archive:
                    yield _Archived(archive)
            elif head[8:9] == b"{":
                if str(path) == "-":
                    raise InputError("safetensors are read from files, not from standard input")
                with _safetensors(Path(path)) as file:
                    yield file
            else:
                raise InputError("not an npy, npz or safetensors file")
        except InputError as error:
            raise error.within(str(path)) from None
        except OSError as error:
            raise InputError(f"{path}: {error.strerror or error}") from None


def _choose(names: list[str], key: str | None) -> str:
    if key is not None:
        if names == [""]:
            raise InputError(f"an npy file has one array without a name; drop {key!r}")
        if key not in names:
            raise InputError(f"no array {key!r}; there are: {', '.join(names)}")
        return key
    if len(names) != 1:
        raise InputError(f"several arrays ({', '.join(names)}); choose one by the key (--key)")
    return names[0]


# ---------------------------------------------------------------- npy and npz


class _Single:
    """An npy file."""

    names = [""]  # noqa: RUF012

    def __init__(self, stored: StoredArray) -> None:
        self._stored = stored

    def tensor(self, name: str) -> Tensor:
        assert name == ""
        return _Stored(self._stored)


class _Archived:
    """An npz file."""

    def __init__(self, archive: Archive) -> None:
        self._archive = archive
        self.names = archive.names

    def tensor(self, name: str) -> Tensor:
        return _Member(self._archive, name)


class _Stored:
    """An array of numpy's, to be read once."""

    def __init__(self, stored: StoredArray) -> None:
        self._stored = stored
        self.shape = stored.shape
        if stored.ndim < 2 or stored.dtype.kind not in "fiu":
            raise InputError(
                f"{stored.name} holds {stored.dtype} of shape {stored.shape}, not attention "
                "weights (.., queries, keys)"
            )

    def read(self, select: tuple[int, ...]) -> NDArray[Any]:
        _require_selection(self.shape, select)
        if len(select) == len(self.shape) - 2:
            (block,) = self._stored.blocks(1, select)
            return np.asarray(block[0])
        return np.asarray(self._stored.read()[select])

    def matrices(self, select: tuple[int, ...]) -> Iterator[NDArray[Any]]:
        _require_selection(self.shape, select)
        return (block[0] for block in self._stored.blocks(1, select))


class _Member:
    """An array of an archive, opened anew whenever it is read."""

    def __init__(self, archive: Archive, name: str) -> None:
        self._archive, self._name = archive, name
        with archive.open(name) as stored:
            self.shape = _Stored(stored).shape

    def read(self, select: tuple[int, ...]) -> NDArray[Any]:
        with self._archive.open(self._name) as stored:
            return _Stored(stored).read(select)

    def matrices(self, select: tuple[int, ...]) -> Iterator[NDArray[Any]]:
        with self._archive.open(self._name) as stored:
            yield from _Stored(stored).matrices(select)


# ---------------------------------------------------------------- safetensors


@contextmanager
def _safetensors(path: Path) -> Iterator[TensorFile]:
    import safetensors

    try:
        with safetensors.safe_open(path, framework="numpy") as file:
            yield _Safetensors(file)
    except safetensors.SafetensorError as error:
        raise InputError(f"not a readable safetensors file: {error}") from None


class _Safetensors:
    """A safetensors file."""

    def __init__(self, file: Any) -> None:
        self._file = file
        self.names: list[str] = list(file.keys())

    def tensor(self, name: str) -> Tensor:
        return _Slice(self._file.get_slice(name))


class _Slice:
    """A tensor of a safetensors file, which reads the parts that it is asked for."""

    def __init__(self, part: Any) -> None:
        self._part = part
        self.shape = tuple(part.get_shape())
        if part.get_dtype() not in _FLOATS or len(self.shape) < 2:
            raise InputError(
                f"the tensor holds {part.get_dtype()} of shape {self.shape}; attention weights are "
                f"{', '.join(_FLOATS)} of shape (.., queries, keys): convert it"
            )

    def read(self, select: tuple[int, ...]) -> NDArray[Any]:
        _require_selection(self.shape, select)
        return np.asarray(self._part[select] if select else self._part[:])

    def matrices(self, select: tuple[int, ...]) -> Iterator[NDArray[Any]]:
        _require_selection(self.shape, select)
        for index in np.ndindex(self.shape[len(select) : -2]):
            yield self.read((*select, *index))


def _require_selection(shape: tuple[int, ...], select: tuple[int, ...]) -> None:
    if len(select) > len(shape) - 2 or any(
        not 0 <= position < size for position, size in zip(select, shape, strict=False)
    ):
        raise InputError(f"a tensor of shape {shape} has no part {list(select)}")
