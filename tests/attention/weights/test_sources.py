"""The tensors of files and folders: where their patterns belong, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.attention.saved_attentions import attention

from samapprox import InputError
from samapprox.attention import RowCount, Uniform, binarize_set, load_attention
from samapprox.attention.weights.sources import find_tensors

Places = list[tuple[str, dict[str, Any]]]


def places(source: Path, rows: RowCount | None = None, **options: Any) -> Places:
    """The path of every pattern with its layer, head, text and part."""
    return [
        (
            entry.path,
            {
                name: value
                for name, value in entry.instance.origin.items()
                if name in ("layer", "head", "text", "part")
            },
        )
        for entry in binarize_set(source, [Uniform()], rows=rows, **options)
    ]


def write_header(path: Path, header: dict[str, Any], data: bytes = b"") -> Path:
    """Write a safetensors file by its definition, whatever its header says."""
    text = json.dumps(header).encode()
    path.write_bytes(len(text).to_bytes(8, "little") + text + data)
    return path


# ---------------------------------------------------------------- folders


def test_folders_state_layers_and_texts(tmp_path: Path) -> None:
    for text in range(2):
        for layer in range(2):
            folder = tmp_path / f"text_{text}" / f"layer_{layer}"
            folder.mkdir(parents=True)
            for head in range(2):
                np.save(folder / f"head_{head}.npy", attention(3, 3))
    assert [place for _, place in places(tmp_path)] == [
        {"layer": layer, "head": head, "text": text}
        for text in range(2)
        for layer in range(2)
        for head in range(2)
    ]


def test_folders_state_the_part_of_a_model(tmp_path: Path) -> None:
    for part in ("encoder", "decoder"):
        (tmp_path / part).mkdir()
        np.save(tmp_path / part / "layer_0.npy", attention(1, 3, 3))
    assert [place["part"] for _, place in places(tmp_path)] == ["decoder", "encoder"]


def test_folders_whose_names_say_more_state_no_layer(tmp_path: Path) -> None:
    folder = tmp_path / "bert-layers12-base"
    folder.mkdir()
    np.save(folder / "a.npy", attention(2, 1, 3, 3))
    assert [place["layer"] for _, place in places(tmp_path)] == [0, 1]


def test_names_that_files_cannot_tell_apart(tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", **{name: attention(3, 3) for name in ("x y", "x:y", "x-y")})
    found = [path for path, _ in places(tmp_path / "a.npz")]
    assert found == ["a/x-y/unif.npz", "a/x-y-2/unif.npz", "a/x-y-3/unif.npz"]


def test_a_file_beside_a_folder_of_its_name(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    np.save(tmp_path / "a" / "x.npy", attention(3, 3))
    np.savez(tmp_path / "a.npz", x=attention(3, 3), y=attention(3, 3))
    found = [path for path, _ in places(tmp_path)]
    assert len(set(found)) == 3


# ---------------------------------------------------------------- lists


@pytest.mark.parametrize("held", ["attentions.0.1", "decoder_attentions.0.1", "0.1"])
def test_lists_of_lists_are_neither_layers_nor_texts(tmp_path: Path, held: str) -> None:
    np.savez(tmp_path / "a.npz", **{held: attention(1, 2, 3, 3), "b": attention(3, 3)})
    with pytest.raises(InputError, match=rf"'{held}' is a position in a list of lists.*generate"):
        places(tmp_path / "a.npz")


def test_a_list_of_different_lengths_is_no_list_of_layers(tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", attention(2, 3, 3), attention(2, 4, 4))
    with pytest.raises(InputError, match=r"arr_1: has shape \(2, 4, 4\) beside .* text_0, text_1"):
        places(tmp_path / "a.npz")
    np.savez(tmp_path / "b.npz", text_0=attention(2, 3, 3), text_1=attention(2, 4, 4))
    assert [place["text"] for _, place in places(tmp_path / "b.npz")] == [0, 0, 1, 1]


# ---------------------------------------------------------------- other tensors beside weights


def test_what_a_cache_of_all_activations_holds_beside_weights(tmp_path: Path) -> None:
    tensors = {}
    for layer in range(2):
        tensors[f"blocks.{layer}.hook_resid_pre"] = np.random.RandomState(0).normal(size=(1, 3, 8))
        tensors[f"blocks.{layer}.attn.hook_pattern"] = attention(1, 2, 3, 3)
    np.savez(tmp_path / "a.npz", **tensors)
    rows = RowCount()
    found = [place for _, place in places(tmp_path / "a.npz", rows)]
    assert found == [{"layer": layer, "head": head} for layer in range(2) for head in range(2)]
    assert rows.skipped == 2


def test_two_tensors_of_a_layer_are_told_apart_in_all_layers(tmp_path: Path) -> None:
    tensors = {}
    for layer in range(2):
        tensors[f"blocks.{layer}.left"] = attention(1, 3, 3)
        tensors[f"blocks.{layer}.right"] = attention(1, 3, 3)
    np.savez(tmp_path / "a.npz", **tensors)
    with pytest.raises(InputError, match=r"--key 'blocks\.\*\.right'"):
        places(tmp_path / "a.npz")
    assert len(places(tmp_path / "a.npz", key="blocks.*.right")) == 2


def test_objects_beside_weights_are_skipped_unread(tmp_path: Path) -> None:
    tokens = np.array(["a", None], dtype=object)
    np.savez(tmp_path / "a.npz", attn=attention(2, 3, 3), tokens=tokens)
    rows = RowCount()
    assert len(places(tmp_path / "a.npz", rows)) == 2
    assert "a.npz: tokens: " in rows.examples["skipped"]
    assert "pickled objects are never loaded" in rows.examples["skipped"]


# ---------------------------------------------------------------- refused


@pytest.mark.parametrize(
    ("array", "message"),
    [
        (np.array([None]), "pickled objects are never loaded"),
        (np.zeros((2, 2), dtype="V2"), "bfloat16 as float32"),
        (np.zeros((2, 2), dtype=complex), "save real numbers"),
        (np.eye(2, dtype=bool), "a 0/1 pattern needs no rule"),
        (np.array([[1, 1], [1, 1]]), "a 0/1 pattern needs no rule"),
        (np.zeros((1 << 20, 0, 3)), "holds no matrix"),
    ],
)
def test_refusals_name_the_file_and_the_mend(tmp_path: Path, array: Any, message: str) -> None:
    np.save(tmp_path / "a.npy", array, allow_pickle=True)
    with pytest.raises(InputError, match=rf"a\.npy: .*{message}"):
        places(tmp_path / "a.npy")


def test_a_damaged_tensor_is_named(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", attention(3, 3))
    (tmp_path / "a.npy").write_bytes((tmp_path / "a.npy").read_bytes()[:-4])
    with pytest.raises(InputError, match=r"a\.npy: the array: damaged"):
        places(tmp_path / "a.npy")


@pytest.mark.parametrize("shape", [[1] * 65 + [3, 3], [1 << 63, 0, 3], [2, 0, 3]])
def test_shapes_that_hold_no_weights(tmp_path: Path, shape: list[int]) -> None:
    data = np.eye(3, dtype=np.float32).tobytes() if 0 not in shape else b""
    entry = {"dtype": "F32", "shape": shape, "data_offsets": [0, len(data)]}
    path = write_header(tmp_path / "a.safetensors", {"a": entry}, data)
    with pytest.raises(InputError, match=r"a\.safetensors: .*holds no"):
        places(path)
    with pytest.raises(InputError, match=r"a\.safetensors: .*holds no"):
        load_attention(path)


def test_a_safetensors_file_without_tensors(tmp_path: Path) -> None:
    path = write_header(tmp_path / "a.safetensors", {"__metadata__": {"made": "by hand"}})
    with pytest.raises(InputError, match=r"a\.safetensors: the file holds no tensor"):
        list(find_tensors(path))


def test_two_tensors_of_one_name(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch", reason="files of torch.save are written by PyTorch")
    torch.save({"a.0": torch.eye(2), "a": [torch.eye(2)]}, tmp_path / "a.pt")
    with pytest.raises(InputError, match=r"two tensors have the name 'a\.0'"):
        list(find_tensors(tmp_path / "a.pt"))
