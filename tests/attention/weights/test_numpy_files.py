"""Tensors in npy and npz files: any position of them, and only numbers."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from helpers.attention.saved_attentions import attention

from samapprox import InputError
from samapprox.attention import TopK, binarize_set, load_attention
from samapprox.attention.weights.rows import RowCount
from samapprox.attention.weights.tensors import open_tensor


@pytest.mark.parametrize("name", ["a.npy", "a.npz"])
def test_parts_are_those_of_the_array(tmp_path: Path, name: str) -> None:
    array = attention(2, 3, 4, 5)
    path = tmp_path / name
    if name == "a.npy":
        np.save(path, array)
    else:
        np.savez(path, A=array)
    with open_tensor(path) as tensor:
        for select in [(), (1,), (1, 2)]:
            assert np.array_equal(tensor.read(select), array[select])
            matrices = array[select].reshape(-1, 4, 5)
            assert np.array_equal(np.array(list(tensor.matrices(select))), matrices)


@pytest.mark.parametrize("select", [(2,), (-1,), (0, 3), (0, -1), (0, 0, 0)])
def test_positions_outside_a_tensor_are_refused(tmp_path: Path, select: tuple[int, ...]) -> None:
    np.save(tmp_path / "a.npy", attention(2, 3, 4, 5))
    with pytest.raises(
        InputError,
        match=r"a\.npy: a tensor of shape \(2, 3, 4, 5\) has (no position|2 leading axes)",
    ):
        load_attention(tmp_path / "a.npy", select=select)


@pytest.mark.parametrize("dtype", [np.bool_, np.complex128, np.object_, "U1"])
def test_other_types_are_skipped(tmp_path: Path, dtype: str | type) -> None:
    np.savez(tmp_path / "a.npz", layer_0=attention(1, 2, 2), mask=np.ones((2, 2), dtype=dtype))
    count = RowCount()
    entries = list(binarize_set(tmp_path / "a.npz", [TopK(1)], causal=False, rows=count))
    assert [entry.instance.origin["key"] for entry in entries] == ["layer_0"]
    assert count.skipped == 1
    assert "a.npz: mask: array 'mask'" in count.examples["skipped"]
