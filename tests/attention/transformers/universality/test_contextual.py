"""Lemma 7: ids of all tokens of all inputs are distinct, with as many layers as promised.

Selective shifts and all-max-shifts follow the formulas of E.2.1, token by token.
"""

from __future__ import annotations

from itertools import islice, product

import numpy as np
import pytest
from helpers.attention.universal_masks import (
    all_ids,
    are_distinct,
    connected_masks,
    mask,
    shifted_ids,
    star_masks,
)
from hypothesis import given, settings
from hypothesis import strategies as st

from samapprox.attention.graphs import AttentionGraph, Heads, SparseAttention, build
from samapprox.attention.graphs.distance import layers_needed, unreachable
from samapprox.attention.graphs.universality import contextual_blocks
from samapprox.attention.graphs.walks import Walk, is_covering_walk
from samapprox.attention.transformers.maps import Hardmax
from samapprox.attention.transformers.universality import Method, choose_route
from samapprox.attention.transformers.universality.construction import build_mapping
from samapprox.attention.transformers.universality.contextual import (
    plan_shifts,
)
from samapprox.attention.transformers.universality.grid import Grid
from samapprox.attention.transformers.universality.ids import Encoding
from samapprox.errors import InputError


def ids_of(
    attention: SparseAttention, d: int = 1, steps: int = 2, method: Method | None = None
) -> list[list[int]]:
    route = choose_route(attention, method)
    return all_ids(build_mapping(attention, route, d, steps), attention)


def test_by_hand() -> None:
    """Two tokens, d = 1, delta = 1/2: F = w_2 + 2 (w_1 - w_2), and then c = 2 n / delta^3 = 32."""
    assert ids_of(build("full", 2), method=Method.PRINTED) == [
        [2 + 32 * 4, 4 + 32 * 4],  # w = (2, 0)
        [2 + 32 * 3, 3 + 32 * 3],  # w = (2, 1)
        [3 + 32 * 6, 6 + 32 * 6],  # w = (3, 0)
        [3 + 32 * 5, 5 + 32 * 5],  # w = (3, 1)
    ]


@pytest.mark.parametrize(
    "name", ["full", "star", "strided:w=2", "fixed:w={w}", "bigbird:w=3,r=0,g=1"]
)
@pytest.mark.parametrize("heads", ["", "heads=union", "heads=multihead"])
@pytest.mark.parametrize(("n", "d", "steps"), [(4, 1, 3), (3, 2, 2)])
def test_known_masks(name: str, heads: str, n: int, d: int, steps: int) -> None:
    joint = "," if ":" in name else ":"
    spec = name.format(w=3 if n == 3 else 2) + (joint + heads if heads else "")
    attention = build(spec, n)
    p = attention.period
    for method in (Method.WALK, Method.PRINTED):
        mapping = build_mapping(attention, choose_route(attention, method), d, steps)
        assert are_distinct(all_ids(mapping, attention))
        s = layers_needed(attention.selectable).lower
        assert mapping.all_max_layers == s
        printed = contextual_blocks(n, d, steps, p, s)
        assert len(mapping.layers) == (printed if method is Method.PRINTED else p * (n - 1) + s)


@pytest.mark.parametrize("name", ["full", "star", "strided:w=2", "window:w=3"])
def test_both_windows_give_the_same_ids(name: str) -> None:
    """One window for all values of a token shifts it as one window for each value does."""
    attention, grid = build(name, 3), Grid(3, 2, 2)
    found = []
    for method in (Method.PRINTED, Method.WALK):
        mapping = build_mapping(attention, choose_route(attention, method), grid.d, grid.steps)
        columns = grid.points(0, grid.size).transpose(1, 0, 2)
        columns = columns + mapping.encoding.positions[:, None, :]
        for t, layer in enumerate(mapping.layers[: -mapping.all_max_layers]):
            columns = layer.apply(columns, attention.layer(t), Hardmax())
        found.append(mapping.ids(columns).tolist())
    assert found[0] == found[1]


def test_a_sample_of_all_connected_masks() -> None:
    for attention in islice(connected_masks(4), 0, None, 29):
        assert are_distinct(ids_of(attention)), attention.union.pattern().to_text()


@pytest.mark.slow
def test_all_connected_masks() -> None:
    count = 0
    for attention in connected_masks(4):
        assert are_distinct(ids_of(attention)), attention.union.pattern().to_text()
        count += 1
    assert count == 1606


@pytest.mark.parametrize(("leaves", "every"), [(1, 1), (2, 1), (3, 3)])
def test_graphs_that_contain_the_star(leaves: int, every: int) -> None:
    for attention in islice(star_masks(leaves), 0, None, every):
        mapping = build_mapping(attention, choose_route(attention, Method.STAR), 1, 2)
        assert are_distinct(all_ids(mapping, attention)), attention.union.pattern().to_text()
        assert len(mapping.layers) <= 2 * leaves + 1


@pytest.mark.slow
def test_every_graph_that_contains_the_star_of_three_leaves() -> None:
    masks = list(star_masks(3))
    assert len(masks) == 128
    for attention, steps in product(masks, (2, 3)):
        assert are_distinct(ids_of(attention, steps=steps, method=Method.STAR))


@pytest.mark.parametrize(("leaves", "d", "steps"), [(2, 2, 2), (3, 1, 4), (4, 1, 3), (7, 1, 2)])
def test_the_star_to_the_letter(leaves: int, d: int, steps: int) -> None:
    """No self-loop at the centre: the method is chosen by itself, with at most 2 n + 1 layers."""
    attention = next(star_masks(leaves))
    assert attention.patterns[0].without_loop.tolist() == [0]
    route = choose_route(attention)
    assert route.method is Method.STAR
    mapping = build_mapping(attention, route, d, steps)
    assert are_distinct(all_ids(mapping, attention))
    assert len(mapping.layers) == 2 * leaves


def test_stars_in_turn_need_no_idle_layer() -> None:
    bare, *_, joined = star_masks(3)
    attention = SparseAttention((bare.union, joined.union))
    mapping = build_mapping(attention, choose_route(attention, Method.STAR), 1, 3)
    assert all(layer.heads for layer in mapping.layers)
    assert len(mapping.layers) == 6
    assert are_distinct(all_ids(mapping, attention))


@st.composite
def attentions(draw: st.DrawFn) -> SparseAttention:
    """One to three random patterns with self-loops, whose union joins all tokens."""
    n, p = draw(st.integers(2, 5)), draw(st.integers(1, 3))
    generator = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    rows = generator.random((p, n, n)) < draw(st.floats(0.1, 0.6))
    parent = [draw(st.integers(0, k - 1)) for k in range(1, n)]
    for child, above in enumerate(parent, 1):
        rows[generator.integers(p), child, above] = True
        rows[generator.integers(p), above, child] = True
    rows |= np.eye(n, dtype=np.bool_)
    return SparseAttention(tuple(map(mask, rows)), draw(st.sampled_from(Heads)))


@given(attentions(), st.sampled_from([(1, 2), (1, 3), (2, 2)]))
def test_random_masks(attention: SparseAttention, size: tuple[int, int]) -> None:
    d, steps = size
    if steps ** (d * attention.n) > 256:
        steps, d = 2, 1
    route = choose_route(attention)
    mapping = build_mapping(attention, route, d, steps)
    ids = all_ids(mapping, attention)
    assert are_distinct(ids)
    assert mapping.least_id <= min(map(min, ids))
    assert max(map(max, ids)) <= mapping.greatest_id
    shifts = len(mapping.layers) - mapping.all_max_layers
    assert shifts == attention.period * route.walk.steps


@given(attentions())
def test_plans_against_the_formula(attention: SparseAttention) -> None:
    """Least and greatest ids of every shift, and the order of ids, over all inputs."""
    walk, steps = choose_route(attention, Method.WALK).walk, 2
    plan = plan_shifts(attention.selectable, walk, 1, steps)
    starts = [
        range(plan.encoding.least_id(k), plan.encoding.least_id(k) + steps)
        for k in range(attention.n)
    ]
    for t, shift in enumerate(plan.shifts, 1):
        part = Walk(walk.tokens[: t + 1], walk.patterns[: t + 1])
        before = Walk(walk.tokens[:t], walk.patterns[:t])
        factors = [shift.factor for shift in plan.shifts]
        inside, beside, after = set(), set(), []
        for start in product(*starts):
            old = shifted_ids(attention, before, list(start), factors[: t - 1])
            inside.add(old.pop(shift.token))
            beside.update(old)
            after.append(shifted_ids(attention, part, list(start), factors[:t]))
        low, high = shift.window
        assert (low, high) == (min(inside), max(inside))
        assert not any(low <= number <= high for number in beside)
        assert all(max(ids) == ids[shift.token] for ids in after)
        assert max(map(max, after)) == shift.highest
    assert len({ids[walk.tokens[-1]] for ids in after}) == steps**attention.n


@given(attentions(), st.data())
def test_factors_satisfy_the_bounds_of_the_proof(
    attention: SparseAttention, data: st.DataObject
) -> None:
    """Every o_t, m_t and F_t of all inputs, for walks that visit tokens again and again."""
    walk = _wander(attention, data)
    plan = plan_shifts(attention.selectable, walk, 1, 2)
    tokens, numbers = walk.tokens.tolist(), walk.patterns.tolist()
    first = {token: t for t, token in reversed(list(enumerate(tokens)))}
    olds, least, tops, late = [], [], [], 0
    inputs = [
        [plan.encoding.least_id(k) + digit for k, digit in enumerate(digits)]
        for digits in product(range(2), repeat=attention.n)
    ]
    tops.append([ids[tokens[0]] for ids in inputs])
    for t, shift in enumerate(plan.shifts, 1):
        seen = attention.selectable[numbers[t]].keys(tokens[t]).tolist()
        lowest = {min(seen, key=ids.__getitem__) for ids in inputs}
        assert len(lowest) == 1
        late = t if first[min(lowest)] < t else late
        olds.append([ids[tokens[t]] for ids in inputs])
        least.append([min(ids[k] for k in seen) for ids in inputs])
        for ids in inputs:
            ids[tokens[t]] += shift.factor * (max(ids[k] for k in seen) - min(ids[k] for k in seen))
        tops.append([ids[tokens[t]] for ids in inputs])
    for t, shift in enumerate(plan.shifts, 1):
        assert all(new > old for new, old in zip(tops[t], tops[t - 1], strict=True))
        if len(set(tokens)) < len(tokens):
            assert min(tops[t]) > 2 * max(tops[t - 1])
        enough = shift.factor > _spread(olds[t - 1]) + (_spread(least[t]) if t < late else 0)
        if t > late and first[tokens[t]] < t and not enough:
            enough = _exceeds_some_spread(shift.factor, tops[t - 1], olds[t - 1])
        assert enough


def _exceeds_some_spread(factor: int, tops: list[int], olds: list[int]) -> bool:
    """Whether factor * a is at least the spread of tops - a * olds, for some a near tops / olds.

    The difference is convex in a, so its least value is found by bisection: there may be more a
    than can be tried.
    """

    def excess(a: int) -> int:
        rest = [top - a * old for top, old in zip(tops, olds, strict=True)]
        return _spread(rest) - factor * a

    ratio = max(tops) // min(olds)
    low, high = max(1, ratio // 2), 2 * ratio + 1
    while low < high:
        middle = (low + high) // 2
        if excess(middle + 1) >= excess(middle):
            high = middle
        else:
            low = middle + 1
    return excess(low) <= 0


def _spread(values: list[int]) -> int:
    return max(values) - min(values)


def _wander(attention: SparseAttention, data: st.DataObject) -> Walk:
    """Put some random steps before a covering walk."""
    end = choose_route(attention, Method.WALK).walk
    tokens, numbers = end.tokens.tolist(), end.patterns.tolist()
    for _ in range(data.draw(st.integers(0, 4))):
        steps = [
            (int(key), number)
            for number, graph in enumerate(attention.selectable)
            for key in graph.keys(tokens[0])
            if key not in (tokens[0], tokens[-1])
        ]
        if not steps:
            break
        token, numbers[0] = data.draw(st.sampled_from(steps))
        tokens, numbers = [token, *tokens], [0, *numbers]
    walk = Walk(np.array(tokens), np.array(numbers))
    assert is_covering_walk(attention.selectable, walk)
    return walk


def test_paths_have_the_factors_of_the_paper() -> None:
    plan = plan_shifts(
        build("window:w=3", 5).selectable, choose_route(build("window:w=3", 5)).walk, d=2, steps=3
    )
    assert [shift.factor for shift in plan.shifts] == [9] * 4
    assert plan.encoding.blocks == (4, 0, 1, 2, 3)


def test_the_bound_of_equation_10() -> None:
    """Printed: at most 1/delta^(n d) - delta. True: at most n / delta^(n d) - delta."""
    n, d, steps = 3, 2, 2
    attention = build("full", n)
    plan = plan_shifts(attention.selectable, choose_route(attention).walk, d, steps)
    printed = steps * steps ** (n * d) - 1
    assert (plan.last.high, printed) == (222, 127)
    assert plan.last.high <= n * steps * steps ** (n * d) - 1
    greatest = 0
    encoding = Encoding.along([0, 1, 2], d, steps)
    for digits in product(range(steps**d), repeat=n):
        start = [encoding.least_id(k) + digits[k] for k in range(n)]
        greatest = max(
            greatest, *shifted_ids(attention, choose_route(attention).walk, start, [4, 4])
        )
    assert greatest == 222


def test_long_sequences_are_counted_and_run() -> None:
    """STRIDED on 64 tokens: 129 contextual layers, printed 8,067; a few inputs run through them."""
    attention, grid = build("strided:w=8", 64), Grid(64, 2, 8)
    mapping = build_mapping(attention, choose_route(attention), grid.d, grid.steps)
    assert len(mapping.layers) == 129
    assert contextual_blocks(64, 2, 8, 2, mapping.all_max_layers) == 8067
    inputs = np.random.default_rng(0).integers(0, 8, size=(6, 2, 64))
    inputs[1] = inputs[0]
    inputs[1, 1, 63] = (inputs[0, 1, 63] + 1) % 8
    columns = (inputs + mapping.encoding.positions).transpose(1, 0, 2)
    assert are_distinct(mapping.ids(mapping.apply(columns, attention)).tolist())


@settings(max_examples=30, deadline=None)
@given(attentions(), st.integers(0, 20))
def test_int64_gives_the_same_as_python_integers(attention: SparseAttention, digits: int) -> None:
    """Also where ids outgrow int64 on the way, which larger bounds force."""
    route = choose_route(attention)
    mapping = build_mapping(attention, route, 1, 2, beyond=10**digits)
    columns = Grid(attention.n, 1, 2).points(0, 2) + mapping.encoding.positions
    narrow = columns.transpose(1, 0, 2)
    found = mapping.apply(narrow, attention)
    assert found.tolist() == mapping.apply(narrow.astype(object), attention).tolist()
    assert found.min() > 10**digits


def test_no_walk_without_self_loops() -> None:
    rows = np.array([[1, 1, 0], [0, 0, 1], [1, 0, 1]], dtype=np.bool_)
    attention = SparseAttention((mask(rows),))
    assert unreachable(attention.union) is None
    walk = Walk(np.array([2, 1, 0]), np.zeros(3, dtype=np.int64))
    with pytest.raises(InputError, match="token 1 must attend to itself in every pattern"):
        plan_shifts(attention.selectable, walk, 1, 2)


def test_ids_that_double_with_every_visit() -> None:
    """Back and forth between two tokens, which see no other: refused before the machine is full."""
    graph = mask(np.array([[1, 1, 0], [1, 1, 0], [0, 1, 1]], dtype=np.bool_))
    tokens = np.array([0, 1] * 40 + [2])
    walk = Walk(tokens, np.zeros_like(tokens))
    with pytest.raises(InputError, match="a walk of 81 tokens have more than 1048576 bits"):
        plan_shifts((graph,), walk, 1, 2)


@pytest.mark.parametrize(
    ("attention", "method", "message"),
    [
        (build("full", 1), None, "at least 2 tokens"),
        (build("window:w=3,causal=1", 3), None, "token 0 never hears of token 1"),
        (
            SparseAttention((AttentionGraph.from_csr([0, 1, 2, 3], [1, 2, 0]),)),
            None,
            "no self-loop at 0, 1, 2: every token but the centre of a star",
        ),
        (next(star_masks(3)), Method.WALK, "no self-loop at 0: every token but the centre"),
        (next(star_masks(3)), Method.PRINTED, "no self-loop at 0"),
        (build("window:w=3", 4), Method.STAR, "contains no star"),
        (
            SparseAttention(
                (mask(next(star_masks(4)).union.to_sparse().toarray() | np.eye(5, dtype=bool)),)
            ),
            Method.PRINTED,
            "no Hamiltonian path: .*; take the construction walk instead",
        ),
    ],
)
def test_masks_that_do_not_fit(
    attention: SparseAttention, method: Method | None, message: str
) -> None:
    with pytest.raises(InputError, match=message):
        choose_route(attention, method)
