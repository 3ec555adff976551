"""The universality theorem as one transformer: encoding, quantization, ids and values."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from samapprox.attention.blocks import FeedForward, Transformer
from samapprox.attention.blocks.columns import Matrix
from samapprox.attention.graphs.heads import SparseAttention
from samapprox.attention.universality.contextual import ContextualMapping, build_contextual
from samapprox.attention.universality.functions import check_function
from samapprox.attention.universality.grid import Grid
from samapprox.attention.universality.quantization import quantization_layers
from samapprox.attention.universality.routes import Method, Route, choose_route
from samapprox.attention.universality.values import ValueLayers
from samapprox.attention.universality.walk_shifts import plan_shifts
from samapprox.support.parameters import require

__all__ = ["Construction", "batches", "build_mapping", "build_universal"]

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
    grid : Grid
    function : ndarray of object, shape (grid points, d, n)
    route : Route
        The method, and the walk along which ids are shifted.
    quantization : tuple of FeedForward
    contextual : ContextualMapping
    values : ValueLayers
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

    Parameters
    ----------
    attention : SparseAttention
    route : Route
        By `choose_route`.
    d, steps : int
        As in `Grid`.
    beyond : int
        All ids are greater than this.

    Notes
    -----
    On a walk of T tokens there are p (T - 1) + s layers, as printed p (n - 1) / delta^d + s, and
    through a star with n leaves at most 2 n.

    Examples
    --------
    >>> from samapprox.attention.graphs import build
    >>> from samapprox.attention.universality.routes import choose_route
    >>> strided = build("strided:w=8", 64)
    >>> len(build_mapping(strided, choose_route(strided), d=2, steps=8).layers)
    129
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
    """Yield ranges of grid points that run through the layers together.

    Examples
    --------
    >>> list(batches(Grid(n=8, d=1, steps=4)))[-1]
    (61440, 65536)
    """
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
