"""Tensors in npy and npz files."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from samapprox.attention.weights.tensor import NotWeights, Tensor, TensorFile, require_selection
from samapprox.formats.arrays import Archive, NotNumbers, StoredArray, open_archive, open_array

__all__ = ["open_npy", "open_npz"]


@contextmanager
def open_npy(stream: BinaryIO, _path: Path | None) -> Iterator[TensorFile]:
    """Open an npy file, which has one tensor without a name."""
    yield _Single(stream)


@contextmanager
def open_npz(stream: BinaryIO, _path: Path | None) -> Iterator[TensorFile]:
    """Open an npz file."""
    with open_archive(stream) as archive:
        yield _Archived(archive)


class _Single:
    """An npy file."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self.names = [""]

    def tensor(self, name: str) -> Tensor:
        assert name == ""
        return _Array(self)

    def open(self) -> AbstractContextManager[StoredArray]:
        return open_array(self._stream)


class _Archived:
    """An npz file."""

    def __init__(self, archive: Archive) -> None:
        self._archive = archive
        self.names = archive.names

    def tensor(self, name: str) -> Tensor:
        return _Array(_Member(self._archive, name))


class _Member:
    """An array of an archive."""

    def __init__(self, archive: Archive, name: str) -> None:
        self._archive, self._name = archive, name

    def open(self) -> AbstractContextManager[StoredArray]:
        return self._archive.open(self._name)


class _Array:
    """A numpy array, opened from its start whenever it is read."""

    def __init__(self, source: _Single | _Member) -> None:
        self._source = source
        try:
            with source.open() as stored:
                self.shape, dtype, name = stored.shape, stored.dtype, stored.name
        except NotNumbers as error:
            raise NotWeights(str(error)) from None
        if len(self.shape) < 2 or dtype.kind not in "fiu":
            pattern = "; a 0/1 pattern needs no rule: `samapprox dim`, `samapprox batch`"
            raise NotWeights(
                f"{name} holds {dtype} of shape {self.shape}, not attention weights "
                f"(.., queries, keys){pattern if dtype.kind == 'b' else ''}"
            )
        self.roundoff = float(np.finfo(dtype).eps) / 2 if dtype.kind == "f" else 0.0

    def read(self, select: tuple[int, ...]) -> NDArray[Any]:
        require_selection(self.shape, select)
        with self._source.open() as stored:
            if len(select) == len(self.shape) - 2:
                (block,) = stored.blocks(1, select)
                return np.asarray(block[0])
            return np.asarray(stored.read()[select])

    def matrices(self, select: tuple[int, ...]) -> Iterator[NDArray[Any]]:
        require_selection(self.shape, select)
        with self._source.open() as stored:
            yield from (block[0] for block in stored.blocks(1, select))
