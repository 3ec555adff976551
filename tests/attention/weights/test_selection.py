"""One layer, or one head of a layer, of the tensors of a source."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.attention.saved_attentions import attention

from samapprox import InputError
from samapprox.attention import TopK, binarize, binarize_set


def selected(source: Path, **options: Any) -> set[tuple[int, ...]]:
    """The layer, the head and the text of every pattern."""
    origins = [entry.instance.origin for entry in binarize_set(source, [TopK(1)], **options)]
    names = ("layer", "head", "text")
    return {tuple(int(one[name]) for name in names if name in one) for one in origins}


def save_layers(path: Path, *shape: int) -> Path:
    """Three layers in one file, as a model returns them, each of a shape."""
    layers = [attention(*shape) for _ in range(3)]
    if path.suffix == ".pt":
        torch = pytest.importorskip("torch")
        torch.save(tuple(map(torch.tensor, layers)), path)
    else:
        np.savez(path, **{f"layer{at}": layer for at, layer in enumerate(layers)})
    return path


@pytest.mark.parametrize("name", ["a.npz", "a.pt"])
def test_a_layer_of_several_tensors_is_selected_by_its_number(tmp_path: Path, name: str) -> None:
    """Axes of size 1 are batches, which do not count."""
    path = save_layers(tmp_path / name, 1, 4, 5, 5)
    assert selected(path, select=(1,)) == {(1, head) for head in range(4)}
    assert selected(path, select=(2, 3)) == {(2, 3)}
    assert selected(path, select=(0,), axes=("text", "head")) == {(0, head, 0) for head in range(4)}


@pytest.mark.parametrize("axes", [("layer", "head"), ("head", "layer"), ("layer", "run", "head")])
def test_a_layer_is_selected_on_any_axis(tmp_path: Path, axes: tuple[str, ...]) -> None:
    tensor = attention(*range(2, 2 + len(axes)), 4, 4)
    np.save(tmp_path / "a.npy", tensor)
    for select in [(1,), (0, 1)]:
        wanted = dict(zip(("layer", "head"), select, strict=False))
        at = tuple(wanted.get(axis, slice(None)) for axis in axes)
        entries = binarize_set(tmp_path / "a.npy", [TopK(1)], axes=axes, select=select)
        found = [entry.instance.pattern for entry in entries]
        assert found == [binarize(one, TopK(1)) for one in tensor[at].reshape(-1, 4, 4)]


def test_all_texts_of_a_batch_are_read(tmp_path: Path) -> None:
    path = save_layers(tmp_path / "a.npz", 2, 4, 5, 5)
    assert selected(path, select=(1, 3)) == {(1, 3, text) for text in range(2)}
    with pytest.raises(InputError, match=r"LAYER, or LAYER,HEAD, not 1,0,3; .* all texts"):
        selected(path, select=(1, 0, 3))


def test_a_tensor_without_a_layer_is_layer_0(tmp_path: Path) -> None:
    """The map of heads calls it L0."""
    np.save(tmp_path / "a.npy", attention(4, 5, 5))
    assert len(list(binarize_set(tmp_path / "a.npy", [TopK(1)], select=(0, 3)))) == 1
    with pytest.raises(InputError, match=r"a\.npy: no layer 3; choose 0$"):
        selected(tmp_path / "a.npy", select=(3,))


@pytest.mark.parametrize(
    ("select", "message"),
    [
        ((3,), "no layer 3; choose 0 to 2"),
        ((-1,), "no layer -1; choose 0 to 2"),
        ((1, 4), "no head 4 in layer 1; choose 0 to 3"),
    ],
)
def test_layers_and_heads_that_are_not_there(
    tmp_path: Path, select: tuple[int, ...], message: str
) -> None:
    path = save_layers(tmp_path / "a.npz", 1, 4, 5, 5)
    with pytest.raises(InputError) as error:
        selected(path, select=select)
    assert str(error.value) == f"{path}: {message}"
