"""Random matrices of fractions and random masks for layers."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from samapprox.attention.graphs.graph import AttentionGraph

Matrix = NDArray[Any]


def fractions(rng: np.random.RandomState, *shape: int) -> Matrix:
    """Random small fractions."""
    entries = [
        Fraction(int(a), int(b))
        for a, b in zip(rng.randint(-6, 7, 999), rng.randint(1, 5, 999), strict=True)
    ]
    return np.array(entries[: int(np.prod(shape))], dtype=object).reshape(shape)


def random_graph(rng: np.random.RandomState, n: int) -> AttentionGraph:
    """A random mask in which every token has a key."""
    mask = (rng.rand(n, n) < 0.5) | np.eye(n, dtype=bool)
    mask[0] = rng.rand(n) < 0.5  # no loop is needed to run a layer, but a key is
    mask[0, rng.randint(n)] = True
    starts = np.concatenate(([0], mask.sum(axis=1).cumsum()))
    return AttentionGraph.from_csr(starts, np.nonzero(mask)[1])
