"""Sets of vectors in files: nothing is lost, hostile files are one line."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.archives import write_bomb

from samapprox import InputError
from samapprox.formats import load_vectors, save_vectors
from samapprox.formats.vectors import write_text
from samapprox.reductions.vectors import FAMILIES, generate
from samapprox.vectors import VectorSet


def npz(**arrays: Any) -> io.BytesIO:
    stream = io.BytesIO()
    np.savez(stream, **arrays)
    stream.seek(0)
    return stream


def same(one: VectorSet, other: VectorSet) -> bool:
    def equal(a: Any, b: Any) -> bool:
        return (a is None) == (b is None) and (a is None or (np.array_equal(a, b)))

    return (
        equal(one.first, other.first)
        and equal(one.second, other.second)
        and equal(one.furthest, other.furthest)
        and dict(one.known) == dict(other.known)
        and dict(one.origin) == dict(other.origin)
    )


@pytest.mark.parametrize(
    ("name", "ids"),
    [
        ("vectors", "ids"),
        ("queries", "ids"),
        ("queries", "query_ids"),
        ("documents", "document_ids"),
        ("keys", "document_ids"),
    ],
)
def test_one_set_has_its_own_ids(name: str, ids: str) -> None:
    arrays = {name: np.eye(2), "query_ids": ["p", "q"], "document_ids": ["x", "y"]}
    arrays[ids] = ["a", "b"]
    assert load_vectors(npz(**arrays)).first_ids == ("a", "b")


def test_vectors_take_no_ids_of_another_set() -> None:
    assert load_vectors(npz(queries=np.eye(2), document_ids=["a", "b"])).first_ids is None
    assert load_vectors(npz(vectors=np.eye(2), query_ids=["a", "b"])).first_ids is None


@pytest.mark.parametrize("text", ["1.0,,2.0", ",1.0,2.0", "1.0; ;2.0"])
def test_missing_numbers_in_text_are_refused(text: str) -> None:
    with pytest.raises(InputError, match=r"line 2, column \d is empty"):
        load_vectors(io.BytesIO(f"3.0, 4.0\n{text}\n".encode()))


@pytest.mark.parametrize("name", FAMILIES)
def test_saving_loses_nothing_and_equal_sets_give_equal_bytes(tmp_path: Path, name: str) -> None:
    made = generate(name, seed=3)
    for path in ("a.npz", "b.npz"):
        save_vectors(made, tmp_path / path)
    loaded = load_vectors(tmp_path / "a.npz")
    assert same(loaded, made)
    assert loaded.first.dtype == made.first.dtype
    assert (tmp_path / "a.npz").read_bytes() == (tmp_path / "b.npz").read_bytes()
    assert np.array_equal(load_vectors(io.BytesIO(write_text(made).encode())).first, made.first)


def test_names_of_arrays() -> None:
    one, two = np.eye(3), np.ones((2, 3))
    for names in (("queries", "keys"), ("A", "B")):
        loaded = load_vectors(npz(**dict(zip(names, (one, two), strict=True))))
        assert same(loaded, VectorSet(one, two))
    assert same(load_vectors(npz(vectors=one, A=two)), VectorSet(one))
    assert same(load_vectors(npz(anything=one)), VectorSet(one))
    assert same(load_vectors(npz(a=one, b=two), key="b"), VectorSet(two))
    assert same(load_vectors(npz(a=one, b=two), key="b,a"), VectorSet(two, one))
    stream = io.BytesIO()
    np.save(stream, one)
    stream.seek(0)
    assert same(load_vectors(stream), VectorSet(one))


def test_text() -> None:
    text = b"\xef\xbb\xbf# two sets\n1 2.5\n-3,1e3  # the second\n\n---\n0\t0\n"
    loaded = load_vectors(io.BytesIO(text))
    assert loaded.first.tolist() == [[1, 2.5], [-3, 1000]]
    assert loaded.second is not None
    assert loaded.second.tolist() == [[0, 0]]


@pytest.mark.parametrize(
    ("content", "key", "message"),
    [
        (b"", None, "the file is empty"),
        (b"1 2\n3\n", None, "line 2 has 1 numbers, the first vector has 2"),
        (b"1 2\n3 x\n", None, "line 2, column 1: 'x' is not a number"),
        (b"# nothing\n", None, "one set of vectors, or two"),
        (b"1\n---\n2\n---\n3\n", None, "one set of vectors, or two"),
        (b"1 2\n---\n3\n", None, "different dimensions, 2 and 1"),
        (b"\xff\xfe1", None, "is not UTF-8"),
        (b"1 2\n", "A", "drop 'A'"),
        (b"PK\x03\x04 not a zip", None, "not a readable npz"),
        (b"\x93NUMPY\x01\x00", None, "damaged"),
        (npz(a=np.eye(2), b=np.eye(2)).getvalue(), None, "is named vectors"),
        (npz(a=np.eye(2)).getvalue(), "c", "no array 'c'"),
        (npz(a=np.eye(2)).getvalue(), "a,a,a", "take one set or two"),
        (npz(a=np.zeros(3)).getvalue(), None, "vectors are a matrix of numbers"),
        (npz(a=np.array([["x"]])).getvalue(), None, "vectors are a matrix of numbers"),
        (npz(a=np.array([[{}]], dtype=object)).getvalue(), None, "pickled objects are never"),
        (npz(vectors=np.eye(2), furthest=np.eye(2)).getvalue(), None, "an index for each"),
        (npz(vectors=np.eye(2), known=np.array("{")).getvalue(), None, "is not JSON"),
        (npz(A=np.eye(2), B=np.eye(3)).getvalue(), None, "different dimensions"),
    ],
)
def test_hostile_files(tmp_path: Path, content: bytes, key: str | None, message: str) -> None:
    path = tmp_path / "v.npz"
    path.write_bytes(content)
    refuse(path, key, message)


def test_vectors_do_not_unfold_without_end(tmp_path: Path) -> None:
    header = b"{'descr': '<f8', 'fortran_order': False, 'shape': (200000000, 1), }"
    header += b" " * (-(len(header) + 11) % 64) + b"\n"
    head = b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header
    write_bomb(tmp_path / "v.npz", "vectors", head, 1_600_000_000)
    refuse(tmp_path / "v.npz", None, "refused")


def refuse(path: Path, key: str | None, message: str) -> None:
    """Loading is refused in one line that names the file."""
    with pytest.raises(InputError, match=message) as caught:
        load_vectors(path, key=key)
    assert str(caught.value).startswith(str(path))
    assert "\n" not in str(caught.value)


def test_only_npz_is_written(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"written as \.npz"):
        save_vectors(VectorSet(np.eye(2)), tmp_path / "v.csv")
