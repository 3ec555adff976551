"""The copying task: against breadth-first search, closed forms and the papers' tables."""

from __future__ import annotations

import math
import random
import statistics
from collections import deque
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from helpers.attention.attention_graphs import random_graph
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from samapprox import InputError
from samapprox.attention.graphs import AttentionGraph, Heads, SparseAttention, build
from samapprox.attention.graphs.copying import (
    TABLES,
    Cell,
    Column,
    compare,
    copying,
    exceeding,
    find_column,
    log10_tail,
)
from samapprox.attention.transformers import AttentionLayer, Head, Transformer
from samapprox.attention.transformers.maps import Softmax

cells = cache(compare)


def depth_by_search(attention: SparseAttention, place: int, source: int, layers: int) -> int:
    """The least depth at which the output at a place depends on a source, 0 if it exceeds layers.

    Backwards from the output, over pairs of a token and a layer; a token of layer t reads its own
    column of the layer before, and those that any of the heads attends to.
    """
    for depth in range(1, layers + 1):
        waiting, seen = deque([(place, depth)]), {(place, depth)}
        while waiting:
            token, layer = waiting.popleft()
            if layer == 0:
                if token == source:
                    return depth
                continue
            keys = {token}
            for graph in attention.layer(layer - 1):
                keys |= set(graph.keys(token).tolist())
            for state in ((key, layer - 1) for key in keys):
                if state not in seen:
                    seen.add(state)
                    waiting.append(state)
    return 0


@st.composite
def attentions(draw: st.DrawFn) -> SparseAttention:
    n = 2 * draw(st.integers(2, 12))
    seeds = draw(st.lists(st.integers(0, 9999), min_size=1, max_size=3))
    edges = draw(st.integers(0, 3 * n))
    patterns = tuple(random_graph(n, edges, seed) for seed in seeds)
    return SparseAttention(patterns, draw(st.sampled_from(Heads)))


@given(attentions(), st.integers(1, 5), st.booleans())
def test_depths_are_those_of_a_search(
    attention: SparseAttention, layers: int, autoregressive: bool
) -> None:
    found = copying(attention, layers, autoregressive=autoregressive)
    half = attention.n // 2
    seen = attention.causal() if autoregressive else attention
    wanted = [
        depth_by_search(seen, source + half - autoregressive, source, layers)
        for source in range(1, half)
    ]
    assert found.depths.tolist() == wanted
    for depth in range(1, layers + 1):
        late = [j for j, one in enumerate(wanted, 1) if not 0 < one <= depth]
        assert found.heard(depth) == half - 1 - len(late)
        assert found.unheard(depth) == (half + late[0] if late else None)


@settings(max_examples=30, deadline=None)
@given(attentions(), st.integers(1, 3), st.booleans(), st.integers(0, 2**32 - 1))
def test_outputs_depend_on_the_sources_that_are_heard_of(
    attention: SparseAttention, layers: int, autoregressive: bool, seed: int
) -> None:
    """In transformers of random weights, another symbol changes these outputs and no others."""
    n, d, heads = attention.n, 3, len(attention.patterns)
    half = n // 2
    found = copying(attention, layers, autoregressive=autoregressive)
    rng = np.random.default_rng(seed)
    seen = attention.causal() if autoregressive else attention
    loops = AttentionGraph.from_csr(range(n + 1), range(n))
    seen = SparseAttention(tuple(one.union(loops) for one in seen.patterns), seen.heads)

    def matrix(*shape: int) -> NDArray[np.float64]:
        return rng.uniform(-1, 1, shape)

    def head(pattern: int) -> Head:
        """A head of low scores, so that no key has a weight lost in rounding."""
        query, key, value, output = matrix(d, d) / 8, matrix(d, d) / 8, matrix(d, d), matrix(d, d)
        return Head(query, key, value, output, pattern=pattern)

    attends = [AttentionLayer(tuple(head(k) for k in range(heads))) for _ in range(layers)]
    transformer = Transformer(tuple(attends), matrix(d, n))
    symbols, other = matrix(d, half), matrix(d, half)
    symbols[:, 0] = other[:, 0] = 0
    masked = np.zeros((d, half))
    for source in range(1, half):
        changed = symbols.copy()
        changed[:, source] = other[:, source]
        target = half + source
        sequences = np.stack(
            [np.hstack([one, one if autoregressive else masked]) for one in (symbols, changed)]
        )
        outputs = transformer.forward(sequences, seen, Softmax())[:, :, target - autoregressive]
        heard = 0 < found.depths[source - 1] <= layers
        assert (outputs[0] != outputs[1]).any() == heard


def test_more_sources_than_one_part_holds() -> None:
    """A chain of n tokens: after t layers a token hears of those up to t before it."""
    n = 1200
    chain = AttentionGraph.from_csr([0, *range(n)], range(n - 1))
    found = copying(SparseAttention((chain,)), 600)
    assert found.depths.tolist() == [600] * 599
    assert copying(SparseAttention((chain,)), 599).heard(599) == 0
    assert copying(SparseAttention((chain,)), 599, autoregressive=True).heard(599) == 599


@given(st.integers(1, 8), st.integers(1, 8))
def test_one_layer_of_fixed(w: int, segments: int) -> None:
    """Sources at the end of a segment are heard of, and those in the target's own segment."""
    n = 2 * w * segments
    if n < 4:
        return
    found = copying(build(f"fixed:w={w},heads=union", n), 1)
    assert found.heard(1) == (segments if w > 1 else segments - 1)


def test_a_target_of_full_attention_is_always_heard() -> None:
    assert copying(build("full", 4), 1).share(1) == 1
    assert copying(build("full", 64), 1, autoregressive=True).share(1) == 1


def test_the_random_mask_of_one_layer() -> None:
    """A pair is an edge of one of four draws with probability 1 - (1 - p)^4, p = 6554 / 256^2."""
    random_cells = [cell for cell in cells(1) if cell.column.name == "RANDOM"]
    expected = 1 - (1 - 6554 / 256**2) ** 4
    deviation = math.sqrt(expected * (1 - expected) / 127)
    assert abs(float(random_cells[0].share) - expected) < 4 * deviation / 10
    assert random_cells[0].deviation == pytest.approx(deviation, rel=0.3)
    assert abs(random_cells[0].bound - 34.6) < 4
    seeds = [build(f"{random_cells[0].column.mask},seed={seed}", 256) for seed in range(100)]
    bounds = [100 * float(copying(masks, 1).accuracy(1)) for masks in seeds]
    assert random_cells[0].bound == pytest.approx(statistics.mean(bounds))
    assert random_cells[0].bound_deviation == pytest.approx(statistics.pstdev(bounds))
    assert abs(random_cells[0].bound - random_cells[0].measured) < 100 * deviation
    one_draw = 6554 / 256**2
    assert random_cells[0].measured / 100 > one_draw + 5 * math.sqrt(one_draw * 0.9 / 127)


@pytest.mark.parametrize(
    ("table", "name", "layers", "heard"),
    [
        (1, "FIXED UNION", 1, 8),  # 15, 31, .., 127
        (2, "FIXED UNION", 1, 8),
        (1, "STAR", 1, 1),  # the relay token alone
        (2, "STAR", 4, 0),  # 4 layers of 16 steps back, of 127
        (1, "STRIDED UNION", 1, 127),  # 128 is a multiple of 16
        (2, "STRIDED UNION", 1, 0),  # 127 is not
        (2, "STRIDED UNION", 2, 0),  # and 128 steps back, then one forward, is not causal
        (2, "STRIDED UNION", 3, 127),  # 112, 8 and 7 steps back
        (2, "STRIDED SEQUENTIAL", 3, 127),
        (1, "FIXED SEQUENTIAL", 1, 0),
    ],
)
def test_cells_of_the_tables(table: int, name: str, layers: int, heard: int) -> None:
    assert cell(table, name, layers).share == Fraction(heard, 127)


def cell(table: int, name: str, layers: int) -> Cell:
    (found,) = (cell for cell in cells(table) if (cell.column.name, cell.layers) == (name, layers))
    return found


def test_the_accuracies_of_one_layer() -> None:
    """The accuracy over the 127 targets; a 128th, the second 0, would be right without a source."""
    fixed, star = cell(1, "FIXED UNION", 1), cell(1, "STAR", 1)
    assert (round(fixed.bound, 2), fixed.measured) == (7.03, 7.04)
    assert (star.bound, star.measured) == (1.5625, 1.53)
    with_zero = Fraction(9, 128) + Fraction(119, 128) / 128
    assert round(100 * float(with_zero), 2) == 7.76


def test_six_cells_of_table_2_exceed_what_their_masks_allow() -> None:
    beyond = [(cell.table, cell.column.name, cell.layers) for cell in exceeding()]
    strided = [(2, f"STRIDED {heads}", 2) for heads in ("UNION", "MULTIHEAD", "SEQUENTIAL")]
    assert beyond == [*strided, (2, "STAR", 2), (2, "STAR", 3), (2, "STAR", 4)]
    slightly = [one for table in TABLES for one in cells(table) if one.measured > one.bound]
    assert {one.layers for one in slightly if not one.exceeds} == {1}
    assert all(one.measured < one.bound + 0.04 for one in slightly if not one.exceeds)


def test_an_excess_counts_if_neither_chance_nor_rounding_explains_it() -> None:
    less, more = (
        Cell(1, Column("any", "full", (measured,)), 1, Fraction(0), 0.0)
        for measured in (1.18, 1.19)
    )
    assert log10_tail(0.0118, Fraction(0)) < math.log10(0.01 / 64) < less.log10_tail
    assert (less.exceeds, more.exceeds) == (False, True)


def test_three_of_them_exceed_it_wherever_a_target_is_predicted() -> None:
    """Predicted in place, STRIDED sees the source; STAR still does not."""
    for heads in Heads:
        masks = build(f"strided:w=16,heads={heads.value}", 256).causal()
        assert copying(masks, 2).share(2) == 1
    star = copying(build("star:w=16", 256).causal(), 4)
    assert star.heard(4) == 1


def test_the_windows_of_child_explain_the_three_of_strided() -> None:
    """Child et al. attend to the last w tokens; Eq. 4, restricted to the past, to the last w/2."""
    near, far = build("window:w=32", 256).union, build("strided:w=16", 256).patterns[1]
    for heads in Heads:
        found = copying(SparseAttention((near, far), heads), 2, autoregressive=True)
        assert (found.heard(1), found.heard(2)) == (0, 127)


def test_no_window_of_this_sparsity_explains_those_of_star() -> None:
    for w in range(16, 32):
        assert copying(build(f"star:w={w}", 256), 4, autoregressive=True).heard(4) == 0
    assert build("star:w=31", 256).sparsity < 0.75


def test_the_tail_bounds_what_dependent_guesses_reach() -> None:
    """All targets of a sequence guess one symbol of a pair: the worst case of Hoeffding's bound."""
    rng = random.Random(5)
    sequences, runs, chance = 200, 400, 1 / 128
    reached = sorted(
        sum(rng.random() < chance for _ in range(sequences)) / sequences for _ in range(runs)
    )
    for accuracy in (0.02, 0.03, 0.04):
        measured = sum(one >= accuracy for one in reached) / runs
        bound = 10 ** log10_tail(accuracy, Fraction(0), sequences)
        assert measured <= bound + 3 * math.sqrt(bound / runs)
    assert log10_tail(1.0, Fraction(0), 1) == pytest.approx(-math.log10(128))
    assert log10_tail(1.0, Fraction(1)) == log10_tail(0.5, Fraction(1, 2)) == 0


def test_columns_are_found_by_their_masks() -> None:
    for table, columns in TABLES.items():
        for column in columns:
            masks = build(column.mask, 256)
            assert find_column(masks, autoregressive=table == 2) == column
    assert find_column(build("star:w=15", 256), autoregressive=True) is None
    assert find_column(build("star:w=16", 128), autoregressive=True) is None


@pytest.mark.parametrize(
    ("n", "layers", "message"),
    [
        (7, 1, "even number of tokens, not 7"),
        (2, 1, "at least 4 tokens .0s0s., not 2"),
        (4, 0, "layers must be in 1..1000, not 0"),
        (4, 1001, "layers must be in 1..1000, not 1001"),
    ],
)
def test_bad_input(n: int, layers: int, message: str) -> None:
    with pytest.raises(InputError, match=message):
        copying(build("full", n), layers)


def test_no_third_table() -> None:
    with pytest.raises(InputError, match="Tables 1 and 2 on copying, not 3"):
        compare(3)


def test_random_masks_are_not_the_worst_at_copying() -> None:
    """In Section 5.2, they perform worse than all others in all tasks; Tables 1 and 2 differ."""
    for table, columns in TABLES.items():
        *others, random = (column.measured for column in columns)
        assert random[0] > max(other[0] for other in others)
        for layer in range(4):
            star = others[-1]
            assert random[layer] > star[layer]
        worse = [sum(random[layer] > other[layer] for other in others) for layer in range(4)]
        assert worse == {1: [7, 2, 1, 1], 2: [7, 5, 4, 1]}[table]
