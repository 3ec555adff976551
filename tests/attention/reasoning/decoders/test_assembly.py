"""Assemblies: what is wired where, and in which order."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from samapprox.attention.reasoning.decoders.assembly import Assembly
from samapprox.attention.reasoning.decoders.mlp import Affine, as_matrix, linear
from samapprox.attention.transformers import LinearAttentionLayer

FUNCTIONS = st.builds(
    Affine,
    st.dictionaries(st.integers(0, 4), st.integers(-9, 9).map(float)),
    st.integers(-9, 9).map(float),
)


@given(FUNCTIONS, FUNCTIONS, st.integers(-5, 5))
def test_affine_functions_add_and_scale_like_their_values(
    f: Affine, g: Affine, factor: int
) -> None:
    x = np.arange(5.0) ** 2 + 1

    def value(function: Affine) -> float:
        matrix, constants = as_matrix([function], 5)
        return float(matrix[0] @ x + constants[0])

    assert value(f + g) == value(f) + value(g)
    assert value(f - g) == value(f) - value(g)
    assert value(factor * f + 3) == factor * value(f) + 3
    assert value(f - 2) == value(f) - 2


def test_outputs_are_concatenated_and_nothing_else_changes() -> None:
    assembly = Assembly(scale=64.0)
    x, y = assembly.reserve(2)
    [mean] = assembly.attend([x - x], [x - x], [x + 1])
    total, gap = assembly.feed(linear([[1, 1], [1, -1]]), [x, y + mean])
    assembly.end_block()
    [double] = assembly.feed(linear([[2]]), [total - 5])
    blocks = assembly.build()
    tokens = np.random.default_rng(0).normal(size=(2, 4))
    X = np.zeros((assembly.d, 1, 4))
    X[0], X[1:3, 0] = 1, tokens
    given = X.copy()
    for block in blocks:
        X = block.feed_forward.apply(LinearAttentionLayer(block.heads).apply(X))
    np.testing.assert_array_equal(X[:3], given[:3])
    means = np.cumsum(tokens[0] + 1) / np.arange(1, 5)
    expected = [
        (mean, means),
        (total, tokens[0] + tokens[1] + means),
        (gap, tokens[0] - tokens[1] - means),
        (double, 2 * (tokens.sum(axis=0) + means - 5)),
    ]
    assert assembly.d == 3 + len(expected)
    for function, values in expected:
        [place] = function.terms
        np.testing.assert_allclose(X[place, 0], values, atol=1e-12)


def test_what_a_block_writes_cannot_be_read_too_early() -> None:
    assembly = Assembly(scale=64.0)
    [x] = assembly.reserve(1)
    [read] = assembly.attend([x], [x], [x])
    [later] = assembly.feed(linear([[1]]), [read])
    for function in (read, later):
        with pytest.raises(ValueError, match=r"coordinate \d is there for later blocks"):
            assembly.attend([x], [x], [function + x])
    with pytest.raises(ValueError, match="end this one first"):
        assembly.feed(linear([[1]]), [later])
    assembly.end_block()
    assembly.attend([x], [later], [read])
    assembly.feed(linear([[1]]), [later])


def test_the_scale_reaches_every_network_with_relu() -> None:
    narrow, wide = Assembly(scale=1.0), Assembly(scale=64.0)
    for assembly in (narrow, wide):
        assembly.feed(linear([[1]]), assembly.reserve(1))
    weights = [assembly.build()[0].feed_forward.w_1 for assembly in (narrow, wide)]
    np.testing.assert_array_equal(weights[1], 64 * weights[0])
