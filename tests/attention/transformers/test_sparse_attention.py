"""Equation (3) of Likhosherstov et al. (2023): dense and causal, in floats and in mpmath."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest
from numpy.typing import NDArray

from samapprox import InputError
from samapprox.attention.graphs import build
from samapprox.attention.self_attention import csam, sam
from samapprox.attention.transformers import (
    AttentionLayer,
    Head,
    Transformer,
    causal_self_attention,
    self_attention,
)
from samapprox.attention.transformers.maps import Softmax

Floats = NDArray[np.float64]


def draw(
    seed: int, n: int = 6, d_hid: int = 4, d: int = 2
) -> tuple[Floats, Floats, Floats, Floats]:
    rng = np.random.RandomState(seed)
    return rng.randn(n, d_hid), rng.randn(d_hid, d), rng.randn(d_hid, d), rng.randn(d_hid, d)


@pytest.mark.parametrize("seed", range(5))
def test_dense_and_causal_attention_equal_their_matrices_times_values(seed: int) -> None:
    x, w_q, w_k, w_v = draw(seed)
    assert self_attention(x, w_q, w_k, w_v) == pytest.approx(sam(x, w_q, w_k) @ x @ w_v)
    assert causal_self_attention(x, w_q, w_k, w_v) == pytest.approx(csam(x, w_q, w_k) @ x @ w_v)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(
    ("spec", "plain"), [("full", self_attention), ("full:causal=1", causal_self_attention)]
)
def test_it_is_the_dense_case_of_sparse_attention(seed: int, spec: str, plain: object) -> None:
    """Columns are tokens in blocks, rows are tokens here: the transposed matrices agree."""
    x, w_q, w_k, w_v = draw(seed)
    assert callable(plain)
    head = Head(w_q.T, w_k.T, w_v.T, np.eye(4, 2))
    out = Transformer((AttentionLayer((head,)),), np.zeros((4, 6))).forward(
        x.T, build(spec, 6), Softmax()
    )
    read = out - x.T
    assert pytest.approx(plain(x, w_q, w_k, w_v)) == read[:2].T
    assert not read[2:].any()


@pytest.mark.parametrize("attend", [self_attention, causal_self_attention])
def test_mpmath_gives_as_many_digits_as_asked_for(attend: object) -> None:
    assert callable(attend)
    x, w_q, w_k, w_v = draw(9)
    floats = attend(x, w_q, w_k, w_v)
    numbers = [np.frompyfunc(mpmath.mpf, 1, 1)(matrix) for matrix in (x, w_q, w_k, w_v)]
    assert attend(*numbers).astype(float) == pytest.approx(floats, rel=1e-12)
    with mpmath.workdps(60):
        fine = attend(*numbers)
        with mpmath.workdps(90):
            finer = attend(*numbers)
        assert (
            max(abs(a - b) for a, b in zip(fine.flat, finer.flat, strict=True))
            < mpmath.mpf(10) ** -57
        )


def test_causal_outputs_do_not_depend_on_later_tokens() -> None:
    x, w_q, w_k, w_v = draw(2)
    before = causal_self_attention(x, w_q, w_k, w_v)
    for first in range(6):
        changed = x.copy()
        changed[first] += 1
        after = causal_self_attention(changed, w_q, w_k, w_v)
        assert (before[:first] == after[:first]).all()
        assert (before[first] != after[first]).any()


def test_bad_shapes() -> None:
    x, w_q, w_k, w_v = draw(0)
    with pytest.raises(InputError, match=r"X and W_V have shapes \(6, 4\) and \(3, 2\)"):
        self_attention(x, w_q, w_k, w_v[:3])
    with pytest.raises(InputError, match="X, W_Q and W_K have shapes"):
        causal_self_attention(x, w_q[:3], w_k, w_v)
