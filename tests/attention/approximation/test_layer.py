"""Layers that cannot be, and rows that cannot be normalised, are refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from samapprox import InputError
from samapprox.attention.approximation.layer import AttentionLayer
from samapprox.attention.self_attention import row_normalised


@pytest.mark.parametrize(
    ("matrices", "message"),
    [
        (([[1.0], [2.0, 3.0]], [[1.0]], [[1.0]]), "one of them is ragged"),
        ((np.empty((0, 1)), [[1.0]], [[1.0]]), "a layer needs a token"),
        ((np.empty((2, 0)), np.empty((0, 1)), np.empty((0, 1))), "a column of X"),
        (([[1.0]], np.empty((1, 0)), np.empty((1, 0))), "a column of W_Q"),
        (([[1.0]], [[1.0, 2.0]], [[1.0, 2.0]]), "d = 2 exceeds d_hid = 1"),
        (([["1"]], [[1.0]], [[1.0]]), "must hold floats of 8 bytes at most"),
        (([[1j]], [[1.0]], [[1.0]]), "must hold floats of 8 bytes at most"),
        ((np.ones((1, 1), dtype=np.longdouble), [[1.0]], [[1.0]]), "of 8 bytes at most"),
        (([[object()]], [[1]], [[1]]), "must hold floats, or integers and fractions"),
        (([[None]], [[1]], [[1]]), "must hold floats, or integers and fractions"),
        (([[float("nan")]], [[1.0]], [[1.0]]), "must hold finite numbers"),
        (([[1.0]], [[1.0]], [[float("-inf")]]), "must hold finite numbers"),
    ],
)
def test_layers_that_cannot_be(matrices: tuple[Any, Any, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        AttentionLayer(*matrices)


@pytest.mark.parametrize(
    ("matrix", "message"),
    [
        ([[1, 1], [0, 0]], "row 1 sums to 0"),
        ([[1, -1]], "row 0 sums to 0"),
        ([[1, -2]], "row 0 sums to -1"),
        ([[1.0, float("nan")]], "row 0 sums to nan"),
    ],
)
def test_rows_that_cannot_be_normalised(matrix: list[list[float]], message: str) -> None:
    with pytest.raises(InputError, match=message):
        row_normalised(matrix)
