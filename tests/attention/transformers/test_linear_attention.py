"""Linear attention of Yang et al. (2024): sums, recurrence, and the misprint of Lemma A.8."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from samapprox import InputError
from samapprox.attention.graphs import build
from samapprox.attention.graphs.graph import AttentionGraph
from samapprox.attention.transformers import (
    Head,
    LinearAttentionLayer,
    LinearState,
    Transformer,
    elu_plus_one,
    relu_plus_one,
)
from samapprox.attention.transformers.linear_attention import Feature, _divide, read_by_recurrence
from samapprox.attention.transformers.maps import Hardmax

Matrix = NDArray[Any]


def fractions(rng: np.random.RandomState, *shape: int) -> Matrix:
    numbers = [
        Fraction(int(a), int(b))
        for a, b in zip(rng.randint(-5, 6, 200), rng.randint(1, 4, 200), strict=True)
    ]
    return np.array(numbers[: int(np.prod(shape))], dtype=object).reshape(shape)


def read_by_sums(
    head: Head, columns: Matrix, graph: AttentionGraph, feature: Feature = elu_plus_one
) -> Matrix:
    """The weighted averages that every token of a graph reads, from the definition."""
    queries, keys = feature(head.queries(columns)), feature(head.keys(columns))
    values = head.values(columns)
    tokens = []
    for i in range(graph.n):
        attended = graph.keys(i)
        weights = (keys[:, :, attended] * queries[:, :, i, None]).sum(axis=0)
        total = (values[:, :, attended] * weights).sum(axis=2)
        tokens.append(_divide(total, weights.sum(axis=1)))
    return np.stack(tokens, axis=2)


def draw(seed: int) -> tuple[Head, Matrix]:
    """A head and columns of shape (d, inputs, n)."""
    rng = np.random.RandomState(seed)
    d, m, v, n = rng.randint(1, 4, size=4)
    head = Head(
        fractions(rng, m, d),
        fractions(rng, m, d),
        fractions(rng, v, d),
        fractions(rng, d, v),
        fractions(rng, m),
    )
    return head, fractions(rng, d, 2, n + 1)


def plain_sums(
    head: Head, x: list[list[Fraction]], i: int, *, printed: bool = False
) -> list[Fraction]:
    """Eq. 8 for token i and all before it; as Lemma A.8 prints it, with W_V x_i in the sum."""
    d = len(x)
    bias = head.query_bias
    assert bias is not None

    def times(matrix: Matrix, token: int) -> list[Fraction]:
        return [sum((row[c] * x[c][token] for c in range(d)), Fraction(0)) for row in matrix]

    query = [max(Fraction(0), q + b) + 1 for q, b in zip(times(head.query, i), bias, strict=True)]
    total, mass = [Fraction(0)] * len(head.value), Fraction(0)
    for j in range(i + 1):
        key = [max(Fraction(0), k) + 1 for k in times(head.key, j)]
        weight = sum(a * b for a, b in zip(key, query, strict=True))
        value = times(head.value, i if printed else j)
        total = [t + weight * v for t, v in zip(total, value, strict=True)]
        mass += weight
    return [t / mass for t in total]


@given(st.integers(0, 10**6))
def test_sums_and_recurrence_are_equal_in_fractions(seed: int) -> None:
    head, columns = draw(seed)
    n = columns.shape[2]
    sums = read_by_sums(head, columns, build("full:causal=1", n).union, relu_plus_one)
    steps = read_by_recurrence(head, columns, relu_plus_one)
    assert (sums == steps).all()
    assert all(isinstance(number, Fraction) for number in steps.flat)
    for at in range(2):
        x = columns[:, at].tolist()
        for i in range(n):
            assert sums[:, at, i].tolist() == plain_sums(head, x, i)


def test_lemma_a8_as_printed_is_the_value_of_the_token_itself() -> None:
    """With W_V x_i in the sum the weights cancel: no token reads anything from another."""
    head = Head([[1]], [[1]], [[1]], [[1]], [0])
    x = [[Fraction(1), Fraction(5)]]
    assert plain_sums(head, x, 1, printed=True) == [Fraction(5)]
    steps = read_by_recurrence(head, np.array([x], dtype=object).transpose(1, 0, 2), relu_plus_one)
    assert steps[0, 0, 1] == plain_sums(head, x, 1)[0] == Fraction(1 * 12 + 5 * 36, 12 + 36)


@pytest.mark.parametrize("feature", [elu_plus_one, relu_plus_one])
def test_sums_and_recurrence_agree_in_floats_and_in_mpmath(feature: Any) -> None:
    rng = np.random.RandomState(0)
    head = Head(rng.randn(3, 4), rng.randn(3, 4), rng.randn(2, 4), rng.randn(4, 2))
    columns = rng.randn(4, 5, 40)
    graph = build("full:causal=1", 40).union
    sums = read_by_sums(head, columns, graph, feature)
    assert read_by_recurrence(head, columns, feature) == pytest.approx(sums, rel=1e-11)
    numbers = np.frompyfunc(mpmath.mpf, 1, 1)(columns[:, :1])
    precise = read_by_recurrence(head, numbers, feature)
    assert precise.astype(float) == pytest.approx(sums[:, :1], rel=1e-11)


def test_sums_take_any_graph() -> None:
    head = Head([[0]], [[0]], [[1]], [[1]])
    graph = AttentionGraph.from_csr([0, 2, 3, 5], [0, 2, 1, 0, 1])
    read = read_by_sums(head, np.array([[[1, 2, 5]]], dtype=object), graph, relu_plus_one)
    assert read.tolist() == [[[3, 2, Fraction(3, 2)]]]


def test_integers_among_objects_give_fractions() -> None:
    state = LinearState.empty().add(np.array([[1]], dtype=object), np.array([[4]], dtype=object))
    state = state.add(np.array([[2]], dtype=object), np.array([[5]], dtype=object))
    assert state.read(np.array([[3]], dtype=object)).tolist() == [[Fraction(14, 3)]]


@given(st.integers(0, 10**6))
@settings(max_examples=15)
def test_a_layer_in_a_transformer(seed: int) -> None:
    """X plus what the heads write; no output depends on later tokens."""
    head, columns = draw(seed)
    d, _, n = columns.shape
    layer = LinearAttentionLayer((head, head), relu_plus_one)
    transformer = Transformer((layer,), np.zeros((d, n), dtype=object))
    x = columns.transpose(1, 0, 2)
    out = transformer.forward(x, build("full", n), Hardmax())
    for at in range(2):
        for i in range(n):
            read = np.array(plain_sums(head, x[at].tolist(), i), dtype=object)
            assert (out[at, :, i] == x[at, :, i] + 2 * (head.output @ read)).all()
    changed = x.copy()
    changed[:, :, -1] += 1
    after = transformer.forward(changed, build("full", n), Hardmax())
    assert (after[:, :, :-1] == out[:, :, :-1]).all()
    assert layer.parameters == 2 * head.parameters


def test_features() -> None:
    points = np.array([-800.0, -1.0, 0.0, 1.0])
    assert elu_plus_one(points).tolist() == [0.0, np.exp(-1.0), 1.0, 2.0]
    assert elu_plus_one(np.array([1e4])).tolist() == [1e4 + 1]  # no overflow on the way
    exact = elu_plus_one(np.array([-800, -1, 0, 1], dtype=object))
    assert exact[0] > 0
    assert [float(p) for p in exact[1:]] == pytest.approx([np.exp(-1.0), 1.0, 2.0])


def test_heads_of_different_dimensions() -> None:
    head = Head([[0]], [[0]], [[1]], [[1]])
    with pytest.raises(InputError, match=r"must have one dimension d, not \[1, 2\]"):
        LinearAttentionLayer((head, Head(*[np.eye(2)] * 4)))
