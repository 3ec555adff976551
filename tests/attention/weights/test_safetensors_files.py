"""Safetensors files: bfloat16 is widened exactly, and other types are refused."""

from __future__ import annotations

from pathlib import Path

import ml_dtypes
import numpy as np
import pytest
from helpers.attention.saved_attentions import attention, write_safetensors

from samapprox import InputError
from samapprox.attention import load_attention
from samapprox.attention.weights.tensors import open_tensor


def test_every_bfloat16_is_read_exactly(tmp_path: Path) -> None:
    every = np.arange(1 << 16, dtype=np.uint16).reshape(1, 256, 256).view(ml_dtypes.bfloat16)
    write_safetensors(tmp_path / "a.safetensors", {"A": every}, "BF16")
    with np.errstate(invalid="ignore"):  # some are signalling NaN
        expected = every.astype(np.float32)
    assert np.array_equal(load_attention(tmp_path / "a.safetensors"), expected, equal_nan=True)


def test_parts_of_the_second_tensor(tmp_path: Path) -> None:
    tensors = {"A": attention(2, 3, 3), "B": attention(2, 3, 4, 5, seed=1)}
    write_safetensors(tmp_path / "a.safetensors", tensors, "F32")
    with open_tensor(tmp_path / "a.safetensors", "B") as tensor:
        assert np.array_equal(tensor.read((1, 2)), tensors["B"][1, 2])
        assert np.array_equal(np.array(list(tensor.matrices((1,)))), tensors["B"][1])


@pytest.mark.parametrize("dtype", ["F8_E4M3", "I8", "BOOL"])
def test_other_types_are_refused(tmp_path: Path, dtype: str) -> None:
    tensors = {"A": np.ones((2, 2), dtype=np.uint8)}
    write_safetensors(tmp_path / "a.safetensors", tensors, dtype)
    with pytest.raises(InputError, match=rf"a\.safetensors: the tensor holds {dtype} .* BF16 of"):
        load_attention(tmp_path / "a.safetensors")
