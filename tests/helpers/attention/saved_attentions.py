"""The ways in which people save attention weights, each with the matrices that it holds."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

__all__ = ["WAYS", "Coordinates", "Way", "attention", "write_safetensors"]

LAYERS, HEADS, TOKENS = 3, 2, 6

Coordinates = tuple[str, int, int, int]
"""Part of the model, layer, head, text: "" and 0 where the source does not state them."""

Weights = NDArray[Any]


def attention(*shape: int, causal: bool = False, seed: int = 0) -> Weights:
    """Random attention weights in float32, which round to other numbers in half precision."""
    rng = np.random.RandomState(seed)
    scores = rng.normal(scale=2, size=shape)
    if causal:
        scores[..., np.triu(np.ones(shape[-2:], dtype=bool), 1)] = -np.inf
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return np.asarray(weights / weights.sum(axis=-1, keepdims=True), dtype=np.float32)


@dataclass(frozen=True)
class Way:
    """One way to save attention weights.

    `save` writes them into a folder; it returns the source, and its matrices by coordinates.
    """

    name: str
    save: Callable[[Path], tuple[Path, dict[Coordinates, Weights]]]
    causal: bool = False
    needs_torch: bool = False

    def saved(self, folder: Path) -> tuple[Path, dict[Coordinates, Weights]]:
        """Save, or skip the test where PyTorch is needed and not installed."""
        if self.needs_torch:
            pytest.importorskip("torch", reason="files of torch.save are written by PyTorch")
        folder.mkdir(parents=True, exist_ok=True)
        return self.save(folder)


def _matrices(weights: Weights, part: str = "", text: int = 0) -> dict[Coordinates, Weights]:
    """The matrices of weights of shape (L, H, m, n)."""
    return {(part, *at, text): weights[at] for at in np.ndindex(weights.shape[:2])}


def _model(causal: bool = False, seed: int = 0) -> Weights:
    return attention(LAYERS, HEADS, TOKENS, TOKENS, causal=causal, seed=seed)


def _npy(folder: Path) -> tuple[Path, dict[Coordinates, Weights]]:
    weights = _model()
    np.save(folder / "a.npy", weights)
    return folder / "a.npy", _matrices(weights)


def _savez_of_layers(folder: Path) -> tuple[Path, dict[Coordinates, Weights]]:
    weights = _model()
    np.savez(folder / "a.npz", *weights[:, None])
    return folder / "a.npz", _matrices(weights)


def _savez_of_a_batch(folder: Path) -> tuple[Path, dict[Coordinates, Weights]]:
    texts = [_model(seed=seed) for seed in range(2)]
    np.savez(folder / "a.npz", *np.stack(texts, axis=1))
    return folder / "a.npz", _matrices(texts[0]) | _matrices(texts[1], text=1)


def _stacked(folder: Path) -> tuple[Path, dict[Coordinates, Weights]]:
    weights = _model(causal=True).astype(np.float16)
    np.savez_compressed(folder / "a.npz", attentions=weights[:, None])
    return folder / "a.npz", _matrices(weights)


def _stacked_batch(folder: Path) -> tuple[Path, dict[Coordinates, Weights]]:
    texts = [_model(seed=seed) for seed in range(2)]
    np.save(folder / "a.npy", np.stack(texts, axis=1))
    return folder / "a.npy", _matrices(texts[0]) | _matrices(texts[1], text=1)


def _folder(form: str) -> Callable[[Path], tuple[Path, dict[Coordinates, Weights]]]:
    def save(folder: Path) -> tuple[Path, dict[Coordinates, Weights]]:
        weights = _model()
        for layer in range(LAYERS):
            np.save(folder / form.format(layer), weights[layer])
        return folder, _matrices(weights)

    return save


def write_safetensors(path: Path, tensors: dict[str, Weights], dtype: str) -> None:
    """Write a safetensors file by its definition, of any type that the format has."""
    header, data = {}, b""
    for name, tensor in tensors.items():
        end = len(data) + tensor.nbytes
        header[name] = {"dtype": dtype, "shape": tensor.shape, "data_offsets": [len(data), end]}
        data += tensor.tobytes()
    text = json.dumps(header).encode()
    path.write_bytes(len(text).to_bytes(8, "little") + text + data)


def _safetensors(
    form: str, dtype: str = "F32", *, causal: bool = False
) -> Callable[[Path], tuple[Path, dict[Coordinates, Weights]]]:
    def save(folder: Path) -> tuple[Path, dict[Coordinates, Weights]]:
        import ml_dtypes

        kind = ml_dtypes.bfloat16 if dtype == "BF16" else {"F16": "<f2", "F32": "<f4"}[dtype]
        weights = _model(causal=causal).astype(kind)
        tensors = {form.format(layer): weights[layer : layer + 1] for layer in range(LAYERS)}
        write_safetensors(folder / "a.safetensors", tensors, dtype)
        return folder / "a.safetensors", _matrices(weights.astype(np.float32))

    return save


def _torch(
    hold: Callable[[Any], Any], dtype: str = "float32", *, causal: bool = False, name: str = "a.pt"
) -> Callable[[Path], tuple[Path, dict[Coordinates, Weights]]]:
    """Save what `hold` makes of a tensor of shape (L, 1, H, n, n)."""

    def save(folder: Path) -> tuple[Path, dict[Coordinates, Weights]]:
        import torch

        tensor = torch.from_numpy(_model(causal=causal)[:, None]).to(getattr(torch, dtype))
        torch.save(hold(tensor), folder / name)
        return folder / name, _matrices(tensor[:, 0].float().numpy())

    return save


def _encoder_decoder(folder: Path) -> tuple[Path, dict[Coordinates, Weights]]:
    import torch

    parts = {
        "encoder": attention(LAYERS, HEADS, TOKENS, TOKENS, seed=1),
        "decoder": attention(2, HEADS, 4, 4, seed=2),
        "cross": attention(2, HEADS, 4, TOKENS, seed=3),
    }
    held = {
        f"{part}_attentions": tuple(torch.from_numpy(weights[:, None]))
        for part, weights in parts.items()
    }
    torch.save(held, folder / "a.pt")
    found = {}
    for part, weights in parts.items():
        found |= _matrices(weights, part)
    return folder / "a.pt", found


def _ways() -> Iterator[Way]:
    yield Way("npy of all layers", _npy)
    yield Way("savez of the layers", _savez_of_layers)
    yield Way("savez of the layers of two texts", _savez_of_a_batch)
    yield Way("npz of stacked layers, batch of 1, float16, causal", _stacked, causal=True)
    yield Way("npy of stacked layers, batch of 2", _stacked_batch)
    yield Way("folder of layer_0.npy", _folder("layer_{}.npy"))
    yield Way("folder of attn_00.npy", _folder("attn_{:02d}.npy"))
    yield Way("safetensors, attentions.0, BF16", _safetensors("attentions.{}", "BF16"))
    yield Way(
        "safetensors, GPT-2 names, float16, causal",
        _safetensors("transformer.h.{}.attn", "F16", causal=True),
        causal=True,
    )
    yield Way("safetensors, BERT names", _safetensors("encoder.layer.{}.attention.self"))
    yield Way(
        "safetensors, Llama names, causal",
        _safetensors("model.layers.{}.self_attn", causal=True),
        causal=True,
    )
    for way in (
        Way("torch.save of outputs.attentions", _torch(tuple)),
        Way("torch.save of a stack, half", _torch(lambda stack: stack, "float16", name="a.pth")),
        Way(
            "torch.save of a dict, bfloat16, causal",
            _torch(
                lambda stack: {"tokens": ["a"], "attentions": list(stack)}, "bfloat16", causal=True
            ),
            causal=True,
        ),
        Way("torch.save of an encoder-decoder model", _encoder_decoder),
    ):
        yield Way(way.name, way.save, way.causal, needs_torch=True)


WAYS = list(_ways())
"""Every way, by name unique; those that need PyTorch last."""
