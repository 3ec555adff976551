"""Task 1 on attention graphs: tokens relay the furthest vector they have met.

Every token holds a candidate, at first none. In a layer it compares its own vector with those of
its neighbours (the keys it attends to) and with the candidates that these held when the layer
began, and keeps the furthest of all, its old candidate included. Comparisons are those of real
numbers: rounding only decides where it cannot err, the rest is looked at in whole numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from samapprox.attention.vectors.kernels import load_kernel
from samapprox.attention.vectors.near_ties import Rows, furthest_of, near_limit
from samapprox.attention.vectors.relay_numpy import pairs_met, split_tokens
from samapprox.errors import InputError, abridge, require_list, require_whole
from samapprox.support.arrays import Indices, Tokens
from samapprox.support.parallel import cores, run_tasks
from samapprox.vectors import as_vectors

_TASK = 1 << 16  # edges that a thread takes at a time
_ITSELF: Tokens = np.empty(0, dtype=np.int32)


class Graph(Protocol):
    """Compressed sparse rows: the keys of query i are ``indices[indptr[i]:indptr[i + 1]]``."""

    @property
    def indptr(self) -> NDArray[np.int64]:
        """Shape (n + 1,)."""

    @property
    def indices(self) -> NDArray[np.int32]:
        """Shape (edges,)."""


Graphs = Sequence[Graph] | Callable[[int], Graph]
"""The graphs that layers cycle through; or the graph of layer t = 0, 1, .., each another one."""


@dataclass(frozen=True, slots=True, eq=False)
class LayerDone:
    """The work of one layer.

    Attributes
    ----------
    graph : Graph
        That of the layer.
    shown : list of ndarray of int32
        What each token showed to those that attend to it, one thing after the other: its candidate
        (-1: none, or none that is new to them); of length 0: itself.
    replaced : ndarray of int64
        The tokens that took another candidate.
    near_ties : int
        The number of tokens that rounding left open, which were compared exactly.
    """

    graph: Graph
    shown: list[Tokens]
    replaced: Indices
    near_ties: int


class Relay:
    """Relay tokens and what they hold, layer after layer.

    Attributes
    ----------
    held : ndarray of int32, shape (n,)
        The candidates; -1 where a token has met no other yet.
    layer : int
        Layers done.
    changed : ndarray of int32, shape (n,)
        The layer (0, 1, ..) in which each token took its candidate, -1 for none.

    Parameters
    ----------
    vectors : array_like of float, shape (n, d)
        One for each token; of any norms.
    graphs : sequence of graphs or callable
        See `Graphs`; all on n tokens.
    threads : int, optional
        By default all cores; the answer is the same.

    Raises
    ------
    InputError
        Not vectors, graphs of another size, or a token with no neighbour but itself (named).

    Notes
    -----
    O(d) an edge and layer, twice that in layers whose graph is new. Vectors of a graph that has
    come before, and candidates that have not changed since, are not compared again: it would
    change nothing. A copy of the vectors and O(n) memory.

    References
    ----------
    Zaheer et al. (2020), "Big Bird: Transformers for Longer Sequences", section 3.4, Task 1.

    Examples
    --------
    >>> from samapprox.attention.graphs import build
    >>> relay = Relay([[0.0], [1.0], [2.0], [4.0]], build("window:w=3", 4).patterns)
    >>> for _ in range(2):
    ...     _ = relay.step()
    ...     print(relay.held.tolist())
    [1, 0, 3, 2]
    [1, 3, 0, 2]
    """

    def __init__(self, vectors: ArrayLike, graphs: Graphs, *, threads: int | None = None) -> None:
        self._vectors = as_vectors(vectors)
        if not callable(graphs):
            require_list("graphs", graphs, "graphs")
            graphs = list(graphs)
        self._graphs = graphs
        if threads is not None:
            require_whole("threads", threads, 1)
        self._threads = threads or cores()
        n = len(self._vectors)
        if not callable(graphs):
            _require_neighbours(graphs, n)
        self._rows = Rows.of(self._vectors)
        self.held: Tokens = np.full(n, -1, dtype=np.int32)
        self.changed: Tokens = np.full(n, -1, dtype=np.int32)
        self.layer = 0
        self._squares = np.full(n, -np.inf, dtype=self._rows.values.dtype)

    @property
    def period(self) -> int | None:
        """The number of layers after which the graphs repeat; None: never."""
        return None if callable(self._graphs) else len(self._graphs)

    @property
    def settled(self) -> bool:
        """Whether no further layer can change a candidate."""
        period = self.period
        return period is not None and self.layer - 1 - int(self.changed.max()) >= period

    def step(self) -> LayerDone:
        """Run one layer.

        Raises
        ------
        InputError
            A graph of another size, where each layer has its own.
        """
        graph, fresh = self._graph(), self.period is None or self.layer < self.period
        before = self.held
        shown = [_ITSELF] * fresh + [self._news(fresh)] * (self.layer > 0)
        kernel = load_kernel("relay", len(shown) * len(graph.indices) * self._rows.values.shape[1])
        best, squares = before.copy(), self._squares
        second = np.full_like(squares, -np.inf)
        for what in shown:
            self._meet(kernel, graph, what, squares, second, best)
        limits = near_limit(squares.astype(np.float64), self._rows)
        near = np.flatnonzero((second >= limits) & (best >= 0))
        for part in split_tokens(graph.indptr, near):
            self._settle(graph, before, shown, part, limits, best)
        replaced = np.flatnonzero(best != before)
        self.changed[replaced] = self.layer
        self.held = best
        self.layer += 1
        return LayerDone(graph, shown, replaced, len(near))

    def _graph(self) -> Graph:
        """Return the graph of this layer."""
        if not callable(self._graphs):
            return self._graphs[self.layer % len(self._graphs)]
        graph = self._graphs(self.layer)
        _require_neighbours([graph], len(self._vectors))
        return graph

    def _news(self, fresh: bool) -> Tokens:
        """Return the candidates; on a repeated graph, only those that are new since."""
        if fresh or self.period is None:
            return self.held
        return np.where(self.changed < self.layer - self.period, np.int32(-1), self.held)

    def _meet(
        self,
        kernel: Any,
        graph: Graph,
        shown: Tokens,
        squares: NDArray[Any],
        second: NDArray[Any],
        best: Tokens,
    ) -> None:
        """Make all comparisons of one kind, by threads."""
        tasks = max(1, len(graph.indices) // _TASK)
        shares = np.linspace(0, len(graph.indices), tasks + 1).astype(np.int64)
        bounds = np.searchsorted(graph.indptr[:-1], shares[1:-1])
        bounds = np.concatenate(([0], bounds, [len(best)]))
        arguments = self._rows.values, graph.indptr, graph.indices, shown

        def work(_thread: int, task: int) -> None:
            kernel.meet(*arguments, int(bounds[task]), int(bounds[task + 1]), squares, second, best)

        run_tasks(tasks, work, threads=self._threads)

    def _settle(
        self,
        graph: Graph,
        before: Tokens,
        shown: list[Tokens],
        tokens: Indices,
        limits: NDArray[np.float64],
        best: Tokens,
    ) -> None:
        """Find the furthest of keys that rounding cannot separate; ties to the least index."""
        holding = tokens[before[tokens] >= 0]
        queries, keys = [holding], [before[holding]]
        for what in shown:
            query, key = pairs_met(graph.indptr, graph.indices, what, tokens)
            near = self._rows.squares(query, key) >= limits[query]
            queries.append(query[near])
            keys.append(key[near])
        n = len(best)
        met: Indices = np.unique(np.concatenate(queries) * n + np.concatenate(keys))
        query, candidates = np.divmod(met, n)
        place = np.searchsorted(tokens, query)
        best[tokens] = furthest_of(self._vectors, self._vectors, tokens, place, candidates)
        self._squares[tokens] = self._rows.squares(tokens, best[tokens])


def _require_neighbours(graphs: Sequence[Graph], n: int) -> None:
    """Refuse graphs of another size, and tokens that would never meet another."""
    if not graphs:
        raise InputError("layers need a graph; there is none")
    alone = np.ones(n, dtype=np.bool_)
    for graph in graphs:
        if not hasattr(graph, "indptr"):
            raise InputError(f"a graph must be an AttentionGraph, not {abridge(graph)}")
        tokens = len(graph.indptr) - 1
        if tokens != n:
            raise InputError(f"the graph has {tokens} tokens, but there are {n} vectors")
        degrees = np.diff(graph.indptr)
        query = np.repeat(np.arange(n, dtype=np.int32), degrees)
        loops = np.bincount(query[graph.indices == query], minlength=n)
        alone &= degrees == loops
    if alone.any():
        raise InputError(
            f"token {int(alone.argmax())} has no neighbour but itself; every token must attend to "
            "another one"
        )
