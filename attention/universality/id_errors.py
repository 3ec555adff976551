"""Errors of ids when a probability map replaces hardmax: all grid points, in mpmath."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from samapprox.attention.blocks.columns import Matrix
from samapprox.attention.graphs.heads import SparseAttention
from samapprox.attention.maps import Hardmax, ProbabilityMap
from samapprox.attention.universality.contextual import ContextualMapping
from samapprox.attention.universality.grid import Grid
from samapprox.attention.universality.softening import soften_layer
from samapprox.support.parameters import require

__all__ = [
    "MOST_SCORES",
    "LayerErrors",
    "all_points",
    "measure_errors",
    "require_few_scores",
    "working_bits",
]

MOST_SCORES = 1 << 17
"""Most scores of all inputs, layers and heads together, each of which costs microseconds."""


@dataclass(frozen=True, slots=True)
class LayerErrors:
    """The greatest difference of ids that a probability map makes, after each layer.

    Attributes
    ----------
    by_layer : tuple of mpf
        The maximum over all inputs and tokens, in units of delta.
    """

    by_layer: tuple[Any, ...]

    @property
    def last(self) -> Any:
        """The error of the whole mapping."""
        return self.by_layer[-1]


def working_bits(mapping: ContextualMapping) -> int:
    """Return a precision for which rounding errors stay far below delta.

    An error made in a layer grows by no more than the ids themselves until the last layer, so
    twice the bits of the greatest id suffice for both, with 64 bits to spare.

    Examples
    --------
    >>> from samapprox.attention.graphs import build
    >>> from samapprox.attention.universality import choose_route
    >>> from samapprox.attention.universality.construction import build_mapping
    >>> full = build("full", 2)
    >>> mapping = build_mapping(full, choose_route(full), d=1, steps=2)
    >>> mapping.greatest_id, working_bits(mapping)
    (90, 78)
    """
    return 2 * mapping.greatest_id.bit_length() + 64


def measure_errors(
    mapping: ContextualMapping,
    attention: SparseAttention,
    rho: ProbabilityMap,
    scales: Sequence[Any],
) -> LayerErrors:
    """Run every grid point with hardmax and with a probability map, and compare the ids.

    Parameters
    ----------
    mapping : ContextualMapping
    attention : SparseAttention
        That of the mapping.
    rho : ProbabilityMap
        With an exact form (`ProbabilityMap.apply_exact`).
    scales : sequence of numbers
        t of every layer.

    Returns
    -------
    LayerErrors

    Raises
    ------
    InputError
        Too many scores to compute, or a map without an exact form.

    Notes
    -----
    The ids of the hardmax mapping are integers and exact; those of the probability map are computed
    in mpmath with `working_bits`.

    Examples
    --------
    >>> from samapprox.attention.graphs import build
    >>> from samapprox.attention.universality import choose_route
    >>> from samapprox.attention.universality.construction import build_mapping
    >>> full = build("full", 2)
    >>> mapping = build_mapping(full, choose_route(full), d=1, steps=2)
    >>> from samapprox.attention.maps import Softmax
    >>> errors = measure_errors(mapping, full, Softmax(), [1000] * len(mapping.layers))
    >>> float(errors.last) < 1e-9
    True
    """
    import mpmath

    require_few_scores(mapping, attention)
    points = all_points(mapping)
    errors = []
    with mpmath.workprec(working_bits(mapping)):
        hard = points.astype(object)
        soft = np.frompyfunc(mpmath.mpf, 1, 1)(hard)
        for t, (layer, scale) in enumerate(zip(mapping.layers, scales, strict=True)):
            if layer.heads:
                softened = soften_layer(layer, mpmath.mpmathify(scale), mapping.encoding.steps)
                hard = layer.apply(hard, attention.layer(t), Hardmax())
                soft = softened.apply(soft, attention.layer(t), rho)
            errors.append(np.abs(mapping.ids(soft) - mapping.ids(hard)).max())
    return LayerErrors(tuple(errors))


def all_points(mapping: ContextualMapping) -> Matrix:
    """Return all grid points plus E, shape (d, inputs, n).

    Examples
    --------
    >>> from samapprox.attention.graphs import build
    >>> from samapprox.attention.universality import choose_route
    >>> from samapprox.attention.universality.construction import build_mapping
    >>> full = build("full", 2)
    >>> mapping = build_mapping(full, choose_route(full), d=1, steps=2)
    >>> all_points(mapping).shape
    (1, 4, 2)
    """
    encoding = mapping.encoding
    grid = Grid(encoding.n, encoding.d, encoding.steps)
    grid.require_enumerable()
    points = grid.points(0, grid.size) + encoding.positions
    return np.ascontiguousarray(points.transpose(1, 0, 2))


def require_few_scores(mapping: ContextualMapping, attention: SparseAttention) -> None:
    """Refuse a mapping whose scores would take minutes to compute.

    Raises
    ------
    InputError
    """
    encoding = mapping.encoding
    inputs = Grid(encoding.n, encoding.d, encoding.steps).size
    edges = sum(
        len(layer.heads) * max(graph.edges for graph in attention.layer(t))
        for t, layer in enumerate(mapping.layers)
    )
    require(
        edges * inputs <= MOST_SCORES,
        f"{inputs} inputs have {edges * inputs} scores in all layers; at most {MOST_SCORES} are "
        "computed: reduce n, d or 1 / delta",
    )
