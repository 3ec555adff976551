"""Tensors in npy, npz and safetensors files, and attention weights as people save them."""

from __future__ import annotations

from pathlib import Path

import ml_dtypes
import numpy as np
import pytest
from helpers.attention.saved_attentions import WAYS, Coordinates, Way, attention, write_safetensors
from helpers.commands import run

from samapprox import InputError, Instance, Pattern, load_instance
from samapprox.attention import (
    Mass,
    RowCount,
    TopK,
    Uniform,
    binarize,
    binarize_set,
    load_attention,
)
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


RULES = [Uniform(), TopK(2), Mass(0.9)]


def coordinates(instance: Instance) -> Coordinates:
    origin = instance.origin
    part = str(origin.get("part", ""))
    return (part, int(origin["layer"]), int(origin["head"]), int(origin.get("text", 0)))


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.name)
def test_every_matrix_is_found_in_its_place(tmp_path: Path, way: Way) -> None:
    source, matrices = way.saved(tmp_path)
    rows = RowCount()
    for rule in RULES:
        entries = list(binarize_set(source, [rule], rows=rows))
        found = {coordinates(entry.instance): entry.instance for entry in entries}
        assert len(found) == len({entry.path for entry in entries}) == len(entries)
        assert found.keys() == matrices.keys()
        for at, weights in matrices.items():
            expected = binarize(weights, rule, causal=way.causal, ties="all", roundoff=2**-8)
            assert found[at].pattern == expected
            family = f"{at[0]} attention {rule.name}".lstrip()
            assert found[at].origin["family"] == family
            assert bool(found[at].origin.get("causal")) == way.causal
    assert not rows.masked.total()
    assert not rows.skipped
    assert bool(rows.causal) == way.causal


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.name)
def test_the_command_saves_every_pattern(tmp_path: Path, way: Way) -> None:
    source, matrices = way.saved(tmp_path / "given")
    out = tmp_path / "set"
    several = len(list(source.iterdir())) > 1 if source.is_dir() else way.name.startswith("safe")
    done = run("binarize", str(source), "--uniform", "--output", str(out))
    assert (done.exit_code, done.exception) == (0, None), done.stderr
    saved = [load_instance(path) for path in out.rglob("*.npz")]
    assert len(saved) == len(matrices)
    assert ("attention is causal" in done.stderr) == way.causal
    if several:
        assert {coordinates(instance) for instance in saved} == matrices.keys()
    assert all(isinstance(instance.pattern, Pattern) for instance in saved)
