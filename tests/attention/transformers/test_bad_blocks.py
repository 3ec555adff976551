"""Shapes and numbers that blocks refuse."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from samapprox import InputError
from samapprox.attention.graphs import build
from samapprox.attention.graphs.graph import AttentionGraph
from samapprox.attention.graphs.heads import SparseAttention
from samapprox.attention.transformers import (
    AttentionLayer,
    FeedForward,
    Head,
    PiecewiseLinear,
    Transformer,
)
from samapprox.attention.transformers.maps import Entmax, Hardmax, ProbabilityMap, Softmax

ONE = [[1]]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Head(ONE, [[1, 2]], ONE, ONE), "the head has query (1, 1), key (1, 2)"),
        (lambda: Head([1], ONE, ONE, ONE), "query must be a matrix of real numbers, not int64 of"),
        (lambda: Head([["a"]], ONE, ONE, ONE), "query must be a matrix of real numbers, not <U1"),
        (lambda: Head(ONE, ONE, ONE, ONE, [1, 2]), "query_bias must have 1 real numbers, not"),
        (lambda: Head(ONE, ONE, ONE, ONE, pattern=-1), "pattern of a head must be at least 0"),
        (
            lambda: AttentionLayer((Head(ONE, ONE, ONE, ONE), Head(*[np.eye(2)] * 4))),
            "the heads of a layer must have one dimension d, not [1, 2]",
        ),
        (lambda: FeedForward(ONE, [0], [[1, 2]], [0]), "w_1 and w_2 have shapes (1, 1) and (1, 2)"),
        (lambda: FeedForward(ONE, [0, 1], ONE, [0]), "b_1 must have 1 real numbers, not int64 of"),
        (lambda: PiecewiseLinear((1, 0)), "the starts of pieces must ascend, not [1, 0]"),
        (lambda: PiecewiseLinear((1, 1)), "the starts of pieces must ascend, not [1, 1]"),
        (lambda: PiecewiseLinear((0, float("nan"))), "the starts of pieces must ascend, not"),
        (lambda: PiecewiseLinear((0,)), "2 pieces need as many slopes, not 3"),
        (lambda: PiecewiseLinear((0, 1, 2)), "needs 1 or 2 starts and as many slopes"),
        (
            lambda: Transformer((FeedForward(ONE, [0], ONE, [0]),), [[0], [0]]),
            "layer 0 takes tokens of dimension 1, but the positions have dimension 2",
        ),
        (lambda: Transformer((), [[0]], [1, 2]), "extra_token must have 1 real numbers, not"),
    ],
)
def test_bad_shapes(make: Callable[[], object], message: str) -> None:
    with pytest.raises(InputError) as error:
        make()
    assert message in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("x", "spec", "rho", "pattern", "message"),
    [
        ([[1, 2, 3]], "full", Hardmax(), 0, "X has shape (1, 3); the transformer takes tokens in"),
        ([1, 2], "full", Hardmax(), 0, "X has shape (2,); it must be (d, n) or (inputs, d, n)"),
        (np.zeros((0, 1, 2)), "full", Hardmax(), 0, "X has shape (0, 1, 2); it must be"),
        ([["a", "b"]], "full", Hardmax(), 0, "X must hold real numbers, not <U1"),
        ([[1.0, float("nan")]], "full", Softmax(), 0, "row 0 has NaN"),
        (
            np.array([[1, 2]], dtype=object),
            "full",
            Entmax(1.2),
            0,
            "Entmax(alpha=1.2) has no exact form; give floats, or choose another map",
        ),
        (
            [[1, 2]],
            "strided:w=1,heads=multihead",
            Hardmax(),
            2,
            "a head has pattern 2; the layer has patterns 0..1",
        ),
    ],
)
def test_bad_runs(x: Any, spec: str, rho: ProbabilityMap, pattern: int, message: str) -> None:
    head = Head(ONE, ONE, ONE, ONE, pattern=pattern)
    transformer = Transformer((AttentionLayer((head,)),), [[0, 0]])
    with pytest.raises(InputError) as error:
        transformer.forward(x, build(spec, 2), rho)
    assert message in str(error.value)


def test_attention_on_other_tokens_and_tokens_without_keys() -> None:
    transformer = Transformer((AttentionLayer((Head(ONE, ONE, ONE, ONE),)),), [[0, 0]])
    with pytest.raises(InputError, match="the attention is on 3 tokens, but the transformer has 2"):
        transformer.forward([[1, 2]], build("full", 3), Hardmax())
    lonely = SparseAttention((AttentionGraph.from_csr([0, 1, 1], [0]),))
    with pytest.raises(InputError, match="token 1 attends to no token; give it a key"):
        transformer.forward([[1, 2]], lonely, Hardmax())
    extra = Transformer((), [[0, 0]], [5])
    with pytest.raises(InputError, match="on 2 tokens, but the transformer has 3 with the extra"):
        extra.forward([[1, 2]], build("full", 2), Hardmax())
