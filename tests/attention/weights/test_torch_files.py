"""Files of torch.save: tensors alone are read, and nothing else is ever unpickled."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from helpers.attention.saved_attentions import attention
from helpers.commands import refused, run

from samapprox import InputError
from samapprox.attention import TopK, binarize_set, load_attention
from samapprox.attention.weights.tensors import open_tensors

torch = pytest.importorskip("torch", reason="files of torch.save are written by PyTorch")


class Unknown:
    """Not among the classes that PyTorch unpickles."""

    def __init__(self) -> None:
        self.attentions = torch.zeros(1, 2, 2)


@pytest.mark.parametrize("new", [True, False])
@pytest.mark.parametrize("dtype", ["float64", "float32", "float16", "bfloat16"])
def test_types_are_read_exactly(tmp_path: Path, dtype: str, new: bool) -> None:
    tensor = torch.from_numpy(attention(2, 3, 4, 5)).to(getattr(torch, dtype))
    torch.save(tensor, tmp_path / "a.pt", _use_new_zipfile_serialization=new)
    read = load_attention(tmp_path / "a.pt")
    assert torch.equal(torch.from_numpy(read).to(tensor.dtype), tensor)
    assert read.dtype == (np.float64 if dtype == "float64" else np.float32)
    assert np.array_equal(load_attention(tmp_path / "a.pt", select=(1, 2)), read[1, 2])


def test_names_join_lists_and_dicts(tmp_path: Path) -> None:
    one = torch.eye(2)
    held = {"a": [one, (one, None)], "n": 3, 7: one, "text": "words"}
    torch.save(held, tmp_path / "a.pt")
    with open_tensors(tmp_path / "a.pt") as file:
        assert file.names == ["a.0", "a.1.0", "7"]


def test_tensors_that_need_gradients(tmp_path: Path) -> None:
    torch.save(torch.eye(2, requires_grad=True), tmp_path / "a.pt")
    assert np.array_equal(load_attention(tmp_path / "a.pt"), np.eye(2))


def test_other_objects_are_not_unpickled(tmp_path: Path) -> None:
    path = tmp_path / "a.pt"
    torch.save(Unknown(), path)
    with pytest.raises(InputError, match=r"a\.pt: holds objects other than .* never unpickled"):
        load_attention(path)
    refused(run("binarize", str(path), "--uniform"), "save the tensors alone")


@pytest.mark.parametrize("held", [[], {"a": "text"}, 3])
def test_files_without_tensors(tmp_path: Path, held: object) -> None:
    torch.save(held, tmp_path / "a.pt")
    with pytest.raises(InputError, match=r"a\.pt: the file holds no tensor"):
        load_attention(tmp_path / "a.pt")


@pytest.mark.parametrize(
    "tensor",
    [
        torch.zeros(3),
        torch.zeros(2, 2, dtype=torch.int64),
        torch.zeros(2, 2, dtype=torch.complex64),
        torch.zeros(2, 2, dtype=torch.float8_e4m3fn),
        torch.eye(2).to_sparse(),
        torch.empty(2, 2, device="meta"),  # `eye` would import all of torch's compiler
    ],
)
def test_tensors_that_are_no_weights(tmp_path: Path, tensor: object) -> None:
    torch.save({"weights": tensor, "attn": torch.eye(2)}, tmp_path / "a.pt")
    with pytest.raises(
        InputError, match=r"a\.pt: the tensor (holds .* of shape|is sparse|has a shape)"
    ):
        load_attention(tmp_path / "a.pt", key="weights")
    entries = list(binarize_set(tmp_path / "a.pt", [TopK(1)], causal=False))
    assert [entry.path for entry in entries] == ["a/attn/top1.npz"]


def test_a_tensor_that_is_far_larger_than_its_file(tmp_path: Path) -> None:
    torch.save(torch.ones(1, 1, 1).expand(1 << 20, 1 << 20, 1 << 10), tmp_path / "a.pt")
    with pytest.raises(InputError, match=r"a\.pt: would unfold to \d+ bytes from 4; refused"):
        list(binarize_set(tmp_path / "a.pt", [TopK(1)]))
    torch.save(torch.full((1, 1), 0.25).expand(4, 4), tmp_path / "a.pt")
    assert len(list(binarize_set(tmp_path / "a.pt", [TopK(1)]))) == 1


@pytest.mark.parametrize("new", [True, False])
def test_damaged_files_are_one_line(tmp_path: Path, new: bool) -> None:
    path = tmp_path / "a.pt"
    torch.save([torch.rand(30, 30)] * 2, path, _use_new_zipfile_serialization=new)
    content = path.read_bytes()
    for size in (3, 40, len(content) // 2, len(content) - 10):
        path.write_bytes(content[:size])
        refused(run("binarize", str(path), "--uniform", "-o", str(tmp_path / "out")), "a.pt: ")
