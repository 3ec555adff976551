"""Distances between tokens, and other numbers that describe a mask."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from itertools import cycle
from typing import Any

import numpy as np
from numpy.typing import NDArray

from samapprox.attention.graphs.graph import AttentionGraph
from samapprox.attention.graphs.heads import SparseAttention
from samapprox.attention.graphs.pieces import self_loops
from samapprox.support.documents import document_head

MOST_STEPS = 2_000_000_000
"""Steps of an exact search; a few seconds of one thread."""

_WORDS = 8  # words of 64 keys that are followed at a time: one cache line of a token's row

MOST_FOLLOWED = 64 * _WORDS
"""Keys that are followed at a time."""


@dataclass(frozen=True, slots=True)
class Hops:
    """The number of layers, or edges, until every token reaches every other."""

    lower: int
    upper: int
    pair: tuple[int, int]  # a query and a key that it has not reached after lower - 1

    @property
    def exact(self) -> bool:
        """Whether the bounds meet."""
        return self.lower == self.upper


def word_steps(graph: AttentionGraph) -> int:
    """Count the steps of one layer in `layers_needed`."""
    return (graph.n + graph.edges) * -(-graph.n // 64)


def layers_needed(patterns: tuple[AttentionGraph, ...]) -> Hops:
    """Return the exact number of layers, in turns, until every token can reach every other.

    In each pattern all tokens must attend to themselves, and all must reach each other in the
    union; otherwise this never ends.
    """
    return max(
        (_followed(patterns, start) for start in range(0, patterns[0].n, MOST_FOLLOWED)),
        key=lambda hops: hops.lower,
    )


def _followed(patterns: tuple[AttentionGraph, ...], start: int) -> Hops:
    """Count the layers until all tokens reach the keys start, start + 1, .. of some words."""
    keys = np.arange(start, min(patterns[0].n, start + MOST_FOLLOWED))
    words, bits = place_bits(keys)
    full: NDArray[np.uint64] = np.zeros(_WORDS, dtype=np.uint64)
    np.bitwise_or.at(full, words, bits)
    layer, before, _ = next(step for step in follow(patterns, keys) if (step[2] == full).all())
    lacking = before != full
    query = int(np.argmax(lacking.any(axis=1)))
    if not lacking[query].any():  # a single token, which had reached itself before any layer
        return Hops(layer, layer, (query, query))
    word = int(np.argmax(lacking[query]))
    missing = int(full[word] & ~before[query, word])
    key = start + 64 * word + (missing & -missing).bit_length() - 1
    return Hops(layer, layer, (query, key))


def follow(
    patterns: tuple[AttentionGraph, ...], keys: NDArray[np.int64]
) -> Iterator[tuple[int, NDArray[np.uint64], NDArray[np.uint64]]]:
    """Yield each layer 1, 2, .. with the keys that each token reaches before it and after it.

    At most `MOST_FOLLOWED` consecutive keys, as rows of bits; tokens forget none. The rows of a
    layer are overwritten two layers later.
    """
    from samapprox.attention.graphs.kernels import advance

    words, bits = place_bits(keys)
    before = np.zeros((patterns[0].n, _WORDS), dtype=np.uint64)
    before[keys, words] = bits
    after = np.empty_like(before)
    for layer, graph in enumerate(cycle(patterns), 1):
        advance(graph.indptr, graph.indices, before, after)
        after |= before
        yield layer, before, after
        before, after = after, before


def place_bits(keys: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.uint64]]:
    """Return the word of each key in the rows of `follow`, and its bit there."""
    ranks = keys - keys[0]
    return ranks // 64, np.uint64(1) << (ranks % 64).astype(np.uint64)


def components(graph: AttentionGraph) -> NDArray[np.int32]:
    """Find the strongly connected component of every token, shape (n,); O(n + edges), by scipy."""
    from scipy.sparse.csgraph import connected_components

    _, label = connected_components(graph.to_sparse(), directed=True, connection="strong")
    return np.asarray(label, dtype=np.int32)


def unreachable(graph: AttentionGraph) -> tuple[int, int] | None:
    """Find a token and another that it never reaches; None if all tokens reach all.

    O(n + edges): what token 0 does not reach, or what does not reach token 0.
    """
    missed = np.flatnonzero(graph.depths(0) < 0)
    if missed.size:
        return 0, int(missed[0])
    missed = np.flatnonzero(graph.reverse().depths(0) < 0)
    return (int(missed[0]), 0) if missed.size else None


@dataclass(frozen=True, slots=True, eq=False)
class Hub:
    """The distances between the token with the most neighbours and all others."""

    token: int
    followers: AttentionGraph  # the reversed graph: the queries of each key
    from_hub: NDArray[np.int32]
    to_hub: NDArray[np.int32]

    @classmethod
    def of(cls, graph: AttentionGraph) -> Hub:
        """Search a graph in both directions from its hub. O(n + edges)."""
        followers = graph.reverse()
        token = int(np.argmax(graph.out_degrees + followers.out_degrees))
        return cls(token, followers, graph.depths(token), followers.depths(token))

    @property
    def reaches_all(self) -> bool:
        """Whether it reaches all tokens and they reach it, so that all reach all."""
        return bool((self.from_hub >= 0).all() and (self.to_hub >= 0).all())


def diameter(
    graph: AttentionGraph, most_steps: int = MOST_STEPS, hub: Hub | None = None
) -> Hops | None:
    """Find the greatest distance between two tokens, or bounds; None if some pair is unreachable.

    From a token v of many neighbours, the greatest distances e to and f from it give
    max(e, f) <= diameter <= e + f, and a graph that is not full has at least 2: with a relay token
    that is exact. Else O(n (n + edges)) by searches from all tokens, or O(n (n + edges) / 64) for
    each unit of the diameter by rows of bits, whichever is less.
    """
    hub = Hub.of(graph) if hub is None else hub
    if not hub.reaches_all:
        return None
    bounds = _through(graph, hub)
    by_words = bounds.upper * word_steps(graph)
    one_by_one = graph.n * (graph.n + graph.edges)
    if bounds.exact or min(by_words, one_by_one) > most_steps:
        return bounds
    if by_words < one_by_one:
        return layers_needed((graph.union(self_loops(graph.n)),))
    from samapprox.attention.graphs.kernels import farthest

    found = np.empty(graph.n, dtype=np.int32)
    length, source, target = farthest(graph.indptr, graph.indices, found)
    return Hops(int(length), int(length), (int(source), int(target)))


def _through(graph: AttentionGraph, hub: Hub) -> Hops:
    """Bound the diameter by the paths through one token; all must reach all."""
    out, back, relay = hub.from_hub, hub.to_hub, hub.token
    upper = int(out.max()) + int(back.max())
    lower, pair = max(
        (int(out.max()), (relay, int(np.argmax(out)))),
        (int(back.max()), (int(np.argmax(back)), relay)),
    )
    if lower == 1 and (apart := _not_adjacent(graph)) is not None:
        lower, pair = 2, apart
    if lower == 1:
        upper = 1
    return Hops(lower, upper, pair)


def _not_adjacent(graph: AttentionGraph) -> tuple[int, int] | None:
    """Find two distinct tokens without an edge."""
    others = graph.out_degrees.copy()
    others[graph.queries[graph.queries == graph.indices]] -= 1
    short = np.flatnonzero(others < graph.n - 1)
    if not short.size:
        return None
    query = int(short[0])
    missing = np.ones(graph.n, dtype=np.bool_)
    missing[graph.keys(query)] = missing[query] = False
    return query, int(np.argmax(missing))


@dataclass(frozen=True, slots=True)
class Degrees:
    """Least, mean and greatest of a count that every token has."""

    least: int
    mean: float
    greatest: int

    @classmethod
    def of(cls, counts: NDArray[np.int64]) -> Degrees:
        """Summarise the counts, shape (n,)."""
        return cls(int(counts.min()), float(counts.mean()), int(counts.max()))


@dataclass(frozen=True, slots=True)
class GraphFacts:
    """Size, degrees and connectedness of sparse attention; degrees and below of the union."""

    tokens: int
    edges: tuple[int, ...]  # the number of edges of every pattern
    union_edges: int
    sparsity: float  # see `SparseAttention.sparsity`
    keys_a_query: Degrees
    queries_a_key: Degrees
    without_loop: tuple[int, ...]  # for every pattern, how many tokens do not attend to themselves
    components: int  # strongly connected ones
    largest_component: int  # its tokens
    diameter: Hops | None  # None where some token never reaches another
    unreachable: tuple[int, int] | None  # such a token and the other

    def to_json(self, *, mask: str) -> dict[str, Any]:
        """Return the document of `graph info --json`: see `samapprox schema graph-info`."""
        return {**document_head("graph-info"), "mask": mask, **asdict(self)}


def graph_facts(attention: SparseAttention, most_steps: int = MOST_STEPS) -> GraphFacts:
    """Measure a mask.

    O(n + edges), and what `diameter` takes.
    """
    union: AttentionGraph = attention.union
    sizes = np.bincount(components(union))
    return GraphFacts(
        tokens=attention.n,
        edges=tuple(graph.edges for graph in attention.patterns),
        union_edges=union.edges,
        sparsity=attention.sparsity,
        keys_a_query=Degrees.of(union.out_degrees),
        queries_a_key=Degrees.of(union.in_degrees),
        without_loop=tuple(graph.without_loop.size for graph in attention.patterns),
        components=len(sizes),
        largest_component=int(sizes.max()),
        diameter=diameter(union, most_steps),
        unreachable=unreachable(union),
    )
