"""Counted costs: against transformers that count their own operations, and the papers' tables."""

from __future__ import annotations

import random
from math import exp

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from samapprox import InputError
from samapprox.attention.graphs.masks import block_sparse
from samapprox.attention.reasoning.capacity.costs import (
    CLAIMS,
    MEASURED,
    Architecture,
    Claim,
    Growth,
    Operations,
    block_sparse_edges,
    cost,
    default_block,
    fit_exponent,
)

# ---------------------------------------------------------------- a transformer that counts


class Counter:
    """Counts what its numbers do."""

    def __init__(self) -> None:
        self.counts = dict.fromkeys(("multiplications", "additions", "divisions", "functions"), 0)

    def number(self, value: float) -> Number:
        return Number(self, value)

    def function(self, argument: Number) -> Number:
        """exp, phi or GeLU: some positive function that neither overflows nor underflows."""
        self.counts["functions"] += 1
        return self.number(exp(max(-50.0, min(argument.value, 50.0))))


class Number:
    def __init__(self, counter: Counter, value: float) -> None:
        self.counter = counter
        self.value = value

    def __mul__(self, other: Number) -> Number:
        self.counter.counts["multiplications"] += 1
        return self.counter.number(self.value * other.value)

    def __add__(self, other: Number) -> Number:
        self.counter.counts["additions"] += 1
        return self.counter.number(self.value + other.value)

    def __truediv__(self, other: Number) -> Number:
        self.counter.counts["divisions"] += 1
        return self.counter.number(self.value / other.value)


Vector = list[Number]


def total(terms: Vector) -> Number:
    first, *others = terms
    for term in others:
        first = first + term
    return first


def inner(left: Vector, right: Vector) -> Number:
    return total([a * b for a, b in zip(left, right, strict=True)])


def add(left: Vector, right: Vector) -> Vector:
    return [a + b for a, b in zip(left, right, strict=True)]


class Layer:
    """Eq. 1 to 8 and Lemma A.8 of Yang et al., a number at a time, with random weights."""

    def __init__(self, counter: Counter, width: int, heads: int, hidden: int) -> None:
        self.counter = counter
        self.rng = random.Random(3)
        self.heads = heads
        self.of_head = width // heads
        self.q, self.k, self.v = (
            [self.matrix(self.of_head, width) for _ in range(heads)] for _ in range(3)
        )
        self.o = [self.matrix(width, self.of_head) for _ in range(heads)]
        self.w_1, self.w_2 = self.matrix(hidden, width), self.matrix(width, hidden)

    def matrix(self, rows: int, columns: int) -> list[Vector]:
        return [
            [self.counter.number(self.rng.uniform(-1, 1)) for _ in range(columns)]
            for _ in range(rows)
        ]

    def forward(self, x: list[Vector], keys: list[list[int]] | None) -> list[Vector]:
        """One layer; keys of every token, or None for linear attention."""
        heads = []
        for h in range(self.heads):
            queries, keys_of, values = (
                [apply(w[h], column) for column in x] for w in (self.q, self.k, self.v)
            )
            outputs = (
                self.linear(queries, keys_of, values)
                if keys is None
                else self.softmax(queries, keys_of, values, keys)
            )
            heads.append([apply(self.o[h], column) for column in outputs])
        result = []
        for i, column in enumerate(x):
            attended = heads[0][i]
            for h in range(1, self.heads):
                attended = add(attended, heads[h][i])
            middle = add(column, attended)
            inside = [self.counter.function(one) for one in apply(self.w_1, middle)]
            result.append(add(middle, apply(self.w_2, inside)))
        return result

    def softmax(
        self, queries: list[Vector], keys: list[Vector], values: list[Vector], of: list[list[int]]
    ) -> list[Vector]:
        outputs = []
        for i, query in enumerate(queries):
            weights = [self.counter.function(inner(keys[j], query)) for j in of[i]]
            below = total(weights)
            above = [
                inner(weights, [values[j][entry] for j in of[i]]) for entry in range(self.of_head)
            ]
            outputs.append([one / below for one in above])
        return outputs

    def linear(
        self, queries: list[Vector], keys: list[Vector], values: list[Vector]
    ) -> list[Vector]:
        m = self.of_head
        s = [[self.counter.number(0) for _ in range(m)] for _ in range(m)]
        z = [self.counter.number(0) for _ in range(m)]
        outputs = []
        for query, key, value in zip(queries, keys, values, strict=True):
            phi_k, phi_q = ([self.counter.function(one) for one in part] for part in (key, query))
            s = [add(s[a], [phi_k[a] * value[b] for b in range(m)]) for a in range(m)]
            z = add(z, phi_k)
            above = [inner(phi_q, [s[a][b] for a in range(m)]) for b in range(m)]
            below = inner(phi_q, z)
            outputs.append([one / below for one in above])
        return outputs


def apply(matrix: list[Vector], column: Vector) -> Vector:
    return [inner(row, column) for row in matrix]


@settings(max_examples=25, deadline=None)
@given(
    st.sampled_from(Architecture),
    st.integers(1, 7),
    st.integers(1, 3),
    st.integers(1, 3),
    st.integers(1, 5),
    st.integers(1, 2),
    st.tuples(st.integers(1, 3), st.integers(1, 2), st.integers(0, 1)),
)
@example(Architecture.STANDARD, 4, 3, 3, 5, 2, (1, 1, 0))  # all exponentials of a row are tiny
def test_counts_are_those_of_a_run(
    architecture: Architecture,
    tokens: int,
    heads: int,
    of_head: int,
    hidden: int,
    layers: int,
    block: tuple[int, int, int],
) -> None:
    width = heads * of_head
    counter = Counter()
    keys = None
    if architecture is Architecture.STANDARD:
        keys = [list(range(i + 1)) for i in range(tokens)]
    elif architecture is Architecture.SPARSE:
        graph = block_sparse(tokens, *block)
        keys = [graph.keys(i).tolist() for i in range(tokens)]
    x = [[counter.number(0.1 * (i + j)) for j in range(width)] for i in range(tokens)]
    for _ in range(layers):
        x = Layer(counter, width, heads, hidden).forward(x, keys)
    counted = cost(
        architecture,
        tokens,
        width,
        layers=layers,
        heads=heads,
        hidden=hidden,
        block=block if architecture is Architecture.SPARSE else None,
    )
    assert counted.all == Operations(**counter.counts)


def test_block_sparse_edges_are_those_of_the_mask() -> None:
    for tokens in range(1, 30):
        for b in range(1, 8):
            for k in range(1, 4):
                for c in range(b + 1):
                    edges = sum(
                        j > i - k * b or j % b >= b - c for i in range(tokens) for j in range(i + 1)
                    )
                    assert block_sparse_edges(tokens, b, k, c) == edges


@given(st.integers(1, 3000), st.integers(1, 100), st.integers(1, 5), st.integers(0, 100))
def test_block_sparse_edges_of_longer_masks(tokens: int, b: int, k: int, c: int) -> None:
    c = min(c, b)
    assert block_sparse_edges(tokens, b, k, c) == block_sparse(tokens, b, k, c).edges


def test_the_complexities_of_section_3() -> None:
    """M (L^2 D + L D^2), M (L sqrt(L) D + L D^2) and M L D^2 multiplications, with constants."""
    tokens, width, heads = 1 << 12, 64, 4
    maps = 12 * tokens * width**2
    counted = {
        one: cost(one, tokens, width, layers=1, heads=heads).all.multiplications
        for one in Architecture
    }
    assert counted[Architecture.STANDARD] == maps + tokens * (tokens + 1) * width
    assert counted[Architecture.LINEAR] == maps + tokens * (2 * width**2 // heads + width)
    sparse = counted[Architecture.SPARSE] - maps
    assert 0.9 < sparse / (2 * 1.5 * tokens**1.5 * width) < 1


# ---------------------------------------------------------------- Tables 1 and 2


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda one: f"{one.architecture.value}-{one.tasks}")
def test_fitted_exponents_of_table_1(claim: Claim) -> None:
    assert abs(claim.fitted - claim.exponent) < 0.05
    if claim.fitted_least is not None:
        assert abs(claim.fitted_least - claim.exponent) < 0.05


def test_a_logarithm_is_visible_in_the_exponent() -> None:
    """Without the factor of log L, the least widths miss the exponents by more than 0.05."""

    def fitted(claim: Claim, width: Growth) -> float:
        return fit_exponent(lambda length: claim.operations(length, width))

    for claim in CLAIMS:
        if claim.least is not None:
            assert fitted(claim, claim.least) < claim.exponent - 0.08


def test_lower_terms_hide_the_exponent_of_wider_models() -> None:
    def fitted(architecture: Architecture, width: int) -> float:
        return fit_exponent(
            lambda length: cost(architecture, length, width, heads=1, layers=1).all.total
        )

    assert fitted(Architecture.STANDARD, 64) == pytest.approx(1.94, abs=0.01)
    assert fitted(Architecture.SPARSE, 64) == pytest.approx(1.22, abs=0.02)


def test_small_blocks_cost_more_than_m_l() -> None:
    """After Proposition 5.4: with b of the order of m, the cost is L (m + L / m), not m L."""

    def fitted(c: int, b: int = 16) -> float:
        return fit_exponent(
            lambda length: (
                cost(Architecture.SPARSE, length, 1, layers=1, heads=1, block=(b, 1, c)).all.total
            )
        )

    assert fitted(c=1) > 1.9
    assert fitted(c=0) == pytest.approx(1, abs=0.01)


def test_table_2_is_the_cost_of_the_linear_maps() -> None:
    assert len(MEASURED) == 12
    for cell in MEASURED:
        assert cell.linear_maps == 24 * 3 * cell.length * cell.width**2 / 1e9
        assert 0 < cell.gflops / cell.linear_maps - 1 < 0.0525
        for width in (32, 64, 128, 256, 512):
            if width != cell.width:
                other = 24 * 3 * cell.length * width**2 / 1e9
                assert not 0.5 < cell.gflops / other < 2


def test_table_2_leaves_out_the_attention_of_the_standard_transformer() -> None:
    for cell in MEASURED:
        if cell.architecture is Architecture.STANDARD:
            quadratic = 2 * 3 * cell.length * (cell.length + 1) * cell.width / 1e9
            assert cell.with_attention == pytest.approx(cell.linear_maps + quadratic)
    assert MEASURED[3].with_attention > 1.3 * MEASURED[3].gflops


def test_growth() -> None:
    assert [Growth(0.5)(1 << e) for e in (10, 20)] == [32, 1024]
    assert (Growth(0.25, -0.5)(2), str(Growth(0)), str(Growth(1, -0.5))) == (
        1,
        "1",
        "L^1 / (log L)^0.5",
    )
    assert [default_block(1 << e) for e in (0, 1, 2, 10)] == [1, 1, 2, 32]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"tokens": 0}, "tokens must be at least 1, not 0"),
        ({"width": 0}, "width must be at least 1, not 0"),
        ({"heads": 3}, "the heads must divide the width 8; 3 do not"),
        ({"heads": 0}, "heads must be at least 1, not 0"),
        ({"hidden": 0}, "hidden must be at least 1"),
        ({"layers": -1}, "layers must be at least 1"),
        ({"block": (0, 1, 1)}, "b .tokens of a block. must be at least 1"),
        ({"block": (1, 0, 1)}, "k .blocks behind a query. must be at least 1"),
        ({"block": (2, 1, 3)}, r"c .tokens of every block for all. must be in 0\.\.2"),
        (
            {"architecture": Architecture.LINEAR, "block": (2, 1, 1)},
            "only sparse transformers have blocks, not linear ones",
        ),
    ],
)
def test_bad_input(arguments: dict[str, object], message: str) -> None:
    shape = {"architecture": Architecture.SPARSE, "tokens": 4, "width": 8, **arguments}
    with pytest.raises(InputError, match=message):
        cost(**shape)  # type: ignore[arg-type]
