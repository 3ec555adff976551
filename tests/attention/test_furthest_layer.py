"""The attention layer of Proposition 1 that finds furthest vectors, and its scale."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from samapprox import InputError
from samapprox.attention import FurthestLayer, softmax_scale
from samapprox.attention.vectors.furthest_vectors import furthest
from samapprox.reductions.vectors import generate

seeds = st.integers(0, 2**32 - 1)


@settings(max_examples=30)
@given(st.integers(1, 15), st.integers(2, 6), seeds)
def test_the_layer_of_proposition_1(half: int, d: int, seed: int) -> None:
    try:
        made = generate("furthest-planted", n=2 * half, d=d, gap=0.01, double=True, seed=seed)
    except InputError:
        return
    layer = FurthestLayer(d)
    partners = made.first[furthest(made.first).indices]
    assert np.array_equal(layer(made.first), np.hstack([made.first, partners]))
    # 0.0099: the gap that is left when the logits are rounded
    exact = layer(made.first, scale=softmax_scale(0.0099, 2 * half))
    assert np.array_equal(exact, np.hstack([made.first, partners]))
    near = layer(made.first, scale=softmax_scale(0.0099, 2 * half, error=1e-3))
    assert np.linalg.norm(near[:, d:] - partners, axis=1).max() <= 1e-3 + 1e-12


def test_the_layer_is_its_matrices() -> None:
    layer = FurthestLayer(3)
    u = np.random.RandomState(0).standard_normal((8, 3))
    u /= np.linalg.norm(u, axis=1)[:, None]
    a = u @ layer.W_E
    logits = (a @ layer.W_Q) @ (a @ layer.W_K).T
    weights = np.eye(8)[logits.argmax(axis=1)]
    assert np.allclose(a + weights @ (a @ layer.W_V), layer(u))
    assert layer.W_Q.shape == layer.W_K.shape == layer.W_V.shape == (6, 6)


def test_softmax_needs_the_whole_scale() -> None:
    """With half of it the bound on the error fails: the bound is not idle."""
    n, gap = 50, 0.5
    logits = np.full(n, -gap)
    logits[0] = 0
    for share, holds in ((1.0, True), (0.5, False)):
        weights = np.exp(share * softmax_scale(gap, n, error=0.01) * logits)
        error = 2 * weights[1:].sum() / weights.sum()
        assert bool(error <= 0.01) is holds


def test_two_keys_need_a_scale_and_one_key_does_not() -> None:
    assert softmax_scale(0.5, 2, error=0.002) == pytest.approx(2 * np.log(1000))
    assert softmax_scale(0.5, 2, error=3.0) == 0
    assert softmax_scale(0.5, 1, error=0.002) == softmax_scale(0.5, 2)


@pytest.mark.parametrize("arguments", [(0.0, 5), (-1.0, 5), (0.1, 0), (0.1, 5, -1.0)])
def test_scales_are_checked(arguments: tuple[Any, ...]) -> None:
    with pytest.raises(InputError):
        softmax_scale(*arguments)


def test_the_layer_checks_its_input() -> None:
    with pytest.raises(InputError, match="dimension 3, not 2"):
        FurthestLayer(3)([[1.0, 0.0]])
    with pytest.raises(InputError, match="at least 1"):
        FurthestLayer(0)
