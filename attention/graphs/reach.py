"""The number of layers until every token reaches every other one, by rows of bits."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from samapprox.attention.graphs.graph import AttentionGraph

__all__ = ["MOST_STEPS", "Hops", "layers_needed", "word_steps"]

MOST_STEPS = 2_000_000_000
"""Steps of an exact search; a few seconds of one thread."""

_WORDS = 8
"""Words of 64 keys that are followed at a time: one cache line of a token's row."""


@dataclass(frozen=True, slots=True)
class Hops:
    """The number of layers, or edges, until every token reaches every other.

    Attributes
    ----------
    lower, upper : int
        Equal where it is known.
    pair : (int, int)
        A query and a key that it has not reached after lower - 1.

    Examples
    --------
    >>> Hops(2, 4, (0, 5)).exact
    False
    """

    lower: int
    upper: int
    pair: tuple[int, int]

    @property
    def exact(self) -> bool:
        """Whether the bounds meet."""
        return self.lower == self.upper


def word_steps(graph: AttentionGraph) -> int:
    """Count the steps of one layer in `layers_needed`."""
    return (graph.n + graph.edges) * -(-graph.n // 64)


def layers_needed(patterns: tuple[AttentionGraph, ...]) -> Hops:
    """Find the least s such that every token reaches every other within s layers.

    Layers cycle through the patterns: the sets S_k^t of Yun et al. (2020), 3.2.

    Parameters
    ----------
    patterns : tuple of AttentionGraph
        All tokens must attend to themselves in each, and reach all tokens in their union; else this
        never ends.

    Returns
    -------
    Hops
        Exact.

    Notes
    -----
    O(s n (n + edges) / 64) time, O(n) memory: 512 keys are followed at a time.

    Examples
    --------
    >>> from samapprox.attention.graphs import build
    >>> layers_needed(build("fixed:w=4", 40).patterns).lower
    2
    """
    return max(
        (_followed(patterns, start) for start in range(0, patterns[0].n, 64 * _WORDS)),
        key=lambda hops: hops.lower,
    )


def _followed(patterns: tuple[AttentionGraph, ...], start: int) -> Hops:
    """Count the layers until all tokens reach the keys start, start + 1, .. of some words."""
    from samapprox.attention.graphs.kernels import advance

    n = patterns[0].n
    keys = np.arange(start, min(n, start + 64 * _WORDS))
    bits = np.uint64(1) << (keys % 64).astype(np.uint64)
    words = (keys - start) // 64
    full: NDArray[np.uint64] = np.zeros(_WORDS, dtype=np.uint64)
    np.bitwise_or.at(full, words, bits)
    before = np.zeros((n, _WORDS), dtype=np.uint64)
    before[keys, words] = bits
    after = np.empty_like(before)
    layer = 0
    while True:
        graph = patterns[layer % len(patterns)]
        advance(graph.indptr, graph.indices, before, after)
        layer += 1
        if (after == full).all():
            break
        before, after = after, before
    lacking = before != full
    query = int(np.argmax(lacking.any(axis=1)))
    if not lacking[query].any():  # a single token, which had reached itself before any layer
        return Hops(layer, layer, (query, query))
    word = int(np.argmax(lacking[query]))
    missing = int(full[word] & ~before[query, word])
    key = start + 64 * word + (missing & -missing).bit_length() - 1
    return Hops(layer, layer, (query, key))
