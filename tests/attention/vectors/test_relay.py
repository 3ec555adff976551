"""Relay tokens on graphs, against the definition in fractions."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from samapprox import InputError
from samapprox.attention.graphs import AttentionGraph, build
from samapprox.attention.graphs.heads import Relabelled, relabel
from samapprox.attention.vectors import relay_kernel, relay_numpy
from samapprox.attention.vectors.furthest_vectors import furthest
from samapprox.attention.vectors.layers import PairCount, Recall, furthest_layers
from samapprox.attention.vectors.near_ties import Rows, near_limit
from samapprox.attention.vectors.relay import Relay

Numbers = NDArray[Any]

GRAPHS = ["window:w=3", "star", "strided:w=2", "fixed:w=3", "random-keys:r=2", "full"]
GRAPHS += ["longformer", "bigbird:w=3,g=1,r=1", "dilated:w=3,d=2"]


def squares(vectors: Numbers) -> list[list[Fraction]]:
    rows = [list(map(Fraction, row)) for row in vectors.tolist()]
    return [
        [sum(((a - b) ** 2 for a, b in zip(x, y, strict=True)), Fraction()) for y in rows]
        for x in rows
    ]


class Defined:
    """The rules of docs/studies/layers.md, one token after the other, nothing left out."""

    def __init__(self, vectors: Numbers) -> None:
        self.apart, self.n = squares(vectors), len(vectors)
        self.held = [-1] * self.n
        self.pairs: set[tuple[int, int]] = set()
        self.products = 0

    def step(self, graph: AttentionGraph) -> None:
        after = []
        for token in range(self.n):
            keys = graph.keys(token).tolist()
            met = {*keys, *(self.held[key] for key in keys)} - {-1, token}
            self.pairs |= {(min(token, key), max(token, key)) for key in met}
            self.products += len(keys) * (1 if all(held < 0 for held in self.held) else 2)
            seen = sorted((met | {self.held[token]}) - {-1})
            after.append(max(seen, key=lambda k: self.apart[token][k]) if seen else -1)
        self.held = after

    def recall(self) -> float:
        most = [max(row) for row in self.apart]
        return (
            sum(
                held >= 0 and self.apart[token][held] == most[token]
                for token, held in enumerate(self.held)
            )
            / self.n
        )

    def regrets(self) -> list[float]:
        return [
            root(max(row)) - (root(row[held]) if held >= 0 else 0.0)
            for row, held in zip(self.apart, self.held, strict=True)
        ]


def root(number: Fraction) -> float:
    """The square root, of numbers whose squares floats cannot hold, too."""
    if not number:
        return 0.0
    shift = (number.numerator.bit_length() - number.denominator.bit_length()) // 2
    return math.ldexp(math.sqrt(number / Fraction(4) ** shift), shift)


@st.composite
def vector_sets(draw: st.DrawFn, n: int) -> Numbers:
    """Ties in plenty, equal vectors, rounding that cannot tell, sizes at the ends of the range."""
    kind = draw(st.sampled_from([np.float32, np.float64]))
    rng = np.random.RandomState(draw(st.integers(0, 2**32 - 1)))
    d = draw(st.sampled_from([1, 2, 3, 8, 16, 17, 40]))
    normal, whole = rng.standard_normal((n, d)), rng.randint(-1, 2, (n, d))
    return {
        "normal": normal,
        "ties": whole.astype(np.float64),
        "close": 1 + float(np.finfo(kind).eps) * whole,
        "tiny": normal * float(np.finfo(kind).smallest_subnormal) * 1000,
        "huge": normal * (float(np.finfo(kind).max) / 1000),
    }[draw(st.sampled_from(["normal", "ties", "close", "tiny", "huge"]))].astype(kind)


@st.composite
def graph_lists(draw: st.DrawFn, n: int) -> list[AttentionGraph]:
    """One graph or several; some with tokens that see nobody, as long as another pattern helps."""
    texts = draw(st.lists(st.sampled_from(GRAPHS), min_size=1, max_size=2))
    graphs = [graph for text in texts for graph in build(text, n).by_layer()]
    if draw(st.booleans()):
        bits = np.random.RandomState(draw(st.integers(0, 99))).random_sample((n, n)) < 0.1
        starts = np.concatenate(([0], np.cumsum(bits.sum(axis=1))))
        graphs.append(AttentionGraph.from_csr(starts, np.nonzero(bits)[1]))
    return graphs


@given(st.data(), st.integers(8, 24), st.integers(1, 3))
def test_every_layer_is_as_defined(data: st.DataObject, n: int, threads: int) -> None:
    vectors, graphs = data.draw(vector_sets(n)), data.draw(graph_lists(n))
    found = furthest_layers(vectors, graphs, layers=5, threads=threads)
    relay, defined = Relay(vectors, graphs, threads=threads), Defined(vectors)
    for t, figures in enumerate(found.layers):
        relay.step()
        defined.step(graphs[t % len(graphs)])
        assert relay.held.tolist() == defined.held
        assert figures.recall == pytest.approx(defined.recall(), abs=1e-12)
        regrets = defined.regrets()
        size = max(1e-300, max(regrets))
        assert figures.mean_regret == pytest.approx(sum(regrets) / n, abs=1e-5 * size)
        assert figures.worst_regret == pytest.approx(max(regrets), abs=1e-5 * size)
        assert figures.pairs == len(defined.pairs)
        assert figures.inner_products == defined.products
    assert found.held.tolist() == defined.held
    if found.settled:
        before = defined.held
        for t in range(len(found.layers), len(found.layers) + len(graphs)):
            defined.step(graphs[t % len(graphs)])
        assert defined.held == before
    else:
        assert len(found.layers) == 5


@settings(max_examples=25, deadline=None)
@given(st.data(), st.integers(8, 20), st.integers(0, 9))
def test_new_places_in_every_layer(data: st.DataObject, n: int, seed: int) -> None:
    vectors, graphs = data.draw(vector_sets(n)), data.draw(graph_lists(n))[:1]
    layers = Relabelled(graphs, seed)
    relay = Relay(vectors, lambda t: layers(t).union(build("window", n).union))
    defined = Defined(vectors)
    for t in range(4):
        done = relay.step()
        defined.step(layers(t).union(build("window", n).union))
        assert relay.held.tolist() == defined.held
        assert len(done.shown) == 1 + (t > 0)


def test_full_attention_takes_one_layer() -> None:
    vectors = np.random.RandomState(0).standard_normal((300, 20)).astype(np.float32)
    found = furthest_layers(vectors, build("full", 300).patterns)
    assert found.layers[0].recall == 1.0
    assert found.held.tolist() == furthest(vectors).indices.tolist()
    assert found.layers[0].pairs == found.possible_pairs == 300 * 299 // 2
    assert found.settled
    assert found.needed(1.0) == 1
    assert found.bound == pytest.approx(299 / 600)


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_threads_and_many_edges_change_nothing(kind: type) -> None:
    """More edges than a task has, hubs with more keys than are collected at a time."""
    n = 9000
    vectors = np.random.RandomState(1).standard_normal((n, 24)).astype(kind)
    graphs = build("bigbird:w=9,g=1,r=5", n).patterns
    one, three = (furthest_layers(vectors, graphs, layers=4, threads=t) for t in (1, 3))
    assert one.held.tolist() == three.held.tolist()
    assert one.layers == three.layers
    wide = vectors.astype(np.longdouble)
    hub = ((wide - wide[0]) ** 2).sum(axis=1)
    assert one.held[0] == hub.argmax()
    for token in (1, 17, 4321, n - 1):
        relay = Relay(vectors, graphs)
        relay.step()
        keys = graphs[0].keys(token)
        keys = keys[keys != token]
        apart = ((wide[keys] - wide[token]) ** 2).sum(axis=1)
        assert relay.held[token] == keys[apart.argmax()]


@given(st.integers(1, 70), st.sampled_from([np.float32, np.float64]), st.integers(0, 2**32 - 1))
def test_what_is_below_the_limit_is_nearer(d: int, kind: type, seed: int) -> None:
    rng = np.random.RandomState(seed)
    vectors = (rng.standard_normal((5, d)) * 10.0 ** rng.randint(-3, 3, d)).astype(kind)
    rows = Rows.of(vectors)
    exact = squares(vectors)
    for key in range(1, 5):
        graph = np.array([0, 1, 1, 1, 1, 1]), np.array([key], dtype=np.int32)
        for kernel in (relay_kernel, relay_numpy):
            found, second = np.full((2, 5), -np.inf, dtype=kind)
            best, itself = np.full(5, -1, dtype=np.int32), np.empty(0, dtype=np.int32)
            kernel.meet(rows.values, *graph, itself, 0, 5, found, second, best)
            _check_limit(rows, float(found[0]), exact[0][key])
        _check_limit(rows, float(rows.squares(np.array([0]), graph[1])[0]), exact[0][key])


def _check_limit(rows: Rows, computed: float, exact: Fraction) -> None:
    limit = Fraction(float(near_limit(np.array([computed]), rows)[0]))
    assert limit <= exact <= 2 * Fraction(computed) - limit


@given(st.data(), st.integers(2, 12))
def test_recall_counts_ties_as_right(data: st.DataObject, n: int) -> None:
    vectors = data.draw(vector_sets(n))
    held = np.array([data.draw(st.integers(0, n - 2)) for _ in range(n)])
    held += held >= np.arange(n)
    recall = Recall(vectors, furthest(vectors).indices)
    recall.update(held, np.arange(n))
    exact = squares(vectors)
    assert recall.right.tolist() == [exact[i][held[i]] == max(exact[i]) for i in range(n)]
    assert (recall.regret[recall.right] == 0).all()
    assert (recall.regret >= 0).all()


def test_distances_beyond_all_floats_have_a_finite_regret() -> None:
    greatest = float(np.finfo(np.float64).max)
    vectors = np.array([[-greatest], [-0.9 * greatest], [0.9 * greatest], [greatest]])
    found = furthest_layers(vectors, build("window:w=3", 4).patterns, layers=1)
    assert found.layers[0].worst_regret is not None
    assert 0 < found.layers[0].worst_regret <= greatest
    assert found.layers[0].mean_regret is not None
    assert 0 < found.layers[0].mean_regret <= greatest


def test_pairs_beyond_the_bits_are_estimated() -> None:
    graph = build("random-keys:r=30", 2000).union
    edges = np.column_stack((graph.queries, graph.indices))
    edges = np.sort(edges[edges[:, 0] != edges[:, 1]], axis=1)
    truth = len(np.unique(edges, axis=0))
    exact, few_bits = PairCount(2000), PairCount(2000, most_bits=1 << 16)
    for pairs in (exact, few_bits):
        for each in (graph, graph.reverse()):
            pairs.add(each, np.empty(0, dtype=np.int32))
    assert exact.exact
    assert exact.count == truth
    assert not few_bits.exact
    assert few_bits.count == pytest.approx(truth, rel=0.02)


def test_relabelled_graphs_have_the_same_edges_elsewhere() -> None:
    graph, places = build("star:w=2", 30).union, np.random.RandomState(3).permutation(30)
    turned = relabel(graph, places)
    edges = {(places[i], places[k]) for i in range(30) for k in turned.keys(i).tolist()}
    assert edges == set(zip(graph.queries.tolist(), graph.indices.tolist(), strict=True))
    with pytest.raises(InputError, match="permutation"):
        relabel(graph, np.zeros(30, dtype=np.int64))


@pytest.mark.parametrize(
    ("vectors", "graphs", "message"),
    [
        (np.eye(4), build("window", 5).patterns, "the graph has 5 tokens, but there are 4 vectors"),
        (np.eye(4), build("window:w=1", 4).patterns, "token 0 has no neighbour but itself"),
        (np.eye(4), build("window:causal=1", 4).patterns, "token 0 has no neighbour but itself"),
        (
            np.eye(3),
            [AttentionGraph.from_csr([0, 1, 1, 2], [1, 0])],
            "token 1 has no neighbour but itself",
        ),
        (np.eye(4), [], "layers need a graph"),
        (np.eye(1), build("window", 1).patterns, "a single vector"),
        (np.full((2, 1), np.nan), build("window", 2).patterns, "row 0, column 0 is nan"),
        (np.eye(4), lambda _t: build("window", 5).union, "the graph has 5 tokens"),
    ],
)
def test_what_is_refused(vectors: Numbers, graphs: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        furthest_layers(vectors, graphs)


def test_options_are_checked() -> None:
    graphs = build("window", 4).patterns
    with pytest.raises(InputError, match="layers must be a whole number of at least 1, not 0"):
        furthest_layers(np.eye(4), graphs, layers=0)
    with pytest.raises(InputError, match="threads must be a whole number of at least 1, not 0"):
        furthest_layers(np.eye(4), graphs, threads=0)


def test_a_goal_a_stop_and_progress() -> None:
    graphs = build("window:w=3", 30).patterns
    vectors = np.arange(30.0)[:, None]
    seen: list[float | None] = []
    found = furthest_layers(
        vectors,
        graphs,
        layers=50,
        goal=lambda held: bool(held[15] == 0),
        until=0.5,
        progress=lambda moment: seen.append(moment.share),
    )
    reached = [layer.reached for layer in found.layers]
    assert reached == sorted(reached)
    assert (found.layers[-1].recall or 0) >= 0.5 > (found.layers[-2].recall or 0)
    assert seen == [(t + 1) / 50 for t in range(len(found.layers))]
    blind = furthest_layers(vectors, graphs, layers=2, against_full=False)
    assert [layer.recall for layer in blind.layers] == [None, None]
    assert blind.needed(0.5) is None
