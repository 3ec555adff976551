"""Attention weights in memory, and several layers as one array."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.attention.saved_attentions import attention

from samapprox import InputError
from samapprox.attention import TopK, binarize, binarize_set, load_attention

LAYERS = [attention(1, 4, 5, 5, seed=layer) for layer in range(3)]


class Foreign:
    """A tensor of another library, which becomes an array when it is asked to."""

    def __init__(self, array: Any) -> None:
        self._array, self.shape = array, array.shape

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return self._array


def as_torch(array: Any) -> Any:
    return pytest.importorskip("torch").tensor(array, requires_grad=True)


HELD: dict[str, Callable[[], object]] = {
    "tuple": lambda: tuple(LAYERS),
    "foreign": lambda: list(map(Foreign, LAYERS)),
    "torch": lambda: tuple(map(as_torch, LAYERS)),
    "none beside": lambda: {"attentions": LAYERS, "past": None},
    "by name": lambda: {f"layer_{at}": layer for at, layer in enumerate(LAYERS)},
    "by number": lambda: dict(enumerate(LAYERS)),
    "one array": lambda: np.stack(LAYERS),
}


@pytest.mark.parametrize("way", HELD)
def test_tensors_in_memory_are_read_as_files_are(way: str) -> None:
    held = HELD[way]()
    entries = list(binarize_set(held, [TopK(1)]))
    found = {(one.instance.origin["layer"], one.instance.origin["head"]): one for one in entries}
    assert set(found) == {(layer, head) for layer in range(3) for head in range(4)}
    for (layer, head), entry in found.items():
        assert entry.instance.pattern == binarize(LAYERS[int(layer)][0, int(head)], TopK(1))
    one_head = binarize_set(held, [TopK(1)], select=(2, 3))
    assert [one.instance.pattern for one in one_head] == [found[2, 3].instance.pattern]
    loaded = load_attention(held)
    assert np.array_equal(loaded.reshape(3, 4, 5, 5), np.concatenate(LAYERS))


def test_the_number_of_a_lone_layer_stays() -> None:
    entries = list(binarize_set({5: LAYERS[0]}, [TopK(1)], select=(5, 0)))
    assert [one.instance.origin["layer"] for one in entries] == [5]


def test_whole_numbers_are_weights() -> None:
    [entry] = binarize_set(np.eye(3, dtype=np.int64), [TopK(1)], causal=False)
    assert entry.instance.pattern.to_text() == "100\n010\n001"


@pytest.mark.parametrize("held", [[], {}, [[0.5, 0.5], [1.0, 0.0]], 3, [None]])
def test_objects_without_an_array_are_refused(held: object) -> None:
    for read in (load_attention, lambda given: list(binarize_set(given, [TopK(1)]))):
        with pytest.raises(InputError, match="without any array: give the path of a file, an "):
            read(held)


# ---------------------------------------------------------------- several layers as one array


@pytest.mark.parametrize("kind", ["file", "folder", "memory"])
def test_layers_are_stacked(tmp_path: Path, kind: str) -> None:
    np.savez(tmp_path / "a.npz", **{f"layer{at}": layer for at, layer in enumerate(LAYERS)})
    source = {"file": tmp_path / "a.npz", "folder": tmp_path, "memory": LAYERS}[kind]
    stack = np.concatenate(LAYERS)
    assert np.array_equal(load_attention(source), stack)
    assert np.array_equal(load_attention(source, select=(1,)), stack[1])
    assert np.array_equal(load_attention(source, select=(1, 2)), stack[1, 2])
    with pytest.raises(InputError, match="no head 4 in layer 1; choose 0 to 3"):
        load_attention(source, select=(1, 4))
    if kind != "memory":
        assert np.array_equal(load_attention(source, key="layer*"), stack)
    np.savez(tmp_path / "a.npz", layer0=attention(2, 4, 5, 5), layer1=attention(2, 4, 5, 5))
    assert load_attention(tmp_path / "a.npz").shape == (2, 2, 4, 5, 5)


def test_what_is_no_stack_of_layers() -> None:
    with pytest.raises(InputError, match=r"layers 0, 2 of shapes .* are no stack; choose one"):
        load_attention({0: LAYERS[0], 2: LAYERS[1]})
    with pytest.raises(InputError, match=r"layers 0, 1 of shapes .* are no stack; choose one"):
        load_attention([LAYERS[0], attention(1, 3, 5, 5)])
    with pytest.raises(InputError, match=r"several arrays \(text_0.0, text_1.0\); choose one"):
        load_attention({"text_0": [LAYERS[0]], "text_1": [LAYERS[1]]})
    with pytest.raises(InputError, match="no array of attention weights"):
        load_attention({"layer_0": np.ones(3), "layer_1": np.ones(3)})
