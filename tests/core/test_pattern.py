"""Patterns: construction from everything, equality, views, and how bad input is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse
from helpers.strategies import Entries, valid_entries
from hypothesis import given
from hypothesis import strategies as st

from samapprox import Embedding, InputError, Pattern, Problem
from samapprox.attention.graphs import AttentionGraph
from samapprox.proofs import Merged
from samapprox.proofs.checker import check
from samapprox.storage import PackedMatrix
from samapprox.storage.entries import MAX_ENTRIES, MAX_SIDE
from samapprox.storage.sparse import SparseMatrix


@given(valid_entries(9, 140))
def test_every_source_gives_the_same_pattern(entries: Entries) -> None:
    pattern = Pattern.from_array(entries)
    np.testing.assert_array_equal(pattern.to_array(), entries)
    sources = [
        Pattern.from_array(entries.tolist()),
        Pattern.from_array(entries.astype(np.bool_)),
        Pattern.from_array(entries.astype(np.float64)),
        Pattern.from_array(entries.astype(">i4")),
        Pattern.from_array(np.asfortranarray(entries)),
        Pattern.from_array(entries.astype(str)),
        Pattern.from_text(pattern.to_text()),
        Pattern.from_text("\n".join(",".join(row) for row in entries.astype(str).tolist())),
        Pattern.from_text(
            "\n".join(" ".join(row) for row in entries.astype(float).astype(str).tolist())
        ),
        Pattern.from_sparse(scipy.sparse.csr_array(entries)),
        Pattern.from_sparse(scipy.sparse.coo_matrix(entries)),
        Pattern.from_sparse(scipy.sparse.csc_array(entries.astype(float))),
        Pattern.from_sparse(pattern.to_sparse()),
    ]
    for other in sources:
        assert other == pattern
        assert hash(other) == hash(pattern)
        np.testing.assert_array_equal(other.row_ones, entries.sum(axis=1))
        np.testing.assert_array_equal(other.row_zeros, (entries == 0).sum(axis=1))
    assert pattern.count == entries.sum()
    assert pattern.density == pytest.approx(entries.mean())


@given(valid_entries(6, 70), st.data())
def test_dont_cares(entries: Entries, data: st.DataObject) -> None:
    rng = np.random.RandomState(data.draw(st.integers(0, 2**31)))
    care = rng.randint(0, 2, size=entries.shape)
    care[np.arange(len(entries)), entries.argmax(axis=1)] = 1
    noise = np.where(care, entries, 7.0)
    pattern = Pattern.from_array(noise, care)
    wanted = np.where(care == 1, entries.astype(int), -1)
    np.testing.assert_array_equal(pattern.to_array(), wanted)
    assert Pattern.from_text(pattern.to_text()) == pattern
    assert pattern.is_specified == bool(care.all())
    np.testing.assert_array_equal(pattern.row_zeros, (wanted == 0).sum(axis=1))
    assert (pattern == Pattern.from_array(entries)) == bool(care.all())


@given(valid_entries(7, 7).filter(lambda entries: entries.shape[0] == entries.shape[1]))
def test_causal_view(entries: Entries) -> None:
    entries[:, 0] = 1
    wanted = np.where(np.triu(np.ones_like(entries), 1) == 1, -1, entries.astype(int))
    causal = Pattern.from_array(entries).causal()
    np.testing.assert_array_equal(causal.to_array(), wanted)
    assert causal.causal() == causal


@given(valid_entries(6, 9), valid_entries(6, 9))
def test_equality_is_equality_of_entries(left: Entries, right: Entries) -> None:
    assert (Pattern.from_array(left) == Pattern.from_array(right)) == np.array_equal(left, right)


def test_fingerprint_is_pinned() -> None:
    """Certificates on disk depend on it."""
    assert Pattern.from_text("10\n11").sha256 == (
        "98a5ddf6a1c479f162cbc011fd8bd2d4145bbff25a3d9bb878e2f41db601d18e"
    )
    assert Pattern.from_text("1*\n01").sha256 == (
        "7ddbd4cb655fccd66bfa03f0f4d1ff6078e8d2313986b8cf448bf939cf2c572f"
    )


def test_names_do_not_change_the_pattern_but_are_checked() -> None:
    named = Pattern.from_array([[1, 0]], row_names=["q"], column_names=["a", "b"])
    assert named == Pattern.from_array([[1, 0]])
    assert named.row_label(0) == "row 0 ('q')"
    assert named.column_label(1) == "column 1 ('b')"
    assert Pattern.from_array([[1, 0]]).column_label(1) == "column 1"
    with pytest.raises(InputError, match="1 column names for 2 columns"):
        Pattern.from_array([[1, 0]], column_names=["a"])


def test_storage_follows_size() -> None:
    few = scipy.sparse.csr_array(([1], [5], [0, 1]), shape=(1, 100_000))
    assert isinstance(Pattern.from_sparse(few).ones, SparseMatrix)
    assert isinstance(Pattern.from_sparse(scipy.sparse.eye_array(10)).ones, PackedMatrix)


def test_patterns_do_not_follow_their_source() -> None:
    entries = np.array([[1, 0], [0, 1]])
    pattern = Pattern.from_array(entries)
    entries[:] = 1
    assert pattern.to_text() == "10\n01"
    with pytest.raises(ValueError, match="read-only"):
        pattern.ones.words[0] = 0
    matrix = scipy.sparse.csr_array(([1.0], [1], [0, 1]), shape=(1, 10**5))
    sparse = Pattern.from_sparse(matrix)
    matrix.indices[0] = 3
    assert sparse.ones.row(0).tolist() == [1]


@pytest.mark.parametrize(
    ("entries", "message"),
    [
        ([[0, 1], [2, 1]], "row 1, column 0 is 2; entries must be 0 or 1"),
        ([[0, -1]], "row 0, column 1 is -1"),
        ([[1.0, np.nan]], "row 0, column 1 is nan"),
        ([[1, 0.5]], "row 0, column 1 is 0.5"),
        ([["1", "x"]], "row 0, column 1 is 'x'"),
        ([["1", "10"]], "row 0, column 1 is '10'"),
        ([[1, 0], [0, 0]], "row 1 has no 1: every query .* .`samapprox rank` takes such rows"),
        ([[0], [0], [0]], "row 0 has no 1 .nor have 2 other rows"),
        ([[1, 0], [1]], "ragged"),
        ([], "1 dimension"),
        ([[]], "empty"),
        (np.zeros((0, 4)), "empty"),
        ([1, 0], "1 dimension .2,.; it must be a matrix"),
        (np.ones((2, 2, 2)), "3 dimensions"),
        (5, "must be a matrix .*; not a value of type int"),
        ([[1, None]], "row 0, column 1 is None"),
        ([[1, {}]], "row 0, column 1 is {}"),
        ([[1, "*"], [2.0, 1]], "row 1, column 0 is 2.0"),
        (np.array([[1j]]), "complex128 values"),
        ([[1, 2**70]], "row 0, column 1 is 1180591620717411303424"),
        ([[1, 10**5000]], "row 0, column 1 is a value of type int"),
        ([[0], [0]], "row 0 has no 1 .nor has 1 other row.:"),
        (np.ma.array([[1, 0]], mask=[[0, 1]]), "masked entries; .* a care mask"),
    ],
)
def test_bad_arrays(entries: object, message: str) -> None:
    with pytest.raises(InputError, match=message):
        Pattern.from_array(entries)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "empty"),
        ("10\n1", "line 2 has 1 entry but the first row has 2"),
        ("10\n1x", "line 2, column 1: 'x' is not 0, 1 or *"),
        ("1,0\n1,2", "line 2, column 1: '2'"),
        ("1,10", "line 1, column 1: '10'"),
        ("01 1", "line 1, column 0: '01'"),
        ("1,nan", "line 1, column 1: 'nan'"),
        ("1,,0\n,1,0", "line 1, column 1 is empty"),
        ("1,0\n ;1", "line 2, column 0 is empty"),
        ("1, 0 ; ,", "line 1, column 2 is empty"),
        ("10\n00", "row 1 has no 1"),
        ("**", "row 0 has no 1"),
    ],
)
def test_bad_text(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message.replace("*", r"\*")):
        Pattern.from_text(text)


def test_a_comma_may_follow_the_last_entry() -> None:
    assert Pattern.from_text("1,0,\n0;1; ").to_text() == "10\n01"


def test_care_must_fit() -> None:
    with pytest.raises(InputError, match=r"care has shape \(1, 1\)"):
        Pattern.from_array([[1, 0]], [[1]])
    with pytest.raises(InputError, match="care entry at row 0, column 1 is 3"):
        Pattern.from_array([[1, 0]], [[1, 3]])
    with pytest.raises(InputError, match="row 0 has no 1"):
        Pattern.from_array([[1, 0]], [[0, 1]])


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        (([0, 1, 1], [5], None), "column index is outside 0..3"),
        (([0, 2, 1], [1], None), "row pointers"),
        (([0, 1], [1], None), "row pointers"),
        (([0, 2, 3], [1, 1, 2], None), "row 0, column 1 is given twice"),
        (([0, 1, 2], [1, 2], [1, 2]), "row 1, column 2 is 2"),
        (([0, 1, 2], [1, 2], [1.0, np.nan]), "row 1, column 2 is nan"),
        (([0, 1, 2], [1, 2], [1, 0]), "row 1 has no 1"),
    ],
)
def test_bad_sparse_arrays(arrays: tuple[list, list, list | None], message: str) -> None:
    indptr, indices, data = arrays
    values = None if data is None else np.array(data)
    with pytest.raises(InputError, match=message):
        Pattern.from_csr(np.array(indptr), np.array(indices), values, (2, 4))


def test_stored_zeros_and_unsorted_rows_are_fine() -> None:
    pattern = Pattern.from_csr(
        np.array([0, 3, 4]), np.array([3, 0, 2, 1]), np.array([1, 1, 0, 1]), (2, 4)
    )
    assert pattern.to_text() == "1001\n0100"


def test_sizes_are_refused_before_allocation() -> None:
    square = Pattern.from_sparse(scipy.sparse.eye_array(200_000, format="csr"))
    with pytest.raises(InputError, match=f"more than {MAX_ENTRIES} entries"):
        square.to_array()
    with pytest.raises(InputError, match=f"more than {MAX_ENTRIES} entries"):
        square.causal()
    wide = scipy.sparse.csr_array(([1.0], [0], [0, 1]), shape=(1, MAX_SIDE + 1))
    with pytest.raises(InputError, match=f"a side of more than {MAX_SIDE}"):
        Pattern.from_sparse(wide)
    with pytest.raises(InputError, match="as many queries as keys"):
        Pattern.from_array([[1, 0, 0]]).causal()


@given(valid_entries(6, 70), st.data())
def test_submatrix(entries: Entries, data: st.DataObject) -> None:
    m, n = entries.shape
    rows = data.draw(st.lists(st.integers(0, m - 1), max_size=5))
    columns = data.draw(st.lists(st.integers(0, n - 1), max_size=5))
    wanted = (
        entries[np.ix_(rows, columns)] if rows and columns else np.zeros((len(rows), len(columns)))
    )
    pattern = Pattern.from_array(entries)
    np.testing.assert_array_equal(pattern.submatrix(rows, columns), wanted)
    csr = scipy.sparse.csr_array(entries)
    sparse = Pattern.from_storage(SparseMatrix(csr.indptr.astype(np.int64), csr.indices, n))
    np.testing.assert_array_equal(sparse.submatrix(rows, columns), wanted)
    with pytest.raises(IndexError, match=f"row {m} is outside"):
        pattern.submatrix([m], [0])


@given(valid_entries(20, 150), st.data())
def test_counts_of_both_storages(entries: Entries, data: st.DataObject) -> None:
    m, n = entries.shape
    rng = np.random.RandomState(data.draw(st.integers(0, 2**31)))
    order, lengths = rng.permutation(n), rng.randint(0, n + 1, size=m)
    row = int(rng.randint(m))
    csr = scipy.sparse.csr_array(entries)
    packed = Pattern.from_array(entries).ones
    sparse = SparseMatrix(csr.indptr.astype(np.int64), csr.indices, n)
    firsts = [entries[i, order[: lengths[i]]].sum() for i in range(m)]
    for matrix in (packed, sparse):
        np.testing.assert_array_equal(matrix.prefix_counts(order, lengths), firsts)
        np.testing.assert_array_equal(
            matrix.intersections(row), (entries & entries[row]).sum(axis=1)
        )
        np.testing.assert_array_equal(matrix.dense(), entries)
    chosen = rng.randint(0, 2, size=m) > 0
    np.testing.assert_array_equal(sparse.column_counts(chosen), entries[chosen].sum(axis=0))


def test_dont_cares_beside_sparse_ones_are_never_overlooked() -> None:
    """Checks that go by the ones of sparse patterns alone would take a * for a 0."""
    ones = SparseMatrix(np.array([0, 1, 2]), np.array([0, 0], dtype=np.int32), 3)
    stars = Pattern.from_text("1*0\n100").unspecified
    pattern = Pattern.from_storage(ones, stars)
    assert isinstance(pattern.ones, PackedMatrix)
    assert pattern == Pattern.from_text("1*0\n100")
    shown = Embedding([[1]], [[1], [1], [0]], [0])  # of row 0, whose * it takes for a 1
    merged = Merged([0], [0, 1, 2], [0, 0], [], [0, 1, 2], shown)
    assert check(Problem(pattern, 1), merged) == "row 1 is no copy of row 0"


def test_masked_entries_are_refused() -> None:
    masked = np.ma.masked_array([[1, 0], [0, 1]], mask=[[0, 1], [0, 0]])
    with pytest.raises(InputError, match=r"masked entries; .* Pattern\(array.data, ~array.mask\)"):
        Pattern(masked)
    assert Pattern(masked.data, ~masked.mask).to_text() == "1*\n01"


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("indptr", [0, 1.5]),
        ("indptr", [[0, 1]]),
        ("indices", [0.7]),
        ("indices", [float("nan")]),
        ("indices", [1 << 63]),
        ("indices", None),
    ],
)
def test_indices_of_rows_are_whole_numbers(name: str, values: object) -> None:
    """A conversion would move an entry to another column, or outside all."""
    arrays: dict[str, Any] = {"indptr": np.array([0, 1]), "indices": np.array([0]), name: values}
    with pytest.raises(InputError, match=f"^{name} must be a list of whole numbers, not "):
        Pattern.from_csr(data=None, shape=(1, 2), **arrays)
    with pytest.raises(InputError, match=f"^{name} must be a list of whole numbers, not "):
        AttentionGraph.from_csr(**arrays)
