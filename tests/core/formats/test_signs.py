"""Sign matrices from files and from memory."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st

from samapprox import InputError, Instance, Pattern, SignMatrix, save
from samapprox.formats.signs import as_sign_matrix


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
        (b"+-x\n", "line 1, column 2: 'x' is not"),
        (b"+-\n+\n", "line 2 has 1 entry but the first row has 2"),
        (b"1 0 -1\n", "the file holds both -1 and 0; signs are + and -"),
        (b"", "the file is empty"),
        ([[1, -1, 0]], "entry at row 0, column 2 is 0, but others are -1"),
        ([[0, "*", -1]], "entry at row 0, column 0 is 0, but others are -1"),
        ([[1, 2]], "entry at row 0, column 1 is 2"),
        ([["a"]], "entry at row 0, column 0 is 'a'"),
        ([[1, None]], "entry at row 0, column 1 is None"),
        ([1, -1], "1 dimension"),
        ([[]], "the pattern is empty"),
        ("missing.csv", "missing.csv: No such file"),
    ],
)
def test_bad_input_is_named(source: Any, message: str) -> None:
    with pytest.raises(InputError, match=message.replace("+", r"\+")):
        as_sign_matrix(io.BytesIO(source) if isinstance(source, bytes) else source)


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
