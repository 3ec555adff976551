"""The needs that a sparse mask lets through: tokens that reach others, and summaries of blocks."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from samapprox.attention.graphs.distance import MOST_FOLLOWED, follow
from samapprox.attention.graphs.graph import AttentionGraph
from samapprox.attention.graphs.heads import SparseAttention
from samapprox.attention.reasoning.locality.dependencies import require_needs
from samapprox.errors import CertificateError, InputError
from samapprox.support.arrays import flags_at
from samapprox.support.parameters import require


def wrong_step(
    needs: AttentionGraph, attention: SparseAttention, paths: NDArray[np.int32]
) -> str | None:
    """Check paths by the edges of the mask; return what is wrong, or None.

    O(P log E) for P steps and E edges of the mask; no code is shared with the search.

    >>> from samapprox.attention.graphs import build
    >>> needs = AttentionGraph.from_csr([0, 0, 0, 0, 1], [0])
    >>> mask = build("window:w=3", 4)
    >>> wrong_step(needs, mask, np.array([[0, 1, 2]], dtype=np.int32))
    >>> wrong_step(needs, mask, np.array([[0, 2, 2]], dtype=np.int32))
    'need (3, 0): position 2 does not attend to position 0 in layer 0'
    """
    met = np.flatnonzero(paths[:, 0] >= 0)
    tokens, keys, walked = needs.queries[met], needs.indices[met], paths[met]
    amiss = np.flatnonzero((walked[:, 0] != keys) | (walked[:, -1] != tokens - 1))
    if amiss.size:
        at = amiss[0]
        return (
            f"need ({tokens[at]}, {keys[at]}): the path leads from {walked[at, 0]} to "
            f"{walked[at, -1]}"
        )
    for layer in range(paths.shape[1] - 1):
        before, after = walked[:, layer], walked[:, layer + 1]
        fine = before == after
        for graph in attention.layer(layer):
            fine |= (before <= after) & _are_edges(graph, after, before)
        if not fine.all():
            at = int(np.argmin(fine))
            return (
                f"need ({tokens[at]}, {keys[at]}): position {after[at]} does not attend to "
                f"position {before[at]} in layer {layer}"
            )
    return None


def _are_edges(
    graph: AttentionGraph, queries: NDArray[np.int32], keys: NDArray[np.int32]
) -> NDArray[np.bool_]:
    """Return for each pair whether it is an edge, by bisection."""
    edges = graph.queries.astype(np.int64) * graph.n + graph.indices  # ascending
    pairs = queries.astype(np.int64) * graph.n + keys
    found: NDArray[np.bool_] = np.append(edges, -1)[np.searchsorted(edges, pairs)] == pairs
    return found


def reached_positions(attention: SparseAttention, token: int, layers: int) -> NDArray[np.bool_]:
    """Return which positions a token reaches within so many layers, shape (n,).

    O(layers edges), by plain boolean steps.
    """
    reached = flags_at(token, attention.n)
    for layer in range(layers):
        before = reached.copy()
        for graph in attention.layer(layer):
            back = graph.indices <= graph.queries
            reached[graph.queries[back & before[graph.indices]]] = True
    return reached


MOST_LAYERS = 10_000
"""The limit of the number of layers."""

MOST_ROWS = 1 << 25
"""Positions before each layer together, 64 bytes each."""

MOST_PLACES = 1 << 26
"""Positions on all paths together, 4 bytes each."""


@dataclass(frozen=True, slots=True, eq=False)
class Hearing:
    """For every need, a path through the layers, or that there is none.

    Token i is the output at position i - 1, so the tokens that it needs must reach that position.

    Attributes
    ----------
    needs : AttentionGraph
        The graph whose edges are looked for.
    layers : int
        The number of layers of the mask.
    paths : ndarray of int32, shape (edges, layers + 1)
        For the edge (i, j) of `needs`, in their order: the position that holds token j before each
        layer and after the last, from j to i - 1. All -1 if j cannot reach i - 1.
    """

    needs: AttentionGraph
    layers: int
    paths: NDArray[np.int32]

    @property
    def missing(self) -> NDArray[np.int64]:
        """The needs that are not met, as pairs (i, j), ascending, shape (k, 2)."""
        lost = np.flatnonzero(self.paths[:, 0] < 0)
        pairs = (self.needs.queries[lost], self.needs.indices[lost])
        return np.column_stack(pairs).astype(np.int64)

    @property
    def depth(self) -> int:
        """The least number of layers after which all needs are met that are met at all."""
        arrived = self.paths == self.paths[:, -1:]  # a path waits where it ends, not before
        return int((~arrived).sum(axis=1).max(initial=0))

    @property
    def complete(self) -> bool:
        """Whether every generated token is reached by all that it needs."""
        return not len(self.missing)


def hear(needs: AttentionGraph, attention: SparseAttention, layers: int) -> Hearing:
    """Find a path from every needed token to the position that computes from it.

    Layer t uses the patterns of layer t of the mask, all heads together, under causal attention. A
    position keeps what it has (the residual connection), even if its mask has no self-loop.

    Parameters
    ----------
    needs : AttentionGraph
        On n tokens.
    attention : SparseAttention
        A mask on n positions; keys after the query are ignored.
    layers : int
        1 to `MOST_LAYERS`.

    Returns
    -------
    Hearing
        A path for each need, or that there is none.

    Raises
    ------
    InputError
        See `require_needs`; a mask of another size, no layer, or too many of them.
    CertificateError
        The independent check of the paths, or of the first missing need, failed: a bug.

    Notes
    -----
    O(layers n (n + edges of the mask) / 64) and O(layers) steps per need. 512 tokens are followed
    at a time, as in `samapprox.attention.graphs.distance`.

    Examples
    --------
    >>> from samapprox.attention.graphs import build
    >>> needs = AttentionGraph.from_csr([0, 0, 0, 0, 0, 1], [0])
    >>> hear(needs, build("window:w=3", 5), 3).paths.tolist()
    [[0, 1, 2, 3]]
    >>> hear(needs, build("window:w=3", 5), 2).missing.tolist()
    [[4, 0]]
    """
    require_needs(needs)
    require(
        1 <= layers <= MOST_LAYERS,
        f"the number of layers must be in 1..{MOST_LAYERS}, not {layers}",
    )
    if attention.n != needs.n:
        raise InputError(f"the mask has {attention.n} positions, but there are {needs.n} tokens")
    if needs.edges * (layers + 1) > MOST_PLACES:
        raise InputError(
            f"the paths of {needs.edges} needs through {layers} layers have more than "
            f"{MOST_PLACES} places; take fewer layers"
        )
    if needs.n * (layers + 1) > MOST_ROWS:
        raise InputError(
            f"{needs.n} positions in {layers} layers are more than {MOST_ROWS} in all; "
            "take fewer layers"
        )
    graphs = attention.causal().by_layer()
    paths = np.full((needs.edges, layers + 1), -1, dtype=np.int32)
    for start in range(0, needs.n, MOST_FOLLOWED):
        here = (needs.indices >= start) & (needs.indices < start + MOST_FOLLOWED)
        edges = np.flatnonzero(here)
        if edges.size:
            paths[edges] = _trace(needs, edges, graphs, layers, start)
    found = Hearing(needs, layers, paths)
    _confirm(found, attention)
    return found


def _confirm(found: Hearing, attention: SparseAttention) -> None:
    """Require that all paths are paths of the mask, and that the first missing need has none."""
    wrong = wrong_step(found.needs, attention, found.paths)
    if wrong is None and not found.complete:
        token, need = found.missing[0].tolist()
        if reached_positions(attention, need, found.layers)[token - 1]:
            wrong = f"need ({token}, {need}) has a path, but none was found"
    if wrong is not None:
        raise CertificateError(wrong)


def _trace(
    needs: AttentionGraph,
    edges: NDArray[np.int64],
    graphs: tuple[AttentionGraph, ...],
    layers: int,
    start: int,
) -> NDArray[np.int32]:
    """Return the paths of the needs of tokens start, start + 1, .. of some words."""
    from samapprox.attention.graphs.kernels import step_back

    tokens = np.arange(start, min(needs.n, start + MOST_FOLLOWED))
    heard = _follow(graphs, tokens, layers)
    sources = needs.indices[edges].astype(np.int64) - start
    paths = np.empty((len(edges), layers + 1), dtype=np.int32)
    paths[:, layers] = needs.queries[edges] - 1
    bits = np.uint64(1) << (sources % 64).astype(np.uint64)
    met = (heard[layers][paths[:, layers], sources // 64] & bits) != 0
    for layer in range(layers - 1, -1, -1):
        graph = graphs[layer % len(graphs)]
        at, previous = paths[:, layer + 1].copy(), np.empty(len(edges), dtype=np.int32)
        step_back(graph.indptr, graph.indices, heard[layer], sources, at, previous)
        paths[:, layer] = previous
    paths[~met] = -1
    return paths


def _follow(
    graphs: tuple[AttentionGraph, ...], tokens: NDArray[np.int64], layers: int
) -> list[NDArray[np.uint64]]:
    """Return which of some tokens reach each position: before each layer, and after the last."""
    followed = follow(graphs, tokens)
    _, before, after = next(followed)
    heard = [before.copy(), after.copy()]  # their rows are overwritten two layers later
    return heard + [after.copy() for _, _, after in islice(followed, layers - 1)]


Tokens = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Crowd:
    """Values that together have few summary tokens, which is why each of these must carry many.

    Attributes
    ----------
    first, last : int
        The first and the last of the values.
    values : int
        The far values among the tokens `first` .. `last`.
    carriers : int
        The summary tokens that any of them can reach in time.
    """

    first: int
    last: int
    values: int
    carriers: int


@dataclass(frozen=True, slots=True, eq=False)
class SummaryLoad:
    """The values that must pass summary tokens, and the least load that this means.

    Attributes
    ----------
    reach : int
        Windows alone carry a value this far through all layers.
    far : ndarray of int64, shape (values,)
        Tokens that some step further away needs.
    lost : ndarray of int64
        Those of `far` that can reach no summary token in time: they cannot reach the step.
    blocks : ndarray of int64, shape (ceil(n / b),)
        The number of far values in each block.
    load : int
        In every way to pass on the far values that are not lost, some summary token carries at
        least so many of them; and in some way none carries more.
    crowd : Crowd or None
        The proof that `load` cannot be less: values / carriers, rounded up. None if no value is
        passed on.
    """

    reach: int
    far: Tokens
    lost: Tokens
    blocks: NDArray[np.int64]
    load: int
    crowd: Crowd | None


def summary_load(
    needs: AttentionGraph, *, layers: int, b: int = 16, k: int = 1, c: int = 1
) -> SummaryLoad:
    """Find the least load of the summary tokens of `block_sparse(n, b, k, c)`.

    A step reads from position i - 1. Through M layers, windows alone carry a value k b - 1
    positions a layer. A value that is needed further away must be read from a summary token, one of
    the last c of a block, which it must reach before the last layer: within (M - 1)(k b - 1)
    positions. Conversely, every later position reads every summary token.

    Parameters
    ----------
    needs : AttentionGraph
        An edge (i, j) means that token i is computed from token j.
    layers : int
        M, at least 1.
    b, k, c : int
        As in `samapprox.attention.graphs.masks.block_sparse`.

    Returns
    -------
    SummaryLoad
        The load, and the summary tokens and values that show that it cannot be less.

    Raises
    ------
    InputError
        See `require_needs`; a parameter out of range.

    Notes
    -----
    The carriers of a value are an interval of summary tokens, whose ends grow with the value. By
    Hall's theorem, load w suffices unless some interval of carriers has more than w times as many
    values that no other carrier serves; the greatest ratio is taken over intervals that begin with
    the carriers of one value and end with those of another. O(n + edges + (c n / b)^2).

    The load counts the values that must reach a summary token. It bounds what the token
    stores if the steps need the values themselves, and not, say, their maximum.

    References
    ----------
    Yang et al. (2024), Eq. 6 and Theorem B.6.

    Examples
    --------
    >>> needs = AttentionGraph.from_csr([0] * 24 + [12], list(range(12)))
    >>> found = summary_load(needs, layers=2, b=4)
    >>> found.reach, found.blocks.tolist(), found.load
    (6, [4, 4, 4, 0, 0, 0], 4)
    >>> found.crowd
    Crowd(first=0, last=3, values=4, carriers=1)
    """
    require_needs(needs)
    require(layers >= 1, f"the number of layers must be at least 1, not {layers}")
    require(b >= 1, f"b (tokens of a block) must be at least 1, not {b}")
    require(k >= 1, f"k (blocks behind a query) must be at least 1, not {k}")
    require(0 <= c <= b, f"c (summary tokens of a block) must be in 0..{b}, not {c}")
    step = k * b - 1
    is_far = needs.queries - 1 - needs.indices > layers * step
    far: Tokens = np.unique(needs.indices[is_far]).astype(np.int64)
    blocks = np.bincount(far // b, minlength=-(-needs.n // b))
    tokens = np.arange(needs.n)
    summaries = np.flatnonzero(tokens % b >= b - c)
    lowest = np.searchsorted(summaries, far)
    beyond = np.searchsorted(summaries, far + (layers - 1) * step, side="right")
    lost = lowest == beyond
    crowd = _crowd(far[~lost], lowest[~lost], beyond[~lost])
    load = 0 if crowd is None else -(-crowd.values // crowd.carriers)
    return SummaryLoad(layers * step, far, far[lost], blocks, load, crowd)


def _crowd(values: Tokens, lowest: Tokens, beyond: Tokens) -> Crowd | None:
    """Find values in a row with the greatest number of them per carrier.

    The carriers of a value are ``lowest``, .., ``beyond`` - 1; both ascend with the value.
    """
    if not values.size:
        return None
    firsts = np.flatnonzero(np.diff(lowest, prepend=-1))  # the first value of each lowest carrier
    best = Crowd(int(values[0]), int(values[0]), 1, int(beyond[0] - lowest[0]))
    for last in np.flatnonzero(np.diff(beyond, append=beyond[-1] + 1)).tolist():
        starts = firsts[firsts <= last]
        counts, carriers = last + 1 - starts, beyond[last] - lowest[starts]
        place = int(np.argmax(counts / carriers))
        if counts[place] * best.carriers > best.values * carriers[place]:
            best = Crowd(
                int(values[starts[place]]),
                int(values[last]),
                int(counts[place]),
                int(carriers[place]),
            )
    return best
