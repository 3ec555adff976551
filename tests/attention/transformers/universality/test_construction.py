"""g = f: whole transformers, their verification, mutations that it must catch, and methods."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from itertools import product

import networkx
import numpy as np
import pytest
from helpers.attention.universal_masks import star_masks
from hypothesis import given, settings
from hypothesis import strategies as st

from samapprox import InputError
from samapprox.attention.graphs import AttentionGraph, SparseAttention, build
from samapprox.attention.transformers import AttentionLayer, Head, Transformer
from samapprox.attention.transformers.maps import Hardmax
from samapprox.attention.transformers.universality import (
    Construction,
    Grid,
    Method,
    build_universal,
    random_function,
    verify,
)
from samapprox.attention.transformers.universality.checks import _ids
from samapprox.attention.transformers.universality.construction import choose_route
from samapprox.attention.transformers.universality.value_layers import (
    ValueLayers,
    quantization_layers,
)
from samapprox.support.progress import Progress

MASKS = ["full", "star", "strided:w=2", "fixed:w={w}", "bigbird:w=3,g=1,r=0"]


def constructed(
    attention: SparseAttention, d: int, steps: int, method: Method | None = None, seed: int = 0
) -> Construction:
    function = random_function(Grid(attention.n, d, steps), seed)
    return build_universal(attention, function, d, steps, method=method)


@pytest.mark.parametrize("mask", MASKS)
@pytest.mark.parametrize("method", [Method.WALK, Method.PRINTED])
@pytest.mark.parametrize(("n", "d", "steps"), [(4, 1, 4), (3, 2, 2), (2, 3, 2)])
def test_outputs_equal_the_function(mask: str, method: Method, n: int, d: int, steps: int) -> None:
    attention = build(mask.format(w=2 if n % 2 == 0 else 3), n)
    built = constructed(attention, d, steps, method)
    assert verify(built).holds
    assert len(built.quantization) == d * n * steps
    assert len(built.values) == n * steps ** (d * n)
    if method is Method.PRINTED:
        assert len(built.contextual.layers) == built.printed_contextual


@pytest.mark.parametrize(
    ("attention", "d", "steps"),
    [
        (build("full", 2), 1, 3),
        (build("strided:w=2", 3), 1, 2),
        (build("strided:w=2,heads=multihead", 3), 1, 2),
        (build("window:w=3", 3), 2, 2),
        (next(star_masks(3)), 1, 2),
    ],
)
def test_the_transformer_runs_every_layer(attention: SparseAttention, d: int, steps: int) -> None:
    """The plain forward pass through every single layer, value layers included, gives f."""
    built = constructed(attention, d, steps, seed=3)
    transformer = built.transformer()
    assert len(transformer.layers) == built.layers
    assert transformer.parameters == built.parameters
    inputs = built.grid.points(0, built.grid.size).astype(object)
    outputs = transformer.forward(inputs, attention, Hardmax())
    assert (outputs == steps * built.function).all()


def test_the_special_token_of_zaheer_et_al() -> None:
    """x_0 has a fixed vector, stands in front, and is dropped: inputs and outputs have n tokens."""
    attention, fixed = next(star_masks(3)), 1
    built = constructed(attention, 1, 2)
    whole = built.transformer()
    letter = Transformer(
        whole.layers, whole.positions[:, 1:], extra_token=whole.positions[:, 0] + fixed
    )
    points = built.grid.points(0, built.grid.size).astype(object)
    chosen = points[:, 0, 0] == fixed
    outputs = letter.forward(points[chosen][:, :, 1:], attention, Hardmax())
    assert outputs.shape == (8, 1, 3)
    assert (outputs == 2 * built.function[chosen][:, :, 1:]).all()


def test_inputs_between_grid_points() -> None:
    """Everything in G + [0, delta)^(d x n) has the value of G."""
    attention, d, steps = build("window:w=3", 3), 2, 2
    built = constructed(attention, d, steps)
    transformer, generator = built.transformer(), np.random.default_rng(1)
    points = built.grid.points(0, built.grid.size)
    parts = generator.integers(0, 7, size=points.shape)
    shift = np.array([Fraction(part, 7) for part in parts.flat], dtype=object)
    outputs = transformer.forward(points + shift.reshape(points.shape), attention, Hardmax())
    assert (outputs == steps * built.function).all()


def test_the_whole_of_six_tokens() -> None:
    """4,096 inputs and 24,576 value layers."""
    built = constructed(build("strided:w=2", 6), 1, 4)
    found = verify(built)
    assert found.holds
    assert (found.points, len(built.values)) == (4096, 24576)
    assert max(built.values.ids).bit_length() == built.id_bits == 48


def test_lemma_8_needs_a_guard() -> None:
    """n = 2, d = 1, delta = 1/2: as printed, the output 165 is the id of a later layer."""
    function = np.array([[[k, 10 + k]] for k in range(4)], dtype=object)
    function[0, 0, 0] = Fraction(165, 2)  # 165 in units of delta
    function[3, 0, 1] = Fraction(7, 2)
    attention = build("full", 2)
    as_printed = build_universal(attention, function, 1, 2, method=Method.PRINTED, guard=False)
    assert 165 in as_printed.values.ids
    outputs = as_printed.transformer().forward(
        as_printed.grid.points(0, 4).astype(object), attention, Hardmax()
    )
    assert outputs[0, 0, 0] == 7
    found = verify(as_printed)
    assert (found.same_within, found.same_between, found.wrong) == (None, None, (0, 0))
    guarded = build_universal(attention, function, 1, 2, method=Method.PRINTED)
    assert verify(guarded).holds
    assert min(guarded.values.ids) > 165
    assert guarded.contextual.factor > as_printed.contextual.factor


@settings(max_examples=25, deadline=None)
@given(st.data())
def test_any_function_is_computed(data: st.DataObject) -> None:
    """Also where outputs are huge, negative, or exactly ids of the construction without guard."""
    attention = build(data.draw(st.sampled_from(["full", "window:w=3"])), 3)
    plain = constructed(attention, 1, 2)
    numbers = st.one_of(
        st.fractions(),
        st.integers(-(10**30), 10**30),
        st.sampled_from([Fraction(number, 2) for number in plain.values.ids]),
    )
    values = data.draw(st.lists(numbers, min_size=24, max_size=24))
    function = np.array(values, dtype=object).reshape(8, 1, 3)
    assert verify(build_universal(attention, function, 1, 2)).holds


@given(st.data())
def test_value_layers_against_every_single_layer(data: st.DataObject) -> None:
    """Also where outputs land in windows of earlier and later layers, and on their borders."""
    d = data.draw(st.integers(1, 2))
    weights = np.array([1, 3][:d])
    ids = data.draw(st.lists(st.integers(-4, 8), min_size=1, max_size=6, unique=True))
    halves = st.integers(-9, 17).map(lambda k: Fraction(k, 2))
    shifts = data.draw(st.lists(halves, min_size=d * len(ids), max_size=d * len(ids)))
    layers = ValueLayers(
        weights, np.array(ids, dtype=object), np.array(shifts, dtype=object).reshape(d, -1)
    )
    tokens = data.draw(st.lists(halves, min_size=4 * d, max_size=4 * d))
    columns = np.array(tokens, dtype=object).reshape(d, 2, 2)
    expected = columns
    for i in range(len(layers)):
        expected = layers.layer(i).apply(expected)
    assert (layers.apply(columns) == expected).all()


def test_value_layers_need_distinct_ids() -> None:
    with pytest.raises(InputError, match="two tokens have the same id"):
        ValueLayers(np.array([1]), np.array([3, 3], dtype=object), np.zeros((1, 2), dtype=object))


def test_quantization_of_every_eighth() -> None:
    grid = Grid(2, 2, 3)
    entries = [Fraction(k, 8) for k in range(-8, 8 * 7)]
    columns = np.array([entries, entries[::-1]], dtype=object)[:, None, :]
    for layer in quantization_layers(grid):
        columns = layer.apply(columns)
    rounded = [k // 1 if 0 <= k < 6 else k for k in entries]
    assert columns[:, 0].tolist() == [rounded, rounded[::-1]]


def _replace_layer(built: Construction, place: int, layer: AttentionLayer) -> Construction:
    layers = list(built.contextual.layers)
    layers[place] = layer
    return replace(built, contextual=replace(built.contextual, layers=tuple(layers)))


def _without_a_shift(built: Construction) -> Construction:
    return _replace_layer(built, 0, AttentionLayer())


def _without_the_last_shift(built: Construction) -> Construction:
    return _replace_layer(built, -2, AttentionLayer())


def _without_all_max(built: Construction) -> Construction:
    return _replace_layer(built, -1, AttentionLayer())


def _with_another_output(built: Construction, place: int, output: int) -> Construction:
    heads = [
        Head(head.query, head.key, head.value, np.sign(head.output) * output, head.query_bias)
        for head in built.contextual.layers[place].heads
    ]
    return _replace_layer(built, place, AttentionLayer(tuple(heads)))


def _with_factor_one(built: Construction) -> Construction:
    return _with_another_output(built, 1, 1)


def _with_a_moved_window(built: Construction) -> Construction:
    first, second = built.contextual.layers[0].heads
    assert first.query_bias is not None
    moved = Head(first.query, first.key, first.value, first.output, [first.query_bias[0] - 2])
    return _replace_layer(built, 0, AttentionLayer((moved, second)))


def _with_a_wrong_value(built: Construction) -> Construction:
    shifts = built.values.shifts.copy()
    shifts[0, 5] += Fraction(1, 10**9)
    return replace(built, values=ValueLayers(built.values.column_weights, built.values.ids, shifts))


def _without_a_value_layer(built: Construction) -> Construction:
    values = built.values
    return replace(
        built, values=ValueLayers(values.column_weights, values.ids[1:], values.shifts[:, 1:])
    )


def _with_another_function(built: Construction) -> Construction:
    function = built.function.copy()
    function[-1, 0, 0] += 1
    return replace(built, function=function)


def _on_another_mask(built: Construction) -> Construction:
    return replace(built, attention=build("window:w=1", built.grid.n))


@pytest.mark.parametrize(
    "mutate",
    [
        _without_a_shift,
        _without_the_last_shift,
        _without_all_max,
        _with_factor_one,
        _with_a_moved_window,
        _with_a_wrong_value,
        _without_a_value_layer,
        _with_another_function,
        _on_another_mask,
    ],
)
def test_mutations_are_caught(mutate: Callable[[Construction], Construction]) -> None:
    built = constructed(build("full", 3), 1, 3)
    assert verify(built).holds
    assert not verify(mutate(built)).holds


def test_equal_ids_are_named() -> None:
    """Without the last selective shift different inputs have equal ids; without any, tokens do."""
    built = constructed(build("full", 3), 1, 2)
    found = verify(_without_the_last_shift(built))
    assert found.same_between is not None
    assert found.same_within is None
    (one, _), (other, _) = found.same_between
    assert one != other
    same = replace(built.contextual.encoding, blocks=(0, 0, 0))
    flat = replace(built.contextual, encoding=same)
    collapsed = verify(replace(built, contextual=flat))
    assert collapsed.same_within is not None


def test_ids_are_the_digits_of_the_column_in_base_one_over_delta() -> None:
    columns = np.array([[[1, 0]], [[2, 4]], [[3, 4]]])
    assert _ids(columns, 5).tolist() == [[1 + 2 * 5 + 3 * 25, 4 * 5 + 4 * 25]]


def test_progress_reaches_the_end() -> None:
    seen: list[Progress] = []
    verify(constructed(build("full", 4), 1, 3), seen.append)
    assert seen[-1].share == 1


@pytest.mark.parametrize(
    ("n", "d", "steps", "message"),
    [
        (64, 2, 8, r"8\^128 points of 64 tokens"),
        (11, 1, 4, r"4\^11 points of 11 tokens, each with a value layer; at most 1048576"),
        (3, 0, 2, "d .embedding dimension. must be at least 1, not 0"),
        (3, 1, 1, "1 / delta must be a whole number of at least 2, not 1"),
        (3, 10**9, 2, r"2\^3000000000 points"),
        (3, 1, 10**9, r"1000000000\^3 points"),
    ],
)
def test_sizes_are_refused_before_anything_is_built(
    n: int, d: int, steps: int, message: str
) -> None:
    with pytest.raises(InputError, match=message):
        build_universal(build("full", n), np.zeros((1, 1, 1)), d, steps)


def test_ids_of_too_many_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("samapprox.attention.transformers.universality.construction.MOST_BITS", 100)
    with pytest.raises(InputError, match="the ids have 10 bits for each of 24 tokens"):
        constructed(build("full", 3), 1, 2)


def test_grid_points_are_in_the_documented_order() -> None:
    grid = Grid(2, 2, 3)
    expected = [np.reshape(point, (2, 2)).tolist() for point in product(range(3), repeat=4)]
    assert grid.points(0, grid.size).tolist() == expected
    assert grid.points(7, 9).tolist() == expected[7:9]


def star(*, loop_at_centre: bool) -> SparseAttention:
    """Three leaves around token 0, which see themselves and the centre."""
    graph = networkx.star_graph(3)
    graph.add_edges_from((token, token) for token in range(0 if loop_at_centre else 1, 4))
    return SparseAttention((AttentionGraph.from_networkx(graph),))


def test_the_walk_is_the_default_and_the_star_stands_in_for_a_missing_loop() -> None:
    assert choose_route(star(loop_at_centre=True)).method is Method.WALK
    route = choose_route(star(loop_at_centre=False))
    assert route.method is Method.STAR
    assert route.walk.tokens.tolist() == [1, 0, 2, 0, 3]
    printed = choose_route(build("window:w=3", 4), Method.PRINTED)
    assert printed.walk.tokens.tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize(
    ("attention", "method", "message"),
    [
        (star(loop_at_centre=True), Method.PRINTED, "Hamiltonian path"),
        (star(loop_at_centre=False), Method.WALK, "no self-loop at 0"),
        (build("window:w=3", 5), Method.STAR, "star"),
        (build("window:w=3,causal=1", 5), None, "token 0 never hears of token 1"),
        (build("full", 1), None, "at least 2 tokens"),
    ],
)
def test_what_a_mask_lacks_is_named(
    attention: SparseAttention, method: Method | None, message: str
) -> None:
    with pytest.raises(InputError, match=message):
        choose_route(attention, method)
