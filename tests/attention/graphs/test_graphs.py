"""Attention graphs: definitions as the papers print them, and specifications that are refused."""

from __future__ import annotations

import math
from collections.abc import Callable
from inspect import signature

import networkx
import numpy as np
import pytest
import scipy.sparse
from helpers.attention.masks import edges, graph
from hypothesis import given
from hypothesis import strategies as st

from samapprox import InputError, Pattern
from samapprox.attention.graphs import (
    GRAPHS,
    AttentionGraph,
    Heads,
    SparseAttention,
    Spec,
    build,
    maker,
)
from samapprox.attention.graphs.pieces import distinct, draw_distinct
from samapprox.support.parameters import random_stream

sizes = st.integers(1, 24)
widths = st.integers(1, 9)
seeds = st.integers(0, 2**32 - 1)

Keys = Callable[[int], set[int]]


def same(graph: AttentionGraph, n: int, keys: Keys) -> None:
    """The graph is what a definition on the tokens 1..n says, as the papers count."""
    assert graph.n == n
    wanted = {(k - 1, j - 1) for k in range(1, n + 1) for j in keys(k) & set(range(1, n + 1))}
    assert edges(graph) == wanted


# ---------------------------------------------------------------- definitions


@given(sizes, widths, st.integers(1, 30))
def test_windows(n: int, w: int, d: int) -> None:
    def dilated(k: int) -> set[int]:
        return {k + d * t for t in range(-(w // 2), w // 2 + 1)}

    same(graph(f"dilated:w={w},d={d}", n), n, dilated)
    same(graph(f"window:w={w}", n), n, lambda k: set(range(k - w // 2, k + w // 2 + 1)))


@given(sizes, widths)
def test_strided_is_equation_4(n: int, w: int) -> None:
    near, far = build(f"strided:w={w}", n).patterns
    same(near, n, lambda k: set(range(k - math.ceil(w / 2), k + w // 2 + 1)))
    same(far, n, lambda k: {k + w * t for t in range(-n, n + 1)})


@given(sizes, widths | st.integers(20, 30))
def test_fixed_is_equation_5(n: int, w: int) -> None:
    segment, ends = build(f"fixed:w={w}", n).patterns
    same(
        segment,
        n,
        lambda k: set(range(math.ceil(k / w) * w - w + 1, math.ceil(k / w) * w + 1)),
    )
    same(ends, n, lambda k: {k} | {w * t for t in range(1, n + 1)})


@given(st.integers(2, 24), widths | st.integers(20, 60))
def test_star_is_equation_6(n: int, w: int) -> None:
    def keys(k: int) -> set[int]:
        if k == n:
            return set(range(1, n + 1))
        return {n} | {(i - 1) % (n - 1) + 1 for i in range(k - w, k + w + 1)}

    same(graph(f"star:w={w}", n), n, keys)


@given(sizes, widths, st.integers(1, 4), st.data())
def test_block_sparse_is_equation_6_of_yang(n: int, b: int, k: int, data: st.DataObject) -> None:
    c = data.draw(st.integers(0, b))

    def keys(i: int) -> set[int]:
        seen = range(1, i + 1)
        return {j for j in seen if i - k * b < j or (j - 1) % b >= b - c}

    same(graph(f"block-sparse:b={b},k={k},c={c}", n), n, keys)


@given(sizes, widths, st.integers(1, 3), st.data())
def test_longformer(n: int, w: int, d: int, data: st.DataObject) -> None:
    g = data.draw(st.integers(0, n))

    def keys(k: int) -> set[int]:
        if k <= g:
            return set(range(1, n + 1))
        return set(range(1, g + 1)) | {k + d * t for t in range(-(w // 2), w // 2 + 1)}

    same(graph(f"longformer:w={w},g={g},d={d}", n), n, keys)


@given(sizes)
def test_full(n: int) -> None:
    same(graph("full", n), n, lambda _k: set(range(1, n + 1)))


@given(sizes, widths, seeds, st.data())
def test_bigbird_has_window_globals_and_new_random_keys(
    n: int, w: int, seed: int, data: st.DataObject
) -> None:
    g = data.draw(st.integers(0, n))
    seen = [
        set(range(g)) | set(range(max(0, i - w // 2), min(n, i + w // 2 + 1))) for i in range(n)
    ]
    fewest = min((n - len(seen[i]) for i in range(g, n)), default=0)
    r = data.draw(st.integers(0, fewest))
    made = graph(f"bigbird:w={w},g={g},r={r},seed={seed}", n)
    found = edges(made)
    for i in range(n):
        keys = {key for query, key in found if query == i}
        assert keys == set(range(n)) if i < g else (keys >= seen[i])
        assert i < g or len(keys) == len(seen[i]) + r
    assert graph(f"bigbird:w={w},g={g},r={r},seed={seed}", n) == made
    if g < n:
        with pytest.raises(InputError, match=f"r .random tokens. must be in 0..{fewest}, not"):
            build(f"bigbird:w={w},g={g},r={fewest + 1}", n)


@given(st.integers(1, 40), st.integers(1, 5), seeds)
def test_bigbird_by_block(n: int, b: int, seed: int) -> None:
    blocks = math.ceil(n / b)
    if blocks < 6 or b > n:
        return
    made = graph(f"bigbird-block:b={b},r=1,seed={seed}", n)
    mask = made.to_sparse().toarray()
    block = np.arange(n) // b
    whole = np.zeros((blocks, blocks), dtype=np.int64)
    np.add.at(whole, (block[:, None], block[None, :]), mask)
    size = np.bincount(block)
    assert (whole % np.outer(size, size) == 0).all()
    attends = whole > 0
    for i in range(blocks):
        must = {0, blocks - 1} | ({i - 1, i, i + 1} & set(range(blocks)))
        keys = set(np.flatnonzero(attends[i]).tolist())
        assert keys >= must
        assert len(keys) == (blocks if i in (0, blocks - 1) else len(must) + 1)


@given(st.integers(2, 24), seeds, st.data())
def test_random_keys(n: int, seed: int, data: st.DataObject) -> None:
    r = data.draw(st.integers(0, n - 1))
    made = graph(f"random-keys:r={r},seed={seed}", n)
    assert (made.out_degrees == r + 1).all()
    assert not made.without_loop.size
    assert len(edges(made)) == n * (r + 1)


@given(sizes, st.floats(0, 1), seeds)
def test_random(n: int, sparsity: float, seed: int) -> None:
    made = graph(f"random:sparsity={sparsity},seed={seed}", n)
    assert len(edges(made)) == made.edges == round((1 - sparsity) * n * n)


@given(sizes, st.floats(0, 1), st.integers(1, 5), seeds)
def test_random_heads(n: int, sparsity: float, draws: int, seed: int) -> None:
    """The first is that of random; all have the same number of edges."""
    text = f"sparsity={sparsity},seed={seed}"
    made = build(f"random-heads:{text},draws={draws},heads=multihead", n)
    assert edges(made.patterns[0]) == edges(graph(f"random:{text}", n))
    assert [one.edges for one in made.patterns] == [round((1 - sparsity) * n * n)] * draws
    assert len(made.layer(0)) == draws


def test_random_heads_are_independent() -> None:
    """Two draws of 0.1 n^2 edges share 0.01 n^2, with a standard deviation of 0.09 n."""
    n = 400
    first, second, third = build("random-heads:draws=3", n).patterns
    for one, other in ((first, second), (second, third), (first, third)):
        common = one.edges + other.edges - one.union(other).edges
        assert abs(common - 0.01 * n**2) < 5 * 0.09 * n


def test_draws_are_uniform() -> None:
    """Every 2-subset of 0..4, and of sets of other sizes beside it, about as often."""
    rng = random_stream(3)
    population = np.array([2, 5] * 20_000)
    pairs = np.sort(draw_distinct(rng, population, 2), axis=1)
    assert (pairs[population == 2] == [0, 1]).all()
    counts = np.unique(pairs[population == 5], axis=0, return_counts=True)[1]
    assert len(counts) == 10
    assert abs(counts - 2000).max() < 200  # 4.7 standard deviations
    for most in (4, 30):  # by permutation, and by rejection
        sets = [tuple(distinct(rng, 2, most).tolist()) for _ in range(20 * most**2)]
        counts = np.unique(sets, axis=0, return_counts=True)[1]
        assert len(counts) == most * (most - 1) // 2
        assert counts.min() > 10


# ---------------------------------------------------------------- the papers' figures


@pytest.mark.parametrize(
    ("spec", "percent"),
    [
        ("strided:heads=union", 87),
        ("strided:heads=multihead", 93),
        ("strided:heads=sequential", 93),
        ("fixed:heads=union", 87),
        ("fixed:heads=multihead", 93),
        ("fixed:heads=sequential", 93),
        ("random:sparsity=0.9", 90),
    ],
)
def test_table_1_of_yun(spec: str, percent: int) -> None:
    """n = 256, w = 16; the table rounds down."""
    assert int(100 * build(spec, 256).sparsity + 1e-3) == percent


def test_table_1_counts_no_edges_of_stars_relay() -> None:
    """Equation 6 gives 86.4 %; the 87 % of the table are those of the ring alone."""
    star = graph("star:w=16", 256)
    assert star.edges == 255 * 34 + 256
    assert int(100 * star.sparsity) == 86
    ring = star.edges - 255 - 256
    assert int(100 * (1 - ring / 256**2)) == 87


@given(st.integers(1, 60), st.integers(1, 8))
def test_edge_counts(n: int, w: int) -> None:
    h = w // 2
    if h < n:
        assert graph(f"window:w={w}", n).edges == n * (2 * h + 1) - h * (h + 1)
    if 2 * w + 1 <= n - 1:
        assert graph(f"star:w={w}", n).edges == (n - 1) * (2 * w + 2) + n
    segment, ends = build(f"fixed:w={w}", n * w).patterns
    assert segment.edges == n * w * w
    assert ends.edges == n * w * (n + 1) - n
    _, far = build(f"strided:w={w}", n * w).patterns
    assert far.edges == n * w * n


@pytest.mark.parametrize("name", GRAPHS)
def test_every_parameter_but_n_has_a_default(name: str) -> None:
    n, *parameters = signature(maker(name)).parameters.values()
    assert n.name == "n"
    assert all(parameter.default is not parameter.empty for parameter in parameters)


@pytest.mark.parametrize("name", GRAPHS)
def test_a_million_tokens(name: str) -> None:
    """In memory that n alone asks for, or a refusal before any is taken."""
    dense = {"full", "strided", "fixed", "random", "random-heads", "block-sparse"}
    if name in dense or name == "bigbird-block":
        with pytest.raises(InputError, match="edges; at most 268435456"):
            build(name, 10**6)
        return
    made = graph(name, 10**6)
    assert 2 * 10**6 < made.edges < 10**7 + 1


# ---------------------------------------------------------------- heads


@given(st.integers(2, 20), st.integers(1, 5))
def test_head_configurations(n: int, w: int) -> None:
    one, two = build(f"fixed:w={w}", n).patterns
    sequential, union, multihead = (build(f"fixed:w={w},heads={heads.value}", n) for heads in Heads)
    assert [sequential.layer(t) for t in range(3)] == [(one,), (two,), (one,)]
    both = one.union(two)
    assert edges(both) == edges(one) | edges(two)
    assert union.layer(1) == (both,)
    assert multihead.layer(1) == (one, two)
    assert multihead.by_layer() == (both,)
    assert (sequential.period, union.period, multihead.period) == (2, 1, 1)
    assert build(f"fixed:w={w},pattern=1", n).patterns == (two,)


def test_heads_need_patterns_on_the_same_tokens() -> None:
    with pytest.raises(InputError, match="needs a pattern"):
        SparseAttention(())
    with pytest.raises(InputError, match=r"same tokens, not on \[3, 4\]"):
        SparseAttention((graph("window", 3), graph("window", 4)))
    with pytest.raises(InputError, match="3 and 4 tokens have no union"):
        graph("window", 3).union(graph("window", 4))


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("ring", "unknown graph 'ring'; there are: full, window, "),
        ("", "unknown graph ''"),
        ("window:q=3", "window has no parameter 'q'; there are: w, heads, pattern, causal"),
        ("window:n=3", "window has no parameter 'n'"),
        ("window:w", "'w' must look like key=value"),
        ("window:w=3,w=4", "w is given twice"),
        ("window:w=3.5", "w must be a whole number, not '3.5'"),
        ("window:w=" + "9" * 5000, "w must be a whole number"),
        ("window:w=0", "window: w .the window's width. must be at least 1, not 0"),
        ("dilated:d=0", "dilated: d .the dilation. must be at least 1"),
        ("star:w=0", "w .neighbours on either side. must be at least 1"),
        ("strided:w=0", "w .neighbours, and the stride. must be at least 1"),
        ("strided:pattern=2", "pattern must be in 0..1, not 2"),
        ("strided:heads=both", "heads must be one of sequential, union, multihead, not 'both'"),
        ("strided:causal=yes", "causal must be 0 or 1, not 'yes'"),
        ("fixed:w=0", "w .the length of a segment. must be at least 1"),
        ("random:sparsity=2", "sparsity must be in 0..1, not 2.0"),
        ("random:sparsity=nan", "sparsity must be a number, not 'nan'"),
        ("random:seed=-1", "seed must be in"),
        ("random-heads:draws=0", "draws must be in 1..1024, not 0"),
        ("random-heads:draws=1025", "draws must be in 1..1024, not 1025"),
        ("random-keys:r=20", "r .random keys. must be in 0..19, not 20"),
        ("longformer:g=21", "g .global tokens. must be in 0..20, not 21"),
        ("bigbird:g=-1", "g .global tokens. must be in 0..20, not -1"),
        ("bigbird:r=-1", "r .random tokens. must be in 0..15, not -1"),
        ("bigbird-block:b=21", "b .tokens of a block. must be in 1..20"),
        ("bigbird-block:b=5", "r .random blocks. must be in 0..0, not 3"),
        ("bigbird-block:b=5,g=-1", "g .global blocks. must be in 0..4"),
        ("block-sparse:b=0", "b .tokens of a block. must be at least 1"),
        ("block-sparse:k=0", "k .blocks behind a query. must be at least 1"),
        ("block-sparse:b=2,c=3", "c .tokens of every block for all. must be in 0..2"),
    ],
)
def test_bad_specs(spec: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        build(spec, 20)


@pytest.mark.parametrize("n", [0, -1, 2**24 + 1])
@pytest.mark.parametrize("name", GRAPHS)
def test_bad_numbers_of_tokens(name: str, n: int) -> None:
    with pytest.raises(InputError, match="n "):
        build(name, n)


def test_bad_masks() -> None:
    with pytest.raises(InputError, match="2 x 3; a graph on tokens needs as many queries as keys"):
        AttentionGraph.from_pattern(Pattern.from_text("110\n011"))
    with pytest.raises(InputError, match="2 x 3; a graph on tokens"):
        AttentionGraph.from_sparse(scipy.sparse.coo_array((2, 3)))
    with pytest.raises(InputError, match="don't-care entries"):
        AttentionGraph.from_pattern(Pattern.from_text("1*\n01"))
    with pytest.raises(InputError, match="given twice"):
        AttentionGraph.from_csr([0, 2, 3], [1, 1, 0])
    with pytest.raises(InputError, match=r"outside 0\.\.1"):
        AttentionGraph.from_csr([0, 2, 3], [1, 2, 0])
    with pytest.raises(InputError, match="tokens n must be in"):
        AttentionGraph.from_csr([0], [])
    with pytest.raises(InputError, match="tokens n must be in"):
        AttentionGraph.from_networkx(networkx.DiGraph())


def test_defaults_stand_where_nothing_is_said() -> None:
    assert Spec.parse("bigbird") == Spec.parse("bigbird:")
    assert build("bigbird", 50).patterns == build("bigbird:w=3,g=2,r=3,seed=0", 50).patterns
