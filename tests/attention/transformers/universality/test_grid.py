"""Functions on grids: files that are read exactly, and files that are refused."""

from __future__ import annotations

import io
import json
import tracemalloc
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from samapprox.attention.transformers.universality import Grid, parse_function, random_function
from samapprox.attention.transformers.universality.grid import check_function
from samapprox.errors import InputError

GRID = Grid(n=2, d=1, steps=2)
VALUES = [[[1, 2]], [[3, 4]], [[5, 6]], [[7, 8.5]]]


def npy(values: Any) -> bytes:
    stream = io.BytesIO()
    np.save(stream, np.asarray(values), allow_pickle=False)
    return stream.getvalue()


def npz(**arrays: Any) -> bytes:
    stream = io.BytesIO()
    np.savez(stream, **arrays)
    return stream.getvalue()


@pytest.mark.parametrize(
    "content",
    [npy(VALUES), npz(f=VALUES), json.dumps(VALUES).encode(), npy(np.float32(VALUES))],
)
def test_files(content: bytes) -> None:
    found = parse_function(content, GRID)
    assert found.tolist() == [[[1, 2]], [[3, 4]], [[5, 6]], [[7, Fraction(17, 2)]]]
    assert all(type(value) in (int, Fraction) for value in found.flat)


def test_numbers_are_exact() -> None:
    text = '[[["1/3", 0.1]], [["-7", 1e-3]], [[1e400, 123456789012345678901234567890]], [[0, 0]]]'
    found = parse_function(text.encode(), GRID)
    assert found[0, 0].tolist() == [Fraction(1, 3), Fraction(1, 10)]
    assert found[1, 0].tolist() == [-7, Fraction(1, 1000)]
    assert found[2, 0].tolist() == [10**400, 123456789012345678901234567890]
    assert parse_function(npy([[[0.1, 0]]] * 4), GRID)[0, 0, 0] == Fraction(0.1)


def test_long_doubles_are_exact() -> None:
    value = np.longdouble(1) + np.finfo(np.longdouble).eps
    found = parse_function(npy(np.full((4, 1, 2), value)), GRID)
    assert found[0, 0, 0] == 1 + Fraction(*np.finfo(np.longdouble).eps.as_integer_ratio())


def test_shapes_are_checked_before_arrays_are_read() -> None:
    """A header of compressed zeros can claim far more numbers than the grid has."""
    stream = io.BytesIO()
    np.savez_compressed(stream, f=np.zeros((1 << 22, 1, 2), dtype=np.uint8))
    tracemalloc.start()
    with pytest.raises(InputError, match="values for 4194304 of 4 grid points"):
        parse_function(stream.getvalue(), GRID)
    assert tracemalloc.get_traced_memory()[1] < 1 << 21
    tracemalloc.stop()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (npy(VALUES[:3]), "the function has values for 3 of 4 grid points"),
        (npy([*VALUES, VALUES[0]]), "values for 5 of 4 grid points"),
        (npy(np.zeros((4, 2, 1))), r"shape \(4, 2, 1\); it must be .* \(4, 1, 2\)"),
        (npy(np.zeros((4, 2))), r"shape \(4, 2\)"),
        (npy([[[1, 2]], [[3, np.nan]], [[5, 6]], [[7, 8]]]), "grid point 1, row 0, token 1: .*nan"),
        (npy([[[1, np.inf]]] * 4), "grid point 0, row 0, token 1: .*inf.* is no finite number"),
        (npy([[[1j, 2]]] * 4), "must be real numbers|numbers"),
        (npy([[["a", "b"]]] * 4), "numbers"),
        (npz(f=VALUES, g=VALUES), "the npz file has 2 arrays"),
        (npy(VALUES)[:90], "array"),
        (b"PK\x03\x04", "zip"),
        (b"[[[1, NaN]], [[1, 2]], [[1, 2]], [[1, 2]]]", "grid point 0, row 0, token 1: nan"),
        (b'[[[1, "x"]], [[1, 2]], [[1, 2]], [[1, 2]]]', "token 1: 'x' is no finite number"),
        (b'[[[1, "1/0"]], [[1, 2]], [[1, 2]], [[1, 2]]]', "'1/0' is no finite number"),
        (b"[[[1, null]], [[1, 2]], [[1, 2]], [[1, 2]]]", "None is no finite number"),
        (b"[[[1, 1e999999999]], [[1, 2]], [[1, 2]], [[1, 2]]]", "no npy, npz or JSON"),
        (b'[[[1, "1e999999999"]], [[1, 2]], [[1, 2]], [[1, 2]]]', "is no finite number"),
        (b'[[[1, "1e1_0_0_0_0_0_0_0_0"]], [[1, 2]], [[1, 2]], [[1, 2]]]', "is no finite number"),
        (b"[[[1, 2]], [[1]], [[1, 2]], [[1, 2]]]", "shape"),
        (b"[[[1, 2]], [[1, 2]], [[1, 2]], [[1, [2]]]]", "shape|finite"),
        (b'{"f": 1}', "a list of matrices"),
        (b"no", "no npy, npz or JSON file"),
        (b"\xff\xfe", "no npy, npz or JSON file"),
        (b"[" * 100_000, "no npy, npz or JSON file"),
        (b"", "no npy, npz or JSON file"),
    ],
)
def test_bad_files(content: bytes, message: str) -> None:
    with pytest.raises(InputError, match=message) as refusal:
        parse_function(content, GRID)
    assert "\n" not in str(refusal.value)


def test_random_functions_are_reproducible() -> None:
    one, other = random_function(GRID, 5), random_function(GRID, 5)
    assert one.tolist() == other.tolist() != random_function(GRID, 6).tolist()
    assert all(abs(value) <= 1 for value in random_function(Grid(3, 1, 3)).flat)
    with pytest.raises(InputError, match="the seed"):
        random_function(GRID, -1)


def test_lists_of_values() -> None:
    assert check_function(VALUES, GRID)[3, 0, 1] == Fraction(17, 2)
    assert check_function(np.ones((4, 1, 2), dtype=bool), GRID)[0, 0, 0] == 1
