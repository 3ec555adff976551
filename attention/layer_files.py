"""Layers in files that models load: safetensors and npz."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np

from samapprox.attention.approximation.layer import AttentionLayer
from samapprox.errors import InputError
from samapprox.support.atomic import replacing

__all__ = ["layer_kind", "save_layer"]


def save_layer(layer: AttentionLayer, path: str | os.PathLike[str]) -> None:
    """Write X, W_Q and W_K as safetensors or npz, according to the ending.

    Safetensors keep the type (float64, float32, float16, bfloat16) and have d, d_hid and causal as
    metadata; `safetensors.torch.load_file` gives PyTorch tensors.

    Parameters
    ----------
    layer : AttentionLayer
    path : path
        Ending in .safetensors or .npz.

    Raises
    ------
    InputError
        Another ending, exact numbers for safetensors, or a place that cannot be written.

    Examples
    --------
    >>> import tempfile
    >>> from safetensors.numpy import load_file
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_layer(AttentionLayer([[1.0]], [[2.0]], [[3.0]]), folder + "/layer.safetensors")
    ...     load_file(folder + "/layer.safetensors")["W_Q"]
    array([[2.]])
    """
    path = Path(path)
    if layer_kind(path) == ".npz":
        layer.save(path)
        return
    if layer.is_exact:
        raise InputError(f"{path}: no tensor holds exact numbers; write .npz, or take floats")
    from safetensors.numpy import save

    tensors = {name: np.ascontiguousarray(getattr(layer, name)) for name in ("X", "W_Q", "W_K")}
    facts = {"d": str(layer.d), "d_hid": str(layer.d_hid), "causal": str(layer.causal).lower()}
    with replacing(path) as stream:
        stream.write(save(tensors, metadata=facts))


def layer_kind(path: str | os.PathLike[str]) -> str:
    """Return the ending of a file's name if layers can be written with it.

    Raises
    ------
    InputError
        Another ending.

    Examples
    --------
    >>> layer_kind("layer.NPZ")
    '.npz'
    """
    ending = Path(path).suffix.lower()
    if ending not in (".npz", ".safetensors"):
        raise InputError(f"{path}: layers are written as .npz or .safetensors")
    return ending
