"""Reading attention weights as one array: a tensor, or the layers of a model."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from samapprox.attention.weights.sources import (
    Choice,
    FoundTensor,
    Source,
    find_tensors,
    name_of,
    open_held,
    require_key,
    require_positions,
)
from samapprox.attention.weights.tensors import NotWeights, TensorFile, choose, open_tensors
from samapprox.errors import InputError, file_errors


def load_attention(
    source: object, *, key: str | None = None, select: tuple[int, ...] = ()
) -> NDArray[Any]:
    """Read attention weights from a file, a folder, or from memory.

    Parameters
    ----------
    source : path, array, or list or dict of arrays
        npy, npz, safetensors, or a file of torch.save (where PyTorch is installed); a folder of
        such files; or tensors, such as ``outputs.attentions``. Several tensors are the layers of
        one model on one text.
    key : str, optional
        The tensor to take, where there are several; or a pattern of the shell, as ``*attn*``, for
        the tensors of all layers.
    select : tuple of int
        Of one tensor, positions on the leading axes (layer, head); of several, a layer, or a layer
        and a head. The rest is not read where the file allows it.

    Returns
    -------
    ndarray of float or int, shape (.., m, n)
        bfloat16 as float32. Several layers become the first axis, and their axes of size 1 before
        the head are dropped.

    Raises
    ------
    InputError
        The source cannot be read, holds no such tensor, or holds several that are not the layers of
        one model on one text; one line that names the file.

    Examples
    --------
    >>> import tempfile
    >>> import numpy as np
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     np.save(folder + "/a.npy", np.full((6, 12, 3, 3), 1 / 3))
    ...     load_attention(folder + "/a.npy", select=(0, 8)).shape
    (3, 3)
    >>> load_attention([np.full((1, 12, 3, 3), 1 / 3)] * 6).shape
    (6, 12, 3, 3)
    """
    require_key(key)
    require_positions(select)
    if not isinstance(source, str | os.PathLike):
        held = open_held(source)
        return _read(held, key, select) if _is_alone(held, key) else _stack(held, key, select)
    path = Path(source)
    with file_errors(path):
        is_folder = path.is_dir()
    if not is_folder:
        with open_tensors(source) as file:
            if _is_alone(file, key):
                return _read(file, key, select)
    return _stack(path, key, select)


def _is_alone(file: TensorFile, key: str | None) -> bool:
    """Whether one tensor is meant: the only one, or the one of this name."""
    if key is not None:
        return key in file.names or not any(mark in key for mark in "*?[")
    return len(file.names) == 1


def _read(file: TensorFile, key: str | None, select: tuple[int, ...]) -> NDArray[Any]:
    """Read one tensor, or the part at these positions."""
    tensor = file.tensor(choose(file.names, key))
    tensor.require_matrices()
    return tensor.read(select)


def _stack(source: Source, key: str | None, select: tuple[int, ...]) -> NDArray[Any]:
    """Read the layers of a model as one array."""
    choice, layers = Choice(select), dict[int, NDArray[Any]]()
    for found in find_tensors(source, key):
        layer = found.label.layer
        if layer is None or layer in layers:
            raise InputError(
                f"{found.describe()}: several arrays ({', '.join(found.file.names)}); choose one "
                "by the key (--key), or name them after the layers of one text, as layer_0"
            )
        if (weights := _read_layer(found, choice)) is not None:
            layers[layer] = weights
    choice.require_found(source)
    if not layers:
        raise InputError(f"{name_of(source)}: no array of attention weights (.., queries, keys)")
    if select:
        (weights,) = layers.values()
        return weights if len(select) == 1 else np.asarray(weights[0])
    shapes = {layers[layer].shape for layer in layers}
    if sorted(layers) != list(range(len(layers))) or len(shapes) > 1:
        raise InputError(
            f"layers {', '.join(map(str, sorted(layers)))} of shapes "
            f"{', '.join(map(str, sorted(shapes)))} are no stack; choose one by select"
        )
    return np.stack([layers[layer] for layer in sorted(layers)])


def _read_layer(found: FoundTensor, choice: Choice) -> NDArray[Any] | None:
    """Read the chosen heads of a tensor, without its axes of size 1 before the head."""
    try:
        tensor = found.open()
    except NotWeights:
        return None
    places = choice.keep(found.places(tensor.shape, None))
    if not places:
        return None
    heads = np.stack([weights for _, weights in found.matrices(tensor, places)])
    if len(heads) < np.prod(tensor.shape[:-2], dtype=int):
        return heads.reshape(-1, *tensor.shape[-2:])
    kept = [size for size in tensor.shape[:-3] if size > 1]
    return heads.reshape(*kept, *tensor.shape[-3:])
