"""Files of ids, and of vectors with ids."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow
import pyarrow.parquet
import pytest

from samapprox import InputError
from samapprox.formats.vectors import load_ids, load_parquet, load_vectors, save_vectors
from samapprox.vectors import VectorSet

IDS = ("q1", "query 2", " é", "日本", "#5")

WRITERS: dict[str, Callable[[Path], object]] = {
    "a.txt": lambda path: path.write_text("\n".join(IDS) + "\n", encoding="utf-8"),
    "b.txt": lambda path: path.write_bytes("\r\n".join(IDS).encode()),
    "c.txt.gz": lambda path: path.write_bytes(gzip.compress("\n".join(IDS).encode())),
    "d.json": lambda path: path.write_text(json.dumps(IDS), encoding="utf-8"),
    "e.npy": lambda path: np.save(path, np.array(IDS)),
    "f.npz": lambda path: np.savez(path, names=np.array(IDS)),
    "g.npz": lambda path: np.savez(path, ids=np.array(IDS), other=np.eye(2)),
    "h.npy": lambda path: np.save(path, np.array([one.encode() for one in IDS])),
}


@pytest.mark.parametrize("name", WRITERS)
def test_ids(tmp_path: Path, name: str) -> None:
    WRITERS[name](tmp_path / name)
    assert load_ids(tmp_path / name) == IDS


@pytest.mark.parametrize(
    ("name", "write", "message"),
    [
        ("a.txt", lambda path: path.write_text("q1\n\nq2\n"), "line 2 has no id"),
        ("a.txt", lambda path: path.write_bytes(b"q1\n\xff\n"), "line 2: byte 3 is not UTF-8"),
        ("a.txt", lambda path: path.write_text(""), "line 1 has no id"),
        ("a.json", lambda path: path.write_text('["a", 1.5]'), "id 1 is 1.5; ids are text"),
        ("a.json", lambda path: path.write_text('["a"'), "not JSON"),
        ("a.json", lambda path: path.write_text('{"a": 1}'), "ids in JSON are one list"),
        ("a.npy", lambda path: np.save(path, np.array(["a", {}]), allow_pickle=True), "pickled"),
        ("a.npy", lambda path: np.save(path, np.ones(2)), "ids are a list of text"),
        ("a.npz", lambda path: np.savez(path, a=IDS, b=IDS), "its arrays are a, b"),
        ("none.txt", lambda _: None, "No such file"),
    ],
)
def test_bad_ids(tmp_path: Path, name: str, write: Callable[[Path], object], message: str) -> None:
    write(tmp_path / name)
    with pytest.raises(InputError, match=message) as caught:
        load_ids(tmp_path / name)
    assert name in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", ["vectors", "embeddings"])
def test_npz_with_ids(tmp_path: Path, name: str) -> None:
    np.savez(tmp_path / "v.npz", ids=np.array(["a", "b"]), **{name: np.eye(2)})
    assert load_vectors(tmp_path / "v.npz").first_ids == ("a", "b")


def test_saved_ids_are_read_again(tmp_path: Path) -> None:
    vectors = VectorSet(np.eye(1, 2), np.eye(2), first_ids=("q",), second_ids=("a", "é"))
    save_vectors(vectors, tmp_path / "v.npz")
    with np.load(tmp_path / "v.npz") as file:
        assert set(file) == {"queries", "documents", "query_ids", "document_ids"}
    found = load_vectors(tmp_path / "v.npz")
    assert (found.first_ids, found.second_ids) == (("q",), ("a", "é"))
    with pytest.raises(InputError, match="has their ids; give no others"):
        found.name(("q",))


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize("fixed", [False, True])
def test_parquet(tmp_path: Path, kind: type, fixed: bool) -> None:
    array = np.arange(6, dtype=kind).reshape(3, 2)
    number = pyarrow.from_numpy_dtype(np.dtype(kind))
    lists = pyarrow.array(array.tolist(), pyarrow.list_(number, 2 if fixed else -1))
    table = {"id": ["a", "b b", "é"], "text": ["x", "y", "z"], "vector": lists}
    pyarrow.parquet.write_table(pyarrow.table(table), tmp_path / "v.parquet")
    found = load_parquet(tmp_path / "v.parquet")
    assert found.first_ids == ("a", "b b", "é")
    assert found.first.dtype == kind
    assert np.array_equal(found.first, array)


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"id": ["a"]}, "0 columns of lists"),
        ({"id": ["a"], "v": [[1.0]], "w": [[1.0]]}, "2 columns of lists"),
        ({"x": ["a"], "y": ["b"], "v": [[1.0]]}, "the columns x, y may all be ids"),
        ({"id": ["a", "b"], "v": [[1.0], [1.0, 2.0]]}, "vector 1 has 2 numbers"),
        ({"id": ["a", "b"], "v": [[1.0], None]}, "has nulls"),
        ({"id": ["a"], "v": [[None, 1.0]]}, "numbers that are null"),
        ({"id": ["a", None], "v": [[1.0], [1.0]]}, "ids that are null"),
        ({"id": ["a", "a"], "v": [[1.0], [1.0]]}, "the id 'a' twice"),
    ],
)
def test_bad_parquet(tmp_path: Path, table: dict[str, list[object]], message: str) -> None:
    pyarrow.parquet.write_table(pyarrow.table(table), tmp_path / "v.parquet")
    with pytest.raises(InputError, match=message) as caught:
        load_parquet(tmp_path / "v.parquet")
    assert "v.parquet" in str(caught.value)


def test_files_that_are_no_parquet(tmp_path: Path) -> None:
    (tmp_path / "v.parquet").write_text("no")
    for name in ("v.parquet", "none.parquet"):
        with pytest.raises(InputError, match=name) as caught:
            load_parquet(tmp_path / name)
        assert "\n" not in str(caught.value)
