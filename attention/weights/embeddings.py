"""Queries and keys in files: npy, which is mapped, npz, safetensors, Parquet, numbers as text."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from samapprox.attention.weights.tensors import NotWeights, open_tensors
from samapprox.errors import InputError, errors_within
from samapprox.formats.arrays import open_array
from samapprox.formats.vectors import load_parquet, load_vectors
from samapprox.vectors import VectorSet

_NAMES = ("queries", "keys")
"""The names of both sets in a file of tensors."""


def load_embeddings(files: Sequence[str | os.PathLike[str]]) -> VectorSet:
    """Read queries and keys from one file that has both, or from one file each."""
    if len(files) == 1:
        return _load_both(Path(files[0]))
    if len(files) != 2:
        raise InputError(f"{len(files)} files of embeddings; give the queries and the keys")
    queries, keys = (_load_one(Path(file)) for file in files)
    with errors_within(", ".join(map(str, files))):
        return VectorSet(
            queries.first, keys.first, first_ids=queries.first_ids, second_ids=keys.first_ids
        )


def _load_both(path: Path) -> VectorSet:
    """Read a file with two sets of vectors."""
    if path.suffix == ".safetensors":
        queries, keys = (_load_tensor(path, name) for name in _NAMES)
        return VectorSet(queries, keys)
    vectors = load_vectors(path)
    if vectors.second is None:
        raise InputError(f"{path}: one set of vectors; give two files, the queries and the keys")
    return vectors


def _load_one(path: Path) -> VectorSet:
    """Read a file with one set of vectors."""
    if path.suffix == ".safetensors":
        return VectorSet(_load_tensor(path, None))
    if path.suffix == ".npy":
        return VectorSet(_map_array(path))
    if path.suffix == ".parquet":
        return load_parquet(path)
    vectors = load_vectors(path)
    if vectors.second is not None:
        raise InputError(f"{path}: two sets of vectors; give it alone, or one set in each file")
    return vectors


def _load_tensor(path: Path, name: str | None) -> NDArray[Any]:
    """Read one tensor; the only one if it has no name."""
    with open_tensors(path) as file:
        if name is None and len(file.names) == 1:
            name = file.names[0]
        if name not in file.names:
            wanted = "one tensor" if name is None else f"tensors {' and '.join(_NAMES)}"
            raise InputError(f"its tensors are {', '.join(file.names)}; embeddings are {wanted}")
        try:
            tensor = file.tensor(name)
        except NotWeights:
            raise InputError(
                f"the tensor {name} is no matrix of F64, F32, F16 or BF16; embeddings are one, a "
                "vector a row"
            ) from None
        _require_matrix(tensor.shape, f"the tensor {name}")
        return tensor.read(())


def _map_array(path: Path) -> NDArray[Any]:
    """Map an npy file into memory, after its header proved to fit the file."""
    try:
        with path.open("rb") as stream, open_array(stream) as stored:
            if stored.dtype.kind not in "biuf":
                raise InputError(f"it holds {stored.dtype}; embeddings are numbers")
            _require_matrix(stored.shape, "the array")
        array: NDArray[Any] = np.load(path, mmap_mode="r", allow_pickle=False)
    except InputError as error:
        raise error.within(str(path)) from None
    except (OSError, ValueError) as error:  # the latter: a null byte in the name
        raise InputError(f"{path}: {getattr(error, 'strerror', None) or error}") from None
    return array


def _require_matrix(shape: tuple[int, ...], what: str) -> None:
    if len(shape) != 2 or not math.prod(shape):
        raise InputError(f"{what} has shape {shape}; embeddings are a matrix, a vector a row")
