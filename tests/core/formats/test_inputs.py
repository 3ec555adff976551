"""Arguments of users: one rule for files, arrays, sparse matrices, frames, patterns, instances."""

from __future__ import annotations

import io
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse
from helpers.strategies import Entries, valid_entries
from hypothesis import given

from samapprox import (
    InputError,
    Instance,
    Pattern,
    decide,
    decide_many,
    hidden_dimensions,
    load,
    load_instance,
    save,
    verify,
    weak_dimension,
)

IDENTITY = Pattern.from_text("10\n01")


class Frame:
    """As much of a DataFrame as is looked at."""

    def __init__(self, values: Any, index: Any, columns: Any) -> None:
        self._values, self.index, self.columns = values, index, columns

    def to_numpy(self) -> Any:
        return self._values


@given(valid_entries(6, 9))
def test_every_kind_of_input_is_the_same_pattern(entries: Entries) -> None:
    pattern = Pattern.from_array(entries)
    for given_ in (
        entries,
        entries.tolist(),
        scipy.sparse.coo_array(entries),
        Frame(entries, range(entries.shape[0]), range(entries.shape[1])),
        pattern,
        Instance(pattern),
    ):
        assert Pattern(given_) == load(given_) == pattern
        assert decide(given_).status is decide(pattern).status


@pytest.mark.parametrize("kind", [str, Path, lambda path: io.BytesIO(Path(path).read_bytes())])
def test_files_are_taken_wherever_patterns_are(tmp_path: Path, kind: Callable[[str], Any]) -> None:
    path = os.fspath(tmp_path / "p.npz")
    save(IDENTITY, path)
    certificate = decide(kind(path)).certificate
    assert certificate is not None
    assert verify(kind(path), certificate)
    assert weak_dimension(kind(path)).exact
    assert hidden_dimensions(kind(path))[-1].exact
    assert decide_many([kind(path), IDENTITY]).yes.all()


def test_what_is_there_already_is_not_read_again() -> None:
    instance = Instance(IDENTITY, origin={"by": "hand"})
    assert load(IDENTITY) is IDENTITY
    assert load_instance(instance) is instance
    with pytest.raises(InputError, match="format and key are for files, not for a Pattern"):
        load(IDENTITY, key="S")


def test_labels_of_frames_are_names() -> None:
    values = np.array([[1, "*"], [0, 1]], dtype=object)
    pattern = Pattern(Frame(values, ["q7", "q8"], [10, 20]))
    assert pattern.to_text() == "1*\n01"
    assert (pattern.row_names, pattern.column_names) == (("q7", "q8"), ("10", "20"))
    assert Pattern(Frame(values, range(2), range(2))).row_names is None
    assert Pattern(Frame(values, ["a", "b"], "cd"), row_names=["x", "y"]).row_names == ("x", "y")


def test_frames_of_pandas() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"doc1": [True, False], "doc2": [0, 1]}, index=["q7", "q8"])
    pattern = Pattern(frame)
    assert pattern == IDENTITY
    assert pattern.row_names == ("q7", "q8")
    assert pattern.column_names == ("doc1", "doc2")
    assert Pattern(pandas.DataFrame([[1, 0], [0, 1]])).row_names is None
    assert Pattern(frame[["doc2"]].query("doc2 == 1")).row_names == ("q8",)
    assert Pattern(frame.astype("Int64")) == IDENTITY
    for hole in (np.nan, None, pandas.NA):
        with pytest.raises(InputError, match=r"row 1, column 0 is (nan|None|<NA>)"):
            decide(pandas.DataFrame([[1, 0], [hole, 1]]))


@pytest.mark.parametrize(
    "entries", [[[True, "*"], [0, 1.0]], [[b"1", "*"], ["0", np.float32(1)]], [["1", "*"], "01"]]
)
@pytest.mark.parametrize(
    "convert", [list, lambda rows: np.array([list(row) for row in rows], object)]
)
def test_stars_among_numbers_and_booleans(
    entries: list[Any], convert: Callable[[list[Any]], Any]
) -> None:
    rows = [[row[:1], row[1:]] if isinstance(row, str) else row for row in entries]
    assert Pattern(convert(rows)).to_text() == "1*\n01"


def test_a_mask_that_hides_nothing_is_no_matter() -> None:
    assert Pattern(np.ma.array([[1, 0], [0, 1]])) == IDENTITY


class BytesPath:
    """A path whose name is bytes."""

    def __init__(self, name: str) -> None:
        self._name = name.encode()

    def __fspath__(self) -> bytes:
        return self._name


def test_paths_of_bytes_and_streams_of_text(tmp_path: Path) -> None:
    file = tmp_path / "p.txt"
    file.write_text("10\n01\n")
    assert load(BytesPath(str(file))) == IDENTITY  # type: ignore[arg-type]
    with file.open() as stream, pytest.raises(InputError, match=r"p\.txt: opened as text; .*'rb'"):
        decide(stream)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="the name of the file is empty"):
        decide("")


def test_names_and_care_of_arrays() -> None:
    pattern = Pattern([[1, 0], [0, 1]], [[1, 0], [1, 1]], column_names=["a", "b"])
    assert pattern.to_text() == "1*\n01"
    assert pattern.column_names == ("a", "b")
    assert Pattern(pattern).column_names == ("a", "b")
    with pytest.raises(InputError, match="care is for arrays and nested lists, not for a Pattern"):
        Pattern(pattern, [[1, 1], [1, 1]])


@pytest.mark.parametrize("function", [decide, weak_dimension, hidden_dimensions, load, Pattern])
@pytest.mark.parametrize("wrong", [None, {}, {"S": [[1]]}, set(), 5, 1.5, object(), b"10"])
def test_other_things_are_refused_with_a_list_of_what_is_taken(
    function: Callable[[Any], object], wrong: object
) -> None:
    with pytest.raises(InputError, match=r"must be a matrix .* a DataFrame; not") as caught:
        function(wrong)
    assert len(str(caught.value).splitlines()) == 1


@pytest.mark.parametrize("text", ["10\n01", "1 0\n0 1", "1,0;0,1", "*" * 5000])
def test_entries_in_a_string_are_no_file(text: str) -> None:
    with pytest.raises(InputError, match=r"no file is named .*Pattern\.from_text") as caught:
        decide(text)
    assert len(str(caught.value).splitlines()) == 1
    with pytest.raises(InputError, match=r"not a string \(Pattern\.from_text"):
        Pattern(text)


def test_a_missing_file_is_named() -> None:
    with pytest.raises(InputError, match=r"^nowhere\.npz: No such file"):
        decide("nowhere.npz")


@pytest.mark.parametrize("wrong", ["p.npz", IDENTITY, 5, Path("p.npz")])
def test_many_is_not_one(wrong: Any) -> None:
    with pytest.raises(InputError, match="decide_many takes several patterns"):
        decide_many(wrong)
