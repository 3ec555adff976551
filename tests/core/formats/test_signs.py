"""Sign matrices from files and from memory."""

from __future__ import annotations

import io
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st

from samapprox import InputError, Instance, Pattern, SignMatrix, load, save
from samapprox.formats.signs import as_sign_matrix, load_matrix


@pytest.mark.parametrize(
    "text",
    [
        "+-*\n---\n",
        "+,-,*\n-,-,-\n",
        "+ - *\n- - -",
        "10*\n000\n",
        "1;-1;*\n-1;-1;-1\n",
        "1 -1 *\n-1 -1 -1\n",
        "+1\t-1\t*\n-1\t-1\t-1\n",
        "1.0,-1.0,*\n-1.0,-1.0,-1.0",
        "+,-,*,\n-,-,-,\n",
        "# signs\n\n+-*\n  \n---\n",
        "\ufeff+-*\r\n---\r\n",
    ],
)
def test_text(text: str) -> None:
    assert as_sign_matrix(io.BytesIO(text.encode())).to_text() == "10*\n000"


@pytest.mark.parametrize(
    "entries",
    [
        [[1, -1], [-1, -1]],
        [[1, 0], [0, 0]],
        [[True, False], [False, False]],
        [["+", "-"], ["-", "-"]],
        [["1", "-1"], ["-1", "-1"]],
        [[b"+", b"-"], ["-", "-"]],
        np.array([[1.0, -1.0], [-1.0, -1.0]]),
        np.array([[1, -1], [-1, -1]], dtype=np.int8),
        np.array([["+", "-"], ["-", "-"]]),
        scipy.sparse.csr_array([[1, 0], [0, 0]]),
        pd.DataFrame([["+", "-"], ["-", "-"]]),
        SignMatrix.from_text("10\n00"),
    ],
)
def test_entries_in_memory(entries: Any) -> None:
    assert as_sign_matrix(entries).to_text() == "10\n00"


def test_patterns_and_instances_keep_their_names() -> None:
    pattern = Pattern.from_text("1*\n01", row_names=["a", "b"])
    for source in (pattern, Instance(pattern)):
        matrix = as_sign_matrix(source)
        assert matrix == pattern
        assert matrix.row_names == ("a", "b")
    frame = pd.DataFrame([["+", "*"], ["-", "-"]], index=["a", "b"], columns=["x", "y"])
    assert as_sign_matrix(frame).column_names == ("x", "y")


@pytest.mark.parametrize("ending", ["csv", "txt", "npz", "npy", "csv.gz"])
def test_files(tmp_path: Path, ending: str) -> None:
    signs = np.array([[1, -1, 1], [-1, -1, -1]])
    path = tmp_path / f"signs.{ending}"
    if ending == "npy":
        np.save(path, signs)
    elif ending == "npz":
        np.savez(path, S=signs, care=np.array([[1, 1, 0], [1, 1, 1]]))
    else:
        np.savetxt(path, signs, fmt="%d", delimiter="," if "csv" in ending else " ")
    expected = "10*\n000" if ending == "npz" else "101\n000"
    assert as_sign_matrix(path).to_text() == expected


def test_other_formats_and_stacks_are_read_as_patterns_are(tmp_path: Path) -> None:
    pattern = Pattern.from_csr(np.arange(2001), np.arange(2000), None, (2000, 2000))
    save(pattern, tmp_path / "sparse.npz")
    assert as_sign_matrix(tmp_path / "sparse.npz") == pattern
    np.savez(tmp_path / "stack.npz", A=np.array([[[1, -1]], [[-1, 1]]]))
    assert as_sign_matrix(tmp_path / "stack.npz", key="A[1]").to_text() == "01"
    (tmp_path / "qrels").write_text("q1 0 d7 1\nq2 0 d8 1\n")
    assert as_sign_matrix(tmp_path / "qrels").column_names == ("d7", "d8")


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (b"+-x\n", "line 1, column 2: 'x' is no entry; signs are + and -"),
        (b"+-\n+\n", "line 2 has 1 entry but the first row has 2"),
        (b"1 0 -1\n", "the file holds both -1 and 0; signs are + and -"),
        (b"", "the file is empty"),
        ([[1, -1, 0]], "entry at row 0, column 2 is 0, but others are -1"),
        ([[0, "*", -1]], "entry at row 0, column 0 is 0, but others are -1"),
        ([[1, 2]], "entry at row 0, column 1 is 2; signs are + and -"),
        ([[1.0, float("nan")]], "entry at row 0, column 1 is nan; signs are + and -"),
        ([[1, 2j]], "the matrix holds complex128 values; signs are + and -"),
        (scipy.sparse.csr_array([[1, -1]]), "column 1 is -1; here 1 stands for + and 0 for -"),
        ([["a"]], "entry at row 0, column 0 is 'a'; signs are + and -"),
        ([[1, None]], "entry at row 0, column 1 is None"),
        ([1, -1], "1 dimension"),
        ([[]], "the pattern is empty"),
        ("missing.csv", "missing.csv: No such file"),
    ],
)
def test_bad_input_is_named(source: Any, message: str) -> None:
    with pytest.raises(InputError, match=message.replace("+", r"\+")):
        as_sign_matrix(io.BytesIO(source) if isinstance(source, bytes) else source)


def test_text_has_no_keys() -> None:
    with pytest.raises(InputError, match="only npy and npz files have keys; drop 'A'"):
        as_sign_matrix(io.BytesIO(b"+-\n"), key="A")


ARRAY = "%%MatrixMarket matrix array integer general\n2 1\n1\n-1\n"
COORDINATES = "%%MatrixMarket matrix coordinate integer general\n2 1 2\n1 1 1\n2 1 -1\n"


def test_empty_cells_are_refused() -> None:
    with pytest.raises(InputError, match="line 2, column 1 is empty"):
        as_sign_matrix(io.BytesIO(b"+,-,*\n-,,+\n"))


@pytest.mark.parametrize("name", ["array.mtx", "coordinates.mtx", "sparse.npz"])
def test_minus_ones_of_sparse_matrices_are_refused_with_advice(tmp_path: Path, name: str) -> None:
    """Entries that are not stored are zeros, so -1 would be a third value."""
    path = tmp_path / name
    if name == "sparse.npz":
        scipy.sparse.save_npz(path, scipy.sparse.csr_array([[1], [-1]]))
    else:
        path.write_text(ARRAY if name == "array.mtx" else COORDINATES)
    for read, advice in (
        (
            as_sign_matrix,
            "here 1 stands for \\+ and 0 for -; write -1 in text, or in a dense array",
        ),
        (load_matrix, "here 1 stands for \\+ and 0 for -; write -1 in text, or in a dense array"),
        (load, "signs, \\+ and - or 1 and -1, are for `samapprox rank`"),
    ):
        with pytest.raises(InputError, match=f"{name}: entry at row 1, column 0 is -1.*{advice}"):
            read(path)


def test_advice_for_weights_is_for_patterns_alone(tmp_path: Path) -> None:
    np.save(tmp_path / "nan.npy", np.array([[1.0, np.nan]]))
    with pytest.raises(InputError, match=r"nan\.npy: entry .* is nan; signs are") as refused:
        as_sign_matrix(tmp_path / "nan.npy")
    assert "binarize" not in str(refused.value)
    with pytest.raises(InputError, match="binarize"):
        load(tmp_path / "nan.npy")


def test_errors_about_entries_survive_another_process() -> None:
    with pytest.raises(InputError) as refused:
        Pattern([[1, 2]])
    assert str(pickle.loads(pickle.dumps(refused.value))) == str(refused.value)


@given(
    st.lists(st.lists(st.sampled_from("+-*"), min_size=3, max_size=3), min_size=1, max_size=4),
    st.sampled_from(["", ",", " ", "; "]),
)
def test_all_ways_of_writing_agree(rows: list[list[str]], separator: str) -> None:
    text = "\n".join(separator.join(row) for row in rows)
    expected = as_sign_matrix(rows)
    assert as_sign_matrix(io.BytesIO(text.encode())) == expected
    numbers = [[{"+": 1, "-": -1, "*": "*"}[entry] for entry in row] for row in rows]
    assert as_sign_matrix(numbers) == expected
