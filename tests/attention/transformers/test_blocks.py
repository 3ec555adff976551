"""Transformer blocks against loops written from the equations, and what they refuse."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pytest
from helpers.attention.random_layers import Matrix, fractions, random_graph
from hypothesis import given, settings
from hypothesis import strategies as st

from samapprox import InputError
from samapprox.attention.graphs import build
from samapprox.attention.graphs.graph import AttentionGraph
from samapprox.attention.graphs.heads import Heads, SparseAttention
from samapprox.attention.transformers import (
    AttentionLayer,
    FeedForward,
    Head,
    PiecewiseLinear,
    Transformer,
)
from samapprox.attention.transformers.maps import (
    Entmax,
    Hardmax,
    ProbabilityMap,
    Softmax,
    SparselinGen,
)


def random_head(rng: np.random.RandomState, d: int, m: int, pattern: int = 0) -> Head:
    return Head(
        fractions(rng, m, d),
        fractions(rng, m, d),
        fractions(rng, m, d),
        fractions(rng, d, m),
        query_bias=fractions(rng, m),
        pattern=pattern,
    )


def float_head(head: Head) -> Head:
    """The head with its matrices in floats."""
    matrices = [head.query, head.key, head.value, head.output, head.query_bias]
    return Head(*(matrix.astype(float) for matrix in matrices if matrix is not None))


def one_hot(scores: list[Fraction]) -> list[int]:
    """Hardmax: 1 at the first greatest score."""
    return [int(j == scores.index(max(scores))) for j in range(len(scores))]


def sparsemax(scores: list[Fraction]) -> list[Fraction]:
    """The threshold of the only support that fits, by trying them all."""
    for kept in range(1, len(scores) + 1):
        support = sorted(scores, reverse=True)[:kept]
        tau = (sum(support) - 1) / Fraction(kept)
        found = [max(Fraction(0), score - tau) for score in scores]
        if sum(found) == 1:
            return found
    raise AssertionError(scores)


def plain_layer(
    x: list[list[Fraction]],
    heads: list[tuple[Head, AttentionGraph]],
    rho: Callable[[list[Fraction]], list[Any]],
) -> list[list[Fraction]]:
    """Eq. 2 of Yun et al. (2020), SAttn, for one input, entry by entry."""
    d, n = len(x), len(x[0])
    out = [list(row) for row in x]
    for head, graph in heads:
        m = len(head.query)

        def times(matrix: Matrix, token: int, row: int) -> Fraction:
            return sum((matrix[row][i] * x[i][token] for i in range(d)), Fraction(0))

        for k in range(n):
            attended = graph.keys(k).tolist()
            bias = head.query_bias
            assert bias is not None
            query = [times(head.query, k, row) + bias[row] for row in range(m)]
            scores = [
                sum((times(head.key, j, row) * query[row] for row in range(m)), Fraction(0))
                for j in attended
            ]
            weights = rho(scores)
            read = [
                sum(
                    (times(head.value, j, row) * w for j, w in zip(attended, weights, strict=True)),
                    Fraction(0),
                )
                for row in range(m)
            ]
            for i in range(d):
                out[i][k] += sum((head.output[i][row] * read[row] for row in range(m)), Fraction(0))
    return out


@given(st.integers(0, 10**6), st.integers(1, 5), st.integers(1, 3), st.integers(1, 2))
@settings(max_examples=8)
@pytest.mark.parametrize(
    ("rho", "plain"), [(Hardmax(), one_hot), (SparselinGen(), sparsemax), (Entmax(2), sparsemax)]
)
@pytest.mark.parametrize("heads", Heads)
def test_attention_equals_equation_2(
    heads: Heads, rho: ProbabilityMap, plain: Any, seed: int, n: int, d: int, m: int
) -> None:
    rng = np.random.RandomState(seed)
    attention = SparseAttention((random_graph(rng, n), random_graph(rng, n)), heads)
    layers = tuple(
        AttentionLayer((random_head(rng, d, m, pattern=0), random_head(rng, d, m, pattern=1)))
        for _ in range(3)
    )
    positions, inputs = fractions(rng, d, n), fractions(rng, 2, d, n)
    out = Transformer(layers, positions).forward(inputs, attention, rho)
    assert out.shape == (2, d, n)
    for given_input, found in zip(inputs, out, strict=True):
        x = (given_input + positions).tolist()
        for turn, layer in enumerate(layers):
            graphs = {
                Heads.SEQUENTIAL: [attention.patterns[turn % 2]] * 2,
                Heads.UNION: [attention.union] * 2,
                Heads.MULTIHEAD: list(attention.patterns),
            }[heads]
            x = plain_layer(x, list(zip(layer.heads, graphs, strict=True)), plain)
        assert found.tolist() == x
        alone = Transformer(layers, positions).forward(given_input, attention, rho)
        assert alone.tolist() == x


@pytest.mark.parametrize(
    "rho", [Hardmax(), Softmax(), SparselinGen(0.5), Entmax(1.5), Entmax(2.0), Entmax(1.0)]
)
def test_number_types_agree(rho: ProbabilityMap) -> None:
    """Floats, fractions and mpmath's numbers give the same layer, to the precision of floats."""
    rng = np.random.RandomState(3)
    attention = SparseAttention((random_graph(rng, 5),))
    inputs, positions = fractions(rng, 3, 2, 5), fractions(rng, 2, 5)
    heads = (random_head(rng, 2, 2), random_head(rng, 2, 2))
    exact = Transformer((AttentionLayer(heads),), positions).forward(inputs, attention, rho)
    numbers = np.frompyfunc(mpmath.mpmathify, 1, 1)(inputs)
    precise = Transformer((AttentionLayer(heads),), positions).forward(numbers, attention, rho)
    assert exact.astype(float) == pytest.approx(precise.astype(float), abs=1e-12)
    in_floats = AttentionLayer(tuple(float_head(head) for head in heads))
    floats = Transformer((in_floats,), positions.astype(float)).forward(
        inputs.astype(float), attention, rho
    )
    assert floats.dtype == np.float64
    assert floats == pytest.approx(exact.astype(float), abs=1e-11)


def test_integers_stay_integers_under_hardmax() -> None:
    head = Head([[2]], [[1]], [[1]], [[3]], query_bias=[-1])
    step = FeedForward([[1]], [-4], [[1]], [0], PiecewiseLinear((0, 2), (0, 0, 0), (0, 7, 0)))
    transformer = Transformer((AttentionLayer((head,)), step), [[0, 0]])
    for kind in (np.int64, object):
        out = transformer.forward(np.array([[1, 2]], dtype=kind), build("full", 2), Hardmax())
        assert out.dtype == kind
        assert out.tolist() == [[7, 8]]


@pytest.mark.parametrize("dtype", [np.bool_, np.int8, np.uint8, np.uint64])
def test_narrow_and_unsigned_numbers_do_not_wrap_round(dtype: type) -> None:
    """In numpy True + True is True, int8 ends at 127, and uint8(0) - 1 is 255."""
    one = np.ones((1, 1), dtype=dtype)
    head = Head(one, one, one, one)
    layers = (AttentionLayer((head,) * 9), FeedForward(one, one[0], 100 * one, one[0]))
    transformer = Transformer(layers, np.ones((1, 2), dtype=dtype))
    found = transformer.forward(np.array([[0, 1]], dtype=dtype), build("full", 2), Hardmax())
    written = np.array([1, 2]) + 9 * 2  # X + E, and 9 heads that read the greatest
    assert found.tolist() == [(written + int((100 * one)[0, 0]) * (written + 1) + 1).tolist()]


def test_integers_above_int64_stay_exact() -> None:
    transformer = Transformer((), np.array([[1]]))
    greatest = np.array([[2**64 - 1]], dtype=np.uint64)
    assert transformer.forward(greatest, build("full", 1), Hardmax()).tolist() == [[2**64]]


@pytest.mark.parametrize("nan", [float("nan"), mpmath.nan])
@pytest.mark.parametrize("dtype", [float, object])
def test_no_map_reads_by_scores_with_nan(nan: Any, dtype: type) -> None:
    one = [[1]]
    transformer = Transformer((AttentionLayer((Head(one, one, one, one),)),), [[0, 0]])
    tokens = np.array([[1, nan]], dtype=dtype)
    for rho in (Hardmax(), Softmax(), SparselinGen()):
        with pytest.raises(InputError, match="NaN"):
            transformer.forward(tokens, build("full", 2), rho)


def test_float32_stays_float32() -> None:
    one = np.ones((1, 1), dtype=np.float32)
    transformer = Transformer(
        (AttentionLayer((Head(one, one, one, one),)),), np.zeros((1, 3), dtype=np.float32)
    )
    x = np.ones((1, 3), dtype=np.float32)
    assert transformer.forward(x, build("full", 3), Softmax()).dtype == np.float32


def test_hardmax_takes_the_first_of_tied_keys() -> None:
    """Values differ among keys of equal scores: the first is read, whatever the numbers."""
    head = Head([[0, 0]], [[1, 0]], [[0, 1]], [[0], [1]])
    x = [[5, 5, 5], [1, 2, 3]]
    for kind in (np.int64, np.float64, object):
        out = Transformer((AttentionLayer((head,)),), np.zeros((2, 3), dtype=np.int64)).forward(
            np.array(x, dtype=kind), build("full", 3), Hardmax()
        )
        assert out[1].tolist() == [2, 3, 4]


@given(st.integers(0, 10**6), st.integers(2, 6))
@settings(max_examples=20)
def test_outputs_do_not_depend_on_later_tokens(seed: int, n: int) -> None:
    rng = np.random.RandomState(seed)
    attention = build("full:causal=1", n)
    layers = (
        AttentionLayer((random_head(rng, 2, 1), random_head(rng, 2, 2))),
        FeedForward(
            fractions(rng, 3, 2), fractions(rng, 3), fractions(rng, 2, 3), fractions(rng, 2)
        ),
        AttentionLayer((random_head(rng, 2, 2),)),
    )
    transformer = Transformer(layers, fractions(rng, 2, n))
    x = fractions(rng, 2, n)
    changed = x.copy()
    first = rng.randint(n)
    changed[:, first] += 1
    for rho in (Hardmax(), SparselinGen()):
        before, after = (transformer.forward(given_x, attention, rho) for given_x in (x, changed))
        assert (before[:, :first] == after[:, :first]).all()


def test_the_extra_token_is_read_and_dropped() -> None:
    """The extra token in front acts as one more token of a transformer without one."""
    rng = np.random.RandomState(1)
    layers = (
        AttentionLayer((random_head(rng, 2, 1),)),
        FeedForward(
            fractions(rng, 2, 2), fractions(rng, 2), fractions(rng, 2, 2), fractions(rng, 2)
        ),
        AttentionLayer((random_head(rng, 2, 1),)),
    )
    positions, extra, x = fractions(rng, 2, 3), fractions(rng, 2), fractions(rng, 4, 2, 3)
    attention = SparseAttention((random_graph(rng, 4),))
    dropped = Transformer(layers, positions, extra).forward(x, attention, Hardmax())
    assert dropped.shape == x.shape
    zero = np.zeros((4, 2, 1), dtype=object)
    whole = Transformer(layers, np.concatenate([extra[:, None], positions], axis=1)).forward(
        np.concatenate([zero, x], axis=2), attention, Hardmax()
    )
    assert (dropped == whole[:, :, 1:]).all()
    states = list(Transformer(layers, positions, extra).states(x, attention, Hardmax()))
    assert [state.shape for state in states] == [(2, 4, 4)] * 4
    assert (states[0][:, :, 0] == extra[:, None]).all()


def test_layers_without_heads_keep_their_place_in_the_cycle() -> None:
    attention = build("strided:w=2", 4)
    head = Head([[0]], [[1]], [[1]], [[1]], query_bias=[1])  # the greatest key
    shift, idle = AttentionLayer((head,)), AttentionLayer()
    nothing = FeedForward([[0]], [0], [[0]], [0])
    for place in (0, 1):
        layers = (idle, nothing) * place + (shift,)
        x = np.array([[1, 2, 3, 4]])
        out = Transformer(layers, [[0, 0, 0, 0]]).forward(x, attention, Hardmax())
        graph = attention.patterns[place]
        assert out.tolist() == [[k + 1 + int(graph.keys(k).max()) + 1 for k in range(4)]]


ONE = [[1]]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Head(ONE, [[1, 2]], ONE, ONE), "the head has query (1, 1), key (1, 2)"),
        (lambda: Head([1], ONE, ONE, ONE), "query must be a matrix of real numbers, not int64 of"),
        (lambda: Head([["a"]], ONE, ONE, ONE), "query must be a matrix of real numbers, not <U1"),
        (lambda: Head(ONE, ONE, ONE, ONE, [1, 2]), "query_bias must have 1 real numbers, not"),
        (
            lambda: Head(ONE, ONE, ONE, ONE, pattern=-1),
            "pattern of a head must be a whole number of at least 0",
        ),
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
