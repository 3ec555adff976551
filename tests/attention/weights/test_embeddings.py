"""Queries and keys from files, and files that hold none."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from safetensors.numpy import save_file

from samapprox import InputError, evaluate
from samapprox.attention.weights.embeddings import load_embeddings

QUERIES = np.array([[1.0, 0.5], [0.25, -2.0]], dtype=np.float32)
KEYS = np.array([[1.0, 0.0], [0.5, 1.0], [-1.0, 3.0]], dtype=np.float32)

Writer = Callable[[Path, np.ndarray[Any, Any]], None]

WRITERS: dict[str, Writer] = {
    "npy": lambda path, array: np.save(path, array),
    "npz": lambda path, array: np.savez(path, vectors=array),
    "safetensors": lambda path, array: save_file({"embedding": array}, path),
    "txt": lambda path, array: np.savetxt(path, array),
}


@pytest.mark.parametrize("ending", WRITERS)
@pytest.mark.parametrize("kind", [np.float16, np.float32, np.float64])
def test_two_files(tmp_path: Path, ending: str, kind: type) -> None:
    files = [tmp_path / f"q.{ending}", tmp_path / f"k.{ending}"]
    for file, array in zip(files, (QUERIES, KEYS), strict=True):
        WRITERS[ending](file, array.astype(kind))
    vectors = load_embeddings(files)
    assert vectors.second is not None
    assert np.array_equal(vectors.first, QUERIES)
    assert np.array_equal(vectors.second, KEYS)
    assert ending == "txt" or vectors.first.dtype == kind


def test_one_file(tmp_path: Path) -> None:
    np.savez(tmp_path / "both.npz", queries=QUERIES, keys=KEYS)
    save_file({"keys": KEYS, "queries": QUERIES}, tmp_path / "both.safetensors")
    for ending in ("npz", "safetensors"):
        vectors = load_embeddings([tmp_path / f"both.{ending}"])
        assert vectors.shape == (2, 3, 2)


def test_bfloat16_and_fortran_order(tmp_path: Path) -> None:
    save_file({"a": QUERIES.astype(ml_dtypes.bfloat16)}, tmp_path / "q.safetensors")
    np.save(tmp_path / "k.npy", np.asfortranarray(KEYS))
    vectors = load_embeddings([tmp_path / "q.safetensors", tmp_path / "k.npy"])
    assert vectors.second is not None
    assert np.array_equal(vectors.first, QUERIES)
    assert np.array_equal(vectors.second, KEYS)
    assert evaluate(np.eye(2, 3), vectors.first, vectors.second).pattern.shape == (2, 3)


def test_npy_files_are_mapped(tmp_path: Path) -> None:
    np.save(tmp_path / "k.npy", np.ones((1 << 16, 64), dtype=np.float32))  # 16 MB
    tracemalloc.start()
    load_embeddings([tmp_path / "k.npy", tmp_path / "k.npy"])
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1 << 20


def damage(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-3])


@pytest.mark.parametrize(
    ("name", "write", "message"),
    [
        ("none.npy", lambda _: None, "No such file"),
        ("a.npy", lambda path: np.save(path, np.array([[{}]]), allow_pickle=True), "pickled"),
        ("a.npy", lambda path: np.save(path, np.ones((2, 2), complex)), "real numbers"),
        ("a.npy", lambda path: np.save(path, np.array([["1"]])), "embeddings are numbers"),
        ("a.npy", lambda path: np.save(path, np.ones(3)), r"shape \(3,\); embeddings are a matrix"),
        ("a.npy", lambda path: np.save(path, np.ones((2, 2, 2))), "embeddings are a matrix"),
        ("a.npy", lambda path: np.save(path, np.ones((0, 2))), "embeddings are a matrix"),
        ("a.npy", lambda path: (np.save(path, KEYS), damage(path)), "damaged"),
        ("a.npy", lambda path: path.write_bytes(b""), "damaged"),
        ("a.npy", lambda path: path.mkdir(), "Is a directory"),
        ("a.npz", lambda path: np.savez(path, queries=KEYS, keys=KEYS), "two sets of vectors"),
        ("a.npz", lambda path: (np.savez(path, keys=KEYS), damage(path)), "not a readable npz"),
        ("a.txt", lambda path: path.write_text("1 2\n3\n"), "line 2 has 1 numbers"),
        ("a.safetensors", lambda path: path.write_bytes(b"\0" * 20), "safetensors"),
        (
            "a.safetensors",
            lambda path: save_file({"a": KEYS, "b": KEYS}, path),
            "its tensors are a, b; embeddings are one tensor",
        ),
        (
            "a.safetensors",
            lambda path: save_file({"a": KEYS.astype(np.int8)}, path),
            "no matrix of F64",
        ),
    ],
)
def test_bad_files(
    tmp_path: Path, name: str, write: Callable[[Path], object], message: str
) -> None:
    np.save(tmp_path / "keys.npy", KEYS)
    write(tmp_path / name)
    with pytest.raises(InputError, match=message) as caught:
        load_embeddings([tmp_path / name, tmp_path / "keys.npy"])
    assert str(tmp_path / name) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_sets_that_do_not_fit(tmp_path: Path) -> None:
    np.save(tmp_path / "q.npy", QUERIES[:, :1])
    np.save(tmp_path / "k.npy", KEYS)
    with pytest.raises(InputError, match="different dimensions, 1 and 2"):
        load_embeddings([tmp_path / "q.npy", tmp_path / "k.npy"])
    with pytest.raises(InputError, match="give two files"):
        load_embeddings([tmp_path / "k.npy"])
    with pytest.raises(InputError, match="3 files"):
        load_embeddings([tmp_path / "k.npy"] * 3)
    save_file({"keys": KEYS}, tmp_path / "both.safetensors")
    with pytest.raises(InputError, match="embeddings are tensors queries and keys"):
        load_embeddings([tmp_path / "both.safetensors"])
