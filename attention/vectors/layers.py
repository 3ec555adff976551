"""The error of attention on a graph against full attention on Task 1, layer by layer."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from samapprox.attention.vectors.kernels import load_kernel
from samapprox.attention.vectors.near_ties import Rows, furthest_of, near_limit, require_keys
from samapprox.attention.vectors.relay import Graph, Graphs, Relay
from samapprox.errors import (
    InputError,
    require_callback,
    require_flag,
    require_list,
    require_number,
    require_whole,
)
from samapprox.support.arrays import Floats, Indices, Tokens
from samapprox.support.parallel import report_parts
from samapprox.support.progress import OnProgress
from samapprox.vectors import as_vectors

Goal = Callable[[Indices], bool]

RECALLS = (0.5, 0.9, 0.99, 1.0)
"""For which documents say after how many layers they are reached."""

_MOST_BITS = 1 << 30


@dataclass(frozen=True, slots=True)
class LayerFigures:
    """The figures of all tokens after one layer.

    Attributes
    ----------
    layer : int
        1, 2, ..
    recall : float or None
        Share of tokens whose candidate is as far as their furthest vector; None where the answers
        are not known, as for the next two.
    mean_regret, worst_regret : float or None
        By how much distances fall short of the greatest ones.
    pairs : int
        Distinct unordered pairs of vectors compared so far.
    inner_products : int
        That the layers' attention has computed so far: for every edge one with the neighbour's
        vector, and from the second layer on one with its candidate.
    replaced : int
        Tokens that took another candidate.
    near_ties : int
        The number of tokens that rounding left open.
    reached : bool or None
        Whether what was sought has been found; None where nothing was.
    """

    layer: int
    recall: float | None
    mean_regret: float | None
    worst_regret: float | None
    pairs: int
    inner_products: int
    replaced: int
    near_ties: int
    reached: bool | None


@dataclass(frozen=True, slots=True, eq=False)
class Layers:
    """The results of the layers of relay tokens.

    Attributes
    ----------
    layers : tuple of LayerFigures
        Fewer than were asked for if no further layer could change anything.
    held : ndarray of int64, shape (n,)
        The candidates at the end, -1 for none.
    settled : bool
        Whether no further layer could change anything.
    possible_pairs : int
        n (n - 1) / 2.
    pairs_exact : bool
        Whether `LayerFigures.pairs` are exact rather than estimates.
    bound : float
        See `comparison_bound`.

    Examples
    --------
    >>> from samapprox.attention.graphs import build
    >>> found = furthest_layers([[0.0], [1.0], [2.0], [4.0]], build("window:w=3", 4).patterns)
    >>> [layer.recall for layer in found.layers], found.settled
    ([0.25, 0.5, 1.0, 1.0], True)
    """

    layers: tuple[LayerFigures, ...]
    held: Indices
    settled: bool
    possible_pairs: int
    pairs_exact: bool
    bound: float

    def needed(self, recall: float) -> int | None:
        """Return the number of layers after which the recall reached a share; None: never."""
        return next((row.layer for row in self.layers if (row.recall or 0.0) >= recall), None)

    def to_json(
        self, *, graph: str, edges: Sequence[int], pair: tuple[int, int] | None
    ) -> dict[str, Any]:
        """Return its part of `samapprox schema furthest-layers`.

        Parameters
        ----------
        graph : str
            Its name.
        edges : sequence of int
            Of each layer's graph.
        pair : (int, int) or None
            The orthogonal pair that was found.

        Returns
        -------
        dict
        """
        recalls = () if self.layers[-1].recall is None else RECALLS
        return {
            "graph": graph,
            "edges": list(edges),
            "bound": comparison_bound(len(self.held), edges),
            "possible_pairs": self.possible_pairs,
            "pairs_exact": self.pairs_exact,
            "settled": self.settled,
            "pair": None if pair is None else list(pair),
            "needed": [{"recall": share, "layers": self.needed(share)} for share in recalls],
            "layers": [asdict(layer) for layer in self.layers],
        }


def furthest_layers(
    vectors: ArrayLike,
    graphs: Graphs,
    *,
    layers: int = 16,
    answers: Indices | None = None,
    against_full: bool = True,
    goal: Goal | None = None,
    until: float | None = None,
    threads: int | None = None,
    progress: OnProgress | None = None,
) -> Layers:
    """Let tokens relay the furthest vector they have met, and measure every layer.

    Parameters
    ----------
    vectors : array_like of float, shape (n, d)
        One for each token, at least two; of any norms.
    graphs : sequence of graphs, or callable
        The layers cycle through the sequence (``[graph]``, or `SparseAttention.patterns`), or have
        the graph ``graphs(t)``, t = 0, 1, .. Anything with `indptr` and `indices` is a graph.
    layers : int
        At most so many.
    answers : ndarray of int, shape (n,), optional
        The furthest vector of each, where it is known already.
    against_full : bool
        Whether to find the answers that are not known (`furthest`).
    goal : callable, optional
        From candidates (a token's own index where it has none) to whether they hold what is sought.
    until : float, optional
        Stop at this recall.
    threads : int, optional
        By default all cores; the answer is the same.
    progress : callable, optional
        Called with a `Progress` after every layer, whose `LayerFigures` it has; what it raises
        stops it.

    Returns
    -------
    Layers
        Figures for each layer, and the candidates at the end.

    Raises
    ------
    InputError
        Not vectors, a single one, graphs of another size, or a token with no neighbour but itself.

    Notes
    -----
    n^2 d for the answers; O(edges d) a layer, see `Relay` for the rules. Recall takes O(d) for each
    candidate that changes; pairs take an entry for each comparison and n^2 / 16 bytes, at most
    128 MiB.

    References
    ----------
    Zaheer et al. (2020), "Big Bird: Transformers for Longer Sequences", Proposition 1.

    Examples
    --------
    >>> from samapprox.attention.graphs import build
    >>> vectors = [[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0]]
    >>> found = furthest_layers(vectors, build("star", 4).patterns)
    >>> found.layers[-1].recall, found.layers[-1].pairs, found.held.tolist()
    (1.0, 6, [2, 3, 0, 1])
    """
    given = as_vectors(vectors)
    n = len(given)
    if n == 1:
        raise InputError("a single vector has no furthest vector; give at least two")
    require_whole("layers", layers, 1)
    require_flag("against_full", against_full)
    require_callback("goal", goal)
    if until is not None:
        require_number("until", until)
    relay = Relay(given, graphs, threads=threads)
    if answers is None and against_full:
        from samapprox.attention.vectors.furthest_vectors import furthest

        answers = furthest(given, threads=threads).indices
    recall = None if answers is None else Recall(given, answers)
    pairs = PairCount(n)
    rows: list[LayerFigures] = []
    products, edges = 0, []
    while len(rows) < layers and not relay.settled:
        done = relay.step()
        for shown in done.shown:
            pairs.add(done.graph, shown)
        edges.append(len(done.graph.indices))
        products += edges[-1] * (1 + (relay.layer > 1))
        if recall is not None:
            recall.update(relay.held, done.replaced)
        held = np.where(relay.held < 0, np.arange(n), relay.held)
        rows.append(
            LayerFigures(
                layer=relay.layer,
                recall=None if recall is None else float(recall.right.mean()),
                mean_regret=None if recall is None else float((recall.regret / n).sum()),
                worst_regret=None if recall is None else float(recall.regret.max()),
                pairs=pairs.count,
                inner_products=products,
                replaced=len(done.replaced),
                near_ties=done.near_ties,
                reached=None if goal is None else goal(held),
            )
        )
        report_parts(progress, len(rows), layers, so_far=rows[-1])
        if until is not None and (rows[-1].recall or 0.0) >= until:
            break
    return Layers(
        layers=tuple(rows),
        held=relay.held.astype(np.int64),
        settled=relay.settled,
        possible_pairs=pairs.possible,
        pairs_exact=pairs.exact,
        bound=comparison_bound(n, edges if callable(graphs) else _edges(graphs)),
    )


def comparison_bound(n: int, edges: Sequence[int]) -> float:
    """Return n (n - 1) / (2 |E|), the layers until all pairs meet if every meeting is new.

    Parameters
    ----------
    n : int
        The number of tokens.
    edges : sequence of int
        Of the graphs that layers cycle through; |E| is their mean.

    Returns
    -------
    float
        A number of layers, not rounded.

    Examples
    --------
    >>> comparison_bound(1000, [8000])
    62.4375
    """
    require_list("edges", edges, "numbers of edges")
    counts = list(edges)
    for name, value in (("n", n), *(("a number of edges", count) for count in counts)):
        require_whole(name, value, 1)
        require_number(name, value)
    if not counts:
        raise InputError("the edges must be those of at least one graph")
    return n * (n - 1) / (2 * sum(counts) / len(counts))


def _edges(graphs: Graphs) -> list[int]:
    assert not callable(graphs)
    return [len(graph.indices) for graph in graphs]


class Recall:
    """A comparison of candidates with the true furthest vectors.

    `right`: shape (n,): Whether the candidate is as far as the furthest, exactly; equally far ones
    are right.
    `regret`: shape (n,): By how much the candidate's distance falls short of the greatest one: 0
    where it is right.

    O(n d); an update O(d) a token.
    """

    def __init__(self, vectors: ArrayLike, furthest: Indices) -> None:
        self._vectors = as_vectors(vectors)
        self._rows = Rows.of(self._vectors)
        require_keys("answers", furthest, len(self._vectors), len(self._vectors))
        self._furthest = np.asarray(furthest, dtype=np.int64)
        self._squares = self._rows.squares(np.arange(len(self._vectors)), self._furthest)
        self._least = near_limit(self._squares, self._rows, np.float64)
        self.right: NDArray[np.bool_] = np.zeros(len(self._vectors), dtype=np.bool_)
        self.regret: Floats = self._unscaled(np.sqrt(self._squares))

    def update(self, held: NDArray[np.integer], tokens: Indices) -> None:
        """Update the candidates (at least 0) of some tokens."""
        candidates, furthest = held[tokens].astype(np.int64), self._furthest[tokens]
        squares = self._rows.squares(tokens, candidates)
        right = candidates == furthest
        near = np.flatnonzero(~right & (squares >= self._least[tokens]))
        if len(near):
            # of equally far ones the candidate comes first, and is chosen
            both = np.column_stack((candidates[near], furthest[near])).ravel()
            place = np.repeat(np.arange(len(near)), 2)
            chosen = furthest_of(self._vectors, self._vectors, tokens[near], place, both)
            right[near] = chosen == candidates[near]
        short = np.sqrt(self._squares[tokens]) - np.sqrt(squares)
        short = self._unscaled(np.maximum(short, 0))
        self.right[tokens], self.regret[tokens] = right, np.where(right, 0.0, short)

    def _unscaled(self, lengths: Floats) -> Floats:
        """Return the lengths of the vectors themselves, capped at the greatest float."""
        with np.errstate(over="ignore", under="ignore"):
            return np.minimum(np.ldexp(lengths, self._rows.exponent), np.finfo(np.float64).max)


class PairCount:
    """A set of unordered pairs of the tokens 0..n-1 that knows its size.

    `possible`: n (n - 1) / 2.
    `exact`: Whether the count is exact; else it is an estimate.

    At most 128 MiB. With m bits, a share t = count / m of pairs is estimated with a standard
    deviation of sqrt(m (e^t - t - 1)): for up to 2^31 pairs, less than one in 10,000.

    Reference: Whang, Vander-Zanden, Taylor (1990), "A linear-time probabilistic counting algorithm
    for database applications".
    """

    def __init__(self, n: int, *, most_bits: int = _MOST_BITS) -> None:
        self.possible = n * (n - 1) // 2
        self.exact = self.possible <= most_bits
        self._places = max(1, self.possible) if self.exact else most_bits
        self._bits = np.zeros(-(-self._places // 64), dtype=np.uint64)
        self._set = 0

    def add(self, graph: Graph, shown: Tokens) -> None:
        """Enter the pairs of tokens and of what their neighbours show; see `LayerDone.shown`."""
        kernel = load_kernel("pair_count", len(graph.indices))
        self._set += kernel.count_pairs(
            graph.indptr, graph.indices, shown, self.exact, self._places - 1, self._bits
        )

    @property
    def count(self) -> int:
        """Return the number of distinct pairs entered, or an estimate."""
        if self.exact:
            return self._set
        free = max(self._places - self._set, 1)
        return min(self.possible, round(self._places * math.log(self._places / free)))
