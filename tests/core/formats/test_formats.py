"""Every file format, read back and told apart."""

from __future__ import annotations

import io
import json
import os
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.io
import scipy.sparse
from helpers.strategies import any_entries
from hypothesis import given

from samapprox import Fact, InputError, Instance, Pattern, load, load_instance, save
from samapprox.formats import FORMATS, format_of
from samapprox.formats.arrays import Key

S = np.array([[1, 0, 0], [1, 1, 0], [0, 1, 1]], dtype=np.uint8)
STARRED = Pattern.from_text("1*0\n011\n**1")


@pytest.mark.parametrize("name", ["p.npz", "p.npy", "p.csv", "p.txt"])
def test_saved_patterns_load_equal(tmp_path: Path, name: str) -> None:
    save(Pattern.from_array(S), tmp_path / name)
    assert np.array_equal(load(tmp_path / name).to_array(), S)


@pytest.mark.parametrize("name", ["p.npz", "p.csv", "p.txt"])
def test_dont_cares_survive(tmp_path: Path, name: str) -> None:
    save(STARRED, tmp_path / name)
    assert load(tmp_path / name) == STARRED


def test_npy_cannot_hold_dont_cares(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"p\.npy: npy cannot hold don't-care"):
        save(STARRED, tmp_path / "p.npy")
    assert list(tmp_path.iterdir()) == []


def test_npz_keeps_names_facts_and_origin(tmp_path: Path) -> None:
    pattern = Pattern.from_array(S, row_names=["ä", "q2", "q3"], column_names=["x", "yy", ""])
    facts = (Fact(1, None, "YES", "by hand"), Fact(1, 1, "NO", "by hand"))
    instance = Instance(pattern, facts, {"family": "none", "seed": 3})
    save(instance, tmp_path / "p.npz")
    back = load_instance(tmp_path / "p.npz")
    assert back.pattern.row_names == ("ä", "q2", "q3")
    assert back.pattern.column_names == ("x", "yy", "")
    assert back.facts == facts
    assert back.origin == instance.origin


def test_npz_bytes_depend_on_the_content_alone(tmp_path: Path) -> None:
    for name in ("a.npz", "b.npz"):
        save(STARRED, tmp_path / name)
    assert (tmp_path / "a.npz").read_bytes() == (tmp_path / "b.npz").read_bytes()


@given(any_entries())
def test_every_pattern_goes_through_npz(entries: np.ndarray) -> None:
    stream = io.BytesIO()
    np.savez_compressed(stream, S=entries)
    stream.seek(0)
    assert np.array_equal(load(stream).to_array(), entries)


@pytest.mark.parametrize("dtype", [bool, np.int8, np.int64, np.float16, np.float64, ">i4", ">f8"])
@pytest.mark.parametrize("order", ["C", "F"])
def test_numbers_of_every_kind(tmp_path: Path, dtype: str, order: str) -> None:
    np.save(tmp_path / "p.npy", np.array(S, dtype=dtype, order=order))
    assert np.array_equal(load(tmp_path / "p.npy").to_array(), S)


def test_text_arrays_in_npz(tmp_path: Path) -> None:
    np.savez(tmp_path / "p.npz", S=np.array([["1", "*"], ["0", "1"]]))
    assert load(tmp_path / "p.npz").to_text() == "1*\n01"


def test_an_array_without_a_name_has_no_key(tmp_path: Path) -> None:
    np.save(tmp_path / "p.npy", np.array([["1", "*"], ["0", "1"]]))
    assert load(tmp_path / "p.npy").to_text() == "1*\n01"
    with pytest.raises(InputError, match="one array without a name; drop 'S'"):
        load(tmp_path / "p.npy", key="S")


@pytest.mark.parametrize(
    ("kind", "shape", "values", "expected"),
    [
        ("general", "2 3", "1 0 0 1 1 0", "101\n010"),
        ("symmetric", "2 2", "1 0 1", "10\n01"),
        ("symmetric", "3 3", "1 1 0 0 1 1", "110\n101\n011"),
        ("general", "2 3", "1 0 0 1 1", "damaged: a 2 x 3 matrix, but 5 values"),
        ("symmetric", "2 2", "1 0 1 1", "damaged: a 2 x 2 matrix, but 4 values"),
        ("symmetric", "1 2", "1", "damaged: a 1 x 2 matrix, but 1 values"),
    ],
)
def test_dense_matrix_market(
    tmp_path: Path, kind: str, shape: str, values: str, expected: str
) -> None:
    """Values stand column after column; of a symmetric matrix, those from the diagonal down."""
    head = f"%%MatrixMarket matrix array integer {kind}\n{shape}\n"
    (tmp_path / "p.mtx").write_text(head + values.replace(" ", "\n") + "\n")
    if expected.startswith("damaged"):
        with pytest.raises(InputError, match=expected):
            load(tmp_path / "p.mtx")
    else:
        assert load(tmp_path / "p.mtx").to_text() == expected


def test_care_masks(tmp_path: Path) -> None:
    np.savez(tmp_path / "p.npz", S=S, care=[[1, 1, 1], [1, 0, 1], [1, 1, 1]])
    assert load(tmp_path / "p.npz").to_text() == "100\n1*0\n011"
    np.savez(tmp_path / "q.npz", S=S, care=np.ones((3, 3)))
    assert load(tmp_path / "q.npz").is_specified
    np.savez(tmp_path / "r.npz", S=S, care=np.ones((3, 2)))
    with pytest.raises(InputError, match="care has shape"):
        load(tmp_path / "r.npz")


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("index", [0, 1, 2])
def test_one_matrix_of_a_stack(tmp_path: Path, order: str, index: int) -> None:
    stack = np.array([S, S[::-1], S[:, ::-1]], order=order)
    np.savez(tmp_path / "p.npz", S=stack)
    assert np.array_equal(load(tmp_path / "p.npz", key=f"S[{index}]").to_array(), stack[index])
    np.save(tmp_path / "p.npy", stack)
    assert np.array_equal(load(tmp_path / "p.npy", key=f"[{index}]").to_array(), stack[index])


def test_two_leading_axes(tmp_path: Path) -> None:
    stack = np.stack([np.stack([S, S[::-1]]), np.stack([S.T, S.T[::-1]])])
    stack[..., 0] = 1
    np.savez(tmp_path / "p.npz", A=stack)
    assert np.array_equal(load(tmp_path / "p.npz", key="A[1, 0]").to_array(), stack[1, 0])
    assert np.array_equal(load(tmp_path / "p.npz", key="[0,1]").to_array(), stack[0, 1])
    for key in ("A[2,0]", "A[0]", "A[0,0,0]", "B[0,0]", "A[0", "A[,]", "A[" + "9" * 5000 + ",0]"):
        with pytest.raises(InputError, match=r"p\.npz"):
            load(tmp_path / "p.npz", key=key)


def test_keys() -> None:
    assert Key.parse(None) == Key("", ())
    assert Key.parse("S") == Key("S", ())
    assert Key.parse("[0,8]") == Key("", (0, 8))


@pytest.mark.parametrize("layout", ["csr", "csc", "coo"])
@pytest.mark.parametrize("kind", [scipy.sparse.csr_array, scipy.sparse.csr_matrix])
def test_scipy_save_npz(tmp_path: Path, layout: str, kind: type) -> None:
    scipy.sparse.save_npz(tmp_path / "p.npz", kind(S).asformat(layout))
    assert np.array_equal(load(tmp_path / "p.npz").to_array(), S)


def test_other_scipy_layouts_are_named(tmp_path: Path) -> None:
    scipy.sparse.save_npz(tmp_path / "p.npz", scipy.sparse.dia_array(S))
    with pytest.raises(InputError, match="layout 'dia' is not read; save the matrix as csr"):
        load(tmp_path / "p.npz")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"indices": None}, "the sparse matrix is damaged: no array 'indices'"),
        ({"shape": [4, 4, 1]}, "the sparse matrix has 3 dimensions; a pattern has 2"),
    ],
)
def test_damaged_scipy_files(tmp_path: Path, changes: dict[str, Any], message: str) -> None:
    scipy.sparse.save_npz(tmp_path / "p.npz", scipy.sparse.csr_array(S))
    with np.load(tmp_path / "p.npz") as file:
        arrays = {**file, **changes}
    kept = {name: value for name, value in arrays.items() if value is not None}
    np.savez(tmp_path / "p.npz", **kept)
    with pytest.raises(InputError, match=message):
        load(tmp_path / "p.npz")


def test_npy_files_of_a_later_format_are_named(tmp_path: Path) -> None:
    with (tmp_path / "p.npy").open("wb") as stream:
        np.lib.format.write_array(stream, np.eye(2), version=(3, 0))
    with pytest.raises(InputError, match=r"npy format 3\.0 is not readable"):
        load(tmp_path / "p.npy")


def test_sparse_patterns_are_saved_as_scipy_does(tmp_path: Path) -> None:
    eye = scipy.sparse.eye_array(5000, format="csr", dtype=np.int8)
    save(Pattern.from_sparse(eye), tmp_path / "p.npz")
    assert (scipy.sparse.load_npz(tmp_path / "p.npz") != eye).nnz == 0
    assert load(tmp_path / "p.npz") == Pattern.from_sparse(eye)


@pytest.mark.parametrize("matrix", [S, scipy.sparse.coo_array(S)], ids=["array", "coordinate"])
def test_matrix_market(tmp_path: Path, matrix: object) -> None:
    scipy.io.mmwrite(tmp_path / "p.mtx", matrix)
    assert np.array_equal(load(tmp_path / "p.mtx").to_array(), S)


def test_matrix_market_patterns_and_symmetry(tmp_path: Path) -> None:
    text = "%%MatrixMarket matrix coordinate pattern symmetric\n% c\n2 2 2\n1 1\n2 1\n"
    (tmp_path / "p.txt").write_text(text)
    assert load(tmp_path / "p.txt").to_text() == "11\n10"


@pytest.mark.parametrize(
    ("name", "head", "expected"),
    [
        ("a.csv", b"PK\x03\x04", "npz"),
        ("a.npz", b"\x93NUMPY", "npy"),
        ("a", b"%%MatrixMarket matrix", "mtx"),
        ("a.npz", b"nonsense", "npz"),
        ("a.dat", b"0110", "text"),
        ("a.txt", b"0 1 2 0", "text"),
        ("a.txt", b"# note\n\n0,1,*", "text"),
        ("a.txt", b"7 0 clueweb12-01 1", "qrels"),
        ("a.txt", b"7\t0\tclueweb12-01\t1", "qrels"),
        ("a.tsv", b"7\t0\tclueweb12-01\t1", "qrels"),
        ("a.tsv", b"7\t5\t1", "tsv"),
        ("a.tsv", b"query\tdocument", "tsv"),
        ("a.tsv", b"1\t0\t*", "text"),
        ("a.tsv", b"query-id\tcorpus-id\tscore", "tsv"),
        ("a.tsv", b"q one\tdoc 7\t1", "tsv"),
        ("a.txt", b'\xef\xbb\xbf{"query-id": 1}', "jsonl"),
        ("a.JSONL", b"whatever", "jsonl"),
    ],
)
def test_formats_are_told_apart(name: str, head: bytes, expected: str) -> None:
    assert format_of(name, head).name == expected


NAMES = ", ".join(entry.name for entry in FORMATS)


def test_a_named_format_wins_over_the_name(tmp_path: Path) -> None:
    (tmp_path / "p.csv").write_text("a 0 b 1\n")
    assert load(tmp_path / "p.csv", format="qrels").row_names == ("a",)
    with pytest.raises(InputError, match=rf"unknown format 'hdf5'; there are: {NAMES}$"):
        load(tmp_path / "p.csv", format="hdf5")


def test_every_format_has_a_reader() -> None:
    from importlib import import_module

    for entry in FORMATS:
        module = import_module(entry.module)
        assert callable(getattr(module, "read", None)) != callable(getattr(module, "collect", None))


def test_standard_input(tmp_path: Path) -> None:
    save(STARRED, tmp_path / "p.npz")
    for stdin in (b"1*0\n011\n**1\n", (tmp_path / "p.npz").read_bytes()):
        done = subprocess.run(
            [sys.executable, "-c", "import samapprox; print(samapprox.load('-').sha256)"],
            input=stdin,
            capture_output=True,
            check=True,
        )
        assert done.stdout.decode().strip() == STARRED.sha256


def test_unseekable_files(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    writer = subprocess.Popen(["sh", "-c", f"printf '10\\n01\\n' > {tmp_path}/pipe"])
    assert load(tmp_path / "pipe").to_text() == "10\n01"
    assert writer.wait() == 0


def test_save_replaces_whole_files_and_respects_the_umask(tmp_path: Path) -> None:
    path = tmp_path / "p.npz"
    path.write_bytes(b"old")
    save(Pattern.from_array(S), path)
    assert [entry.name for entry in tmp_path.iterdir()] == ["p.npz"]
    assert stat.S_IMODE(path.stat().st_mode) & 0o600 == 0o600


@pytest.mark.parametrize("name", ["p", "p.mtx", "p.qrels", "missing/p.npz", "."])
def test_save_says_why_not(tmp_path: Path, name: str) -> None:
    with pytest.raises(InputError):
        save(Pattern.from_array(S), tmp_path / name)


def test_facts_must_make_sense(tmp_path: Path) -> None:
    for facts in ("[", "{}", '[{"d": 1}]', json.dumps([{"d": 1, "d_hid": None, "answer": "?"}])):
        np.savez(tmp_path / "p.npz", S=S, facts=np.array(facts))
        with pytest.raises(InputError, match=r"p\.npz: array 'facts'"):
            load_instance(tmp_path / "p.npz")
    for value, message in ((["[]", "[]"], "one JSON text"), ("{}", "a JSON list")):
        np.savez(tmp_path / "p.npz", S=S, facts=np.array(value))
        with pytest.raises(InputError, match=f"array 'facts' must hold {message}"):
            load_instance(tmp_path / "p.npz")
