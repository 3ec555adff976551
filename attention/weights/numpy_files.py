"""Tensors in npy and npz files."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from samapprox.attention.weights.tensor import NotWeights, Position, Tensor, TensorFile
from samapprox.formats.arrays import NotNumbers, StoredArray, open_archive, open_array

__all__ = ["open_npy", "open_npz"]


@contextmanager
def open_npy(stream: BinaryIO, _path: Path | None) -> Iterator[TensorFile]:
    """Open an npy file, which has one tensor without a name."""
    yield TensorFile([""], lambda _name: _tensor(partial(open_array, stream)))


@contextmanager
def open_npz(stream: BinaryIO, _path: Path | None) -> Iterator[TensorFile]:
    """Open an npz file."""
    with open_archive(stream) as archive:
        yield TensorFile(archive.names, lambda name: _tensor(partial(archive.open, name)))


def _tensor(open_stored: Callable[[], AbstractContextManager[StoredArray]]) -> Tensor:
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
