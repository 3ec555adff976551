"""Causal attention is recognised where every matrix says so, and only there."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.attention.saved_attentions import attention
from hypothesis import given
from hypothesis import strategies as st

from samapprox.attention.weights.rows import is_causal


@given(st.integers(2, 8), st.integers(1, 4), st.integers(0, 2**31), st.data())
def test_one_weight_above_the_diagonal_is_enough(
    n: int, count: int, seed: int, data: st.DataObject
) -> None:
    matrices = attention(count, n, n, causal=True, seed=seed)
    assert is_causal(matrices)
    at = data.draw(st.integers(0, count - 1))
    row = data.draw(st.integers(0, n - 2))
    column = data.draw(st.integers(row + 1, n - 1))
    matrices[at, row, column] = 1e-30
    assert not is_causal(matrices)


@given(st.integers(2, 8), st.integers(0, 2**31), st.sampled_from([0.0, np.nan, "uniform"]))
def test_padding_counts_neither_way(n: int, seed: int, filler: float | str) -> None:
    matrices = attention(2, n, n, causal=True, seed=seed)
    padding = np.random.RandomState(seed % 2**31).rand(2, n) < 0.5
    padding[0, 0] = False
    matrices[padding] = 1 / n if filler == "uniform" else filler
    assert is_causal(matrices)
    assert not is_causal(np.where(padding[..., None], matrices, 1 / n + attention(2, n, n)))


@pytest.mark.parametrize(
    "matrices",
    [
        np.ones((3, 1, 1)),  # prefixes of one token
        np.zeros((3, 4, 4)),  # padding alone
        np.full((1, 4, 4), 0.25),  # the same weight for every key
        np.full((1, 4, 4), np.nan),
        np.tril(np.ones((2, 3)))[None],  # cross attention
        np.zeros((0, 4, 4)),
    ],
)
def test_no_evidence_is_not_causal(matrices: np.ndarray) -> None:
    assert not is_causal(matrices)


def test_one_token_prefixes_beside_longer_texts() -> None:
    assert is_causal([np.ones((1, 1)), attention(4, 4, causal=True)])


def test_logits_are_masked_by_infinity() -> None:
    scores = np.zeros((3, 3)) + np.arange(3)
    assert not is_causal([np.tril(scores)], logits=True)
    scores[np.triu_indices(3, 1)] = -np.inf
    assert is_causal([scores], logits=True)
    scores[0] = -np.inf
    assert is_causal([scores], logits=True)
    scores[1, 2] = -1e4
    assert not is_causal([scores], logits=True)
