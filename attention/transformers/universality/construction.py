"""The universality theorem as one transformer.

Each method of the contextual mapping takes a walk of its own through the mask.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

import numpy as np

from samapprox.attention.graphs.distance import unreachable
from samapprox.attention.graphs.hamilton import hamiltonian_path
from samapprox.attention.graphs.heads import SparseAttention
from samapprox.attention.graphs.universality import contextual_blocks, star_centre
from samapprox.attention.graphs.walks import Walk, covering_walk, find_patterns
from samapprox.attention.transformers import FeedForward, Transformer
from samapprox.attention.transformers.columns import Matrix
from samapprox.attention.transformers.universality.contextual import (
    ContextualMapping,
    build_contextual,
    plan_shifts,
)
from samapprox.attention.transformers.universality.grid import Grid, check_function
from samapprox.attention.transformers.universality.value_layers import (
    ValueLayers,
    quantization_layers,
)
from samapprox.errors import InputError
from samapprox.support.parameters import require


def star_walk(attention: SparseAttention) -> Walk:
    """Return the walk from each token to the centre of a star and back: 2n - 1 tokens.

    Each pattern must contain the star: all tokens but the centre attend to themselves and to the
    centre, and the centre attends to them. The patterns may be in turn; a step then has the pattern
    of its layer. After every two layers every token can reach every other, so s = 2, and the
    contextual mapping has 2n layers.
    """
    order = attention.selectable
    centre = star_centre(order)
    if centre is None:
        raise InputError(
            "the mask contains no star: one token that attends to all others, and all others "
            "attend to it and to themselves"
        )
    leaves = [token for token in range(attention.n) if token != centre]
    if len(leaves) == 1:
        tokens = [centre, *leaves]
    else:
        tokens = [token for leaf in leaves for token in (centre, leaf)][1:]
    numbers = [0, *((t - 1) % attention.period for t in range(1, len(tokens)))]
    return Walk(np.array(tokens, dtype=np.int64), np.array(numbers, dtype=np.int64))


class Method(Enum):
    """Methods of the contextual mapping."""

    WALK = "walk"
    """Along a walk that visits all tokens, with one window for each step."""
    PRINTED = "printed"
    """As in Yun et al. (2020): along a Hamiltonian path, with one window for each value."""
    STAR = "star"
    """Through the centre of a star, which needs no self-loop: Zaheer et al. (2020)."""


@dataclass(frozen=True, slots=True, eq=False)
class Route:
    """A method with its walk."""

    method: Method
    walk: Walk


def choose_route(attention: SparseAttention, method: Method | None = None) -> Route:
    """Find the walk of a method, and check that the mask allows it.

    Parameters
    ----------
    attention : SparseAttention
        The masks of the layers.
    method : Method, optional
        WALK by default, and STAR where only the centre of a star has no self-loop.

    Returns
    -------
    Route
        The walk, and the method that it serves.

    Raises
    ------
    InputError
        A single token, a token that never hears of another, missing self-loops, no Hamiltonian path
        (PRINTED) or no star (STAR).

    Examples
    --------
    >>> from samapprox.attention.graphs import AttentionGraph, build
    >>> choose_route(build("window:w=3", 4)).walk.tokens.tolist()
    [0, 1, 2, 3]
    >>> star = SparseAttention((AttentionGraph.from_csr([0, 2, 4, 6], [1, 2, 0, 1, 0, 2]),))
    >>> choose_route(star).method
    <Method.STAR: 'star'>
    """
    require(attention.n >= 2, "the construction needs at least 2 tokens (Lemma 7), not 1")
    never = unreachable(attention.union)
    if never is not None:
        raise InputError(
            f"token {never[0]} never hears of token {never[1]}, so no transformer on this mask can "
            "compute every function; add edges"
        )
    lacking = sorted({int(k) for graph in attention.selectable for k in graph.without_loop})
    if method is None:
        centred = lacking and lacking == [star_centre(attention.selectable)]
        method = Method.STAR if centred else Method.WALK
    if method is Method.STAR:
        return Route(method, star_walk(attention))
    if lacking:
        names = ", ".join(map(str, lacking[:8])) + (", .." if len(lacking) > 8 else "")
        raise InputError(
            f"no self-loop at {names}: every token but the centre of a star must attend to itself "
            "in every pattern; add these self-loops"
        )
    walk = _hamiltonian if method is Method.PRINTED else covering_walk
    return Route(method, walk(attention))


def _hamiltonian(attention: SparseAttention) -> Walk:
    """Find a Hamiltonian path, as a walk."""
    tokens = hamiltonian_path(attention.union)
    if not isinstance(tokens, np.ndarray):
        raise InputError(f"no Hamiltonian path: {tokens}; take the construction walk instead")
    numbers = np.zeros_like(tokens)
    numbers[1:] = find_patterns(attention.selectable, tokens[1:], tokens[:-1])
    return Walk(tokens, numbers)


MOST_BITS = 1 << 33
"""Most bits of all ids of all grid points together."""

_BATCH = 1 << 15
"""Tokens that run through the layers at a time."""


@dataclass(frozen=True, slots=True, eq=False)
class Construction:
    """A transformer that computes a function on every grid point, exactly.

    Attributes
    ----------
    attention : SparseAttention
        The masks of its layers.
    grid : Grid
        The inputs, and their steps.
    function : ndarray of object, shape (grid points, d, n)
        The values of the function at all grid points.
    route : Route
        The method, and the walk along which ids are shifted.
    quantization : tuple of FeedForward
        The layers that round inputs to the grid.
    contextual : ContextualMapping
        The layers that give each token of each input an id of its own.
    values : ValueLayers
        The layers that map ids to values.
    """

    attention: SparseAttention
    grid: Grid
    function: Matrix
    route: Route
    quantization: tuple[FeedForward, ...]
    contextual: ContextualMapping
    values: ValueLayers

    @property
    def layers(self) -> int:
        """The number of all layers."""
        return len(self.quantization) + len(self.contextual.layers) + len(self.values)

    @property
    def printed_contextual(self) -> int | None:
        """Contextual layers of the printed construction along this walk; None if it is no path."""
        if not self.route.walk.is_path:
            return None
        grid, s = self.grid, self.contextual.all_max_layers
        return contextual_blocks(grid.n, grid.d, grid.steps, self.attention.period, s)

    @property
    def parameters(self) -> int:
        """The number of entries of E and of all weights and biases; identity layers have none."""
        rounding = sum(layer.parameters for layer in self.quantization)
        shifting = sum(layer.parameters for layer in self.contextual.layers)
        return self.grid.d * self.grid.n + rounding + shifting + self.values.parameters

    @property
    def id_bits(self) -> int:
        """The number of bits of the greatest id, in units of delta."""
        return max(int(number) for number in self.values.ids).bit_length()

    def transformer(self) -> Transformer:
        """Return the whole stack as a transformer on inputs in units of delta.

        Notes
        -----
        O(n / delta^(d n)) value layers in memory, and its forward pass runs every one on every
        token. `verify` runs the same stack without touching the tokens that a layer leaves alone.
        """
        values = (self.values.layer(i) for i in range(len(self.values)))
        return Transformer(
            (*self.quantization, *self.contextual.layers, *values),
            self.contextual.encoding.positions.astype(object),
        )


def build_universal(
    attention: SparseAttention,
    function: Matrix,
    d: int,
    steps: int,
    *,
    method: Method | None = None,
    guard: bool = True,
) -> Construction:
    """Build a transformer that computes a function on a grid: Lemma 3 of Yun et al. (2020).

    Parameters
    ----------
    attention : SparseAttention
        The masks of the layers.
    function : array_like, shape (grid points, d, n)
        The value for every grid point, in the order of `Grid.points`: integers, fractions, floats.
    d : int
        Embedding dimension.
    steps : int
        1 / delta.
    method : Method, optional
        See `choose_route`.
    guard : bool
        Whether all ids must be greater than every output. Without this guard, as in the paper, a
        later value layer can change an output again.

    Returns
    -------
    Construction
        Not verified: see `verify`.

    Raises
    ------
    InputError
        A bad function, a grid or ids that are too large, or a mask to which the construction does
        not apply.

    Notes
    -----
    O(points d n (layers + log(points))) operations on integers of `id_bits` bits.

    Examples
    --------
    >>> from samapprox.attention.graphs import build
    >>> swap = [[[b, a]] for a in range(2) for b in range(2)]
    >>> built = build_universal(build("full", 2), swap, d=1, steps=2)
    >>> len(built.quantization), len(built.contextual.layers), len(built.values)
    (4, 2, 8)
    """
    grid = Grid(attention.n, d, steps)
    grid.require_enumerable()
    exact = check_function(function, grid)
    scaled = steps * exact
    route = choose_route(attention, method)
    beyond = _greatest_output(scaled, steps) if guard else 0
    mapping = build_mapping(attention, route, d, steps, beyond=beyond)
    bits = mapping.greatest_id.bit_length()
    require(
        bits * grid.n * grid.size <= MOST_BITS,
        f"the ids have {bits} bits for each of {grid.n * grid.size} tokens; at most {MOST_BITS} "
        "bits in all are stored: reduce n, d or 1 / delta, or add edges to the mask",
    )
    return Construction(
        attention,
        grid,
        exact,
        route,
        quantization_layers(grid),
        mapping,
        _value_layers(attention, grid, mapping, scaled),
    )


def build_mapping(
    attention: SparseAttention, route: Route, d: int, steps: int, *, beyond: int = 0
) -> ContextualMapping:
    """Build the layers that give all tokens of all inputs different ids.

    On a walk of T tokens there are p (T - 1) + s layers, as printed p (n - 1) / delta^d + s, and
    through a star with n leaves at most 2 n.
    """
    printed = route.method is Method.PRINTED
    return build_contextual(
        attention,
        plan_shifts(attention.selectable, route.walk, d, steps),
        window_per_value=printed,
        padded=route.method is not Method.STAR,
        bound=attention.n * steps ** (attention.n * d + 1) if printed else None,
        beyond=beyond,
    )


def _greatest_output(scaled: Matrix, steps: int) -> int:
    """Return an integer of at least u^T y for every column y of the values, in units of delta."""
    weights = np.array([steps**row for row in range(scaled.shape[1])], dtype=object)
    greatest = max(np.einsum("i,pik->pk", weights, scaled).flat)
    return int(max(0, -(-greatest // 1))) + 1


def batches(grid: Grid) -> Iterator[tuple[int, int]]:
    """Yield ranges of grid points that run through the layers together."""
    step = max(1, _BATCH // grid.n)
    for start in range(0, grid.size, step):
        yield start, min(grid.size, start + step)


def _value_layers(
    attention: SparseAttention, grid: Grid, mapping: ContextualMapping, scaled: Matrix
) -> ValueLayers:
    """Build one value layer for every token of every grid point."""
    positions = mapping.encoding.positions[:, None, :]
    columns = [
        mapping.apply(grid.points(start, stop).transpose(1, 0, 2) + positions, attention)
        for start, stop in batches(grid)
    ]
    every = np.concatenate(columns, axis=1).reshape(grid.d, -1)
    targets = scaled.transpose(1, 0, 2).reshape(grid.d, -1)
    return ValueLayers.mapping(mapping.encoding.column_weights, every, targets)
