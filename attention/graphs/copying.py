"""The copying task: how many targets can have heard of their source after some layers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from samapprox.attention.graphs.graph import AttentionGraph
from samapprox.attention.graphs.heads import SparseAttention
from samapprox.support.parameters import require

__all__ = ["MOST_LAYERS", "SYMBOLS", "Copying", "accuracy_bound", "copying"]

SYMBOLS = 128
"""Symbols that the copied sequence is drawn from, uniformly and independently."""

MOST_LAYERS = 1000
"""The limit of the number of layers."""

_WORDS = 8
"""Words of 64 sources that are followed at a time: one cache line of a token's row."""


@dataclass(frozen=True, slots=True, eq=False)
class Copying:
    """The depth at which each target of the copying task hears of its source.

    The sequence is 0 s 0 s on the tokens 0..n-1. A target is a token n/2 + j of the second s, with
    the source j in 1..n/2-1; the second 0 is the same in all sequences and does not count.

    Attributes
    ----------
    tokens : int
        n.
    layers : int
        The depth up to which the targets were followed.
    autoregressive : bool
    depths : ndarray of int64, shape (n/2 - 1,)
        For the sources 1, 2, ..: the least number of layers after which the target can have heard
        of the source; 0 if that takes more than `layers`.

    Examples
    --------
    >>> from samapprox.attention.graphs import build
    >>> found = copying(build("fixed:w=16,heads=union", 256), layers=2)
    >>> found.heard(1), found.heard(2), float(found.accuracy(1))
    (8, 127, 0.0703125)
    """

    tokens: int
    layers: int
    autoregressive: bool
    depths: NDArray[np.int64]

    @property
    def targets(self) -> int:
        """The number of targets."""
        return len(self.depths)

    def heard(self, layers: int) -> int:
        """Count the targets that can have heard of their source after this many layers."""
        return int(np.count_nonzero((self.depths > 0) & (self.depths <= layers)))

    def share(self, layers: int) -> Fraction:
        """Return the share of these targets."""
        return Fraction(self.heard(layers), self.targets)

    def accuracy(self, layers: int) -> Fraction:
        """Return the `accuracy_bound` of models of this depth."""
        return accuracy_bound(self.share(layers))

    def unheard(self, layers: int) -> int | None:
        """Return the first target that cannot have heard of its source; None if all can have."""
        late = (self.depths == 0) | (self.depths > layers)
        return self.tokens // 2 + 1 + int(np.argmax(late)) if late.any() else None


def accuracy_bound(share: Fraction) -> Fraction:
    """Bound the expected accuracy if this share of the targets can have heard of their source.

    All others are independent of everything that their model's output depends on, so that every
    guess is right with probability 1 / `SYMBOLS`: f + (1 - f) / 128.

    Examples
    --------
    >>> accuracy_bound(Fraction(1, 127))
    Fraction(1, 64)
    """
    return share + (1 - share) / SYMBOLS


def copying(
    attention: SparseAttention,
    layers: int,
    *,
    autoregressive: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> Copying:
    """Follow the copying task of Yun et al. through the layers of sparse attention.

    Layers cycle through the patterns, the first layer with pattern 0. Every token keeps what it has
    heard, whether or not it attends to itself: the skip connection of each layer carries it on.

    Parameters
    ----------
    attention : SparseAttention
        On an even number of tokens, at least 4.
    layers : int
        The largest depth, 1 to `MOST_LAYERS`.
    autoregressive : bool
        Models predict the next token: the masks are restricted to the past, and a target is
        predicted at the token before it. Otherwise the second half is masked, and a target is
        predicted at its own place.
    progress : callable, optional
        Takes the number of parts that are done, and that of all parts.

    Returns
    -------
    Copying

    Raises
    ------
    InputError
        An odd number of tokens or less than 4, or a number of layers out of range.

    Notes
    -----
    O(layers n (n + edges) / 64) time and O(n) memory: 512 sources are followed at a time, until all
    of their targets have heard.

    References
    ----------
    Yun et al. (2020), 5.2, G.1 and H.1.

    Examples
    --------
    >>> from samapprox.attention.graphs import build
    >>> found = copying(build("star:w=16", 256), 4, autoregressive=True)
    >>> found.heard(4), found.unheard(4)
    (0, 129)
    """
    n = attention.n
    require(n % 2 == 0, f"the copying task needs an even number of tokens, not {n}")
    require(n >= 4, f"the copying task needs at least 4 tokens (0s0s), not {n}")
    require(1 <= layers <= MOST_LAYERS, f"layers must be in 1..{MOST_LAYERS}, not {layers}")
    masks = (attention.causal() if autoregressive else attention).by_layer()
    at = n // 2 - autoregressive
    starts = range(1, n // 2, 64 * _WORDS)
    found = []
    for part, start in enumerate(starts, 1):
        sources = np.arange(start, min(n // 2, start + 64 * _WORDS))
        found.append(_depths(masks, sources, sources + at, layers))
        if progress is not None:
            progress(part, len(starts))
    return Copying(n, layers, autoregressive, np.concatenate(found))


def _depths(
    masks: tuple[AttentionGraph, ...],
    sources: NDArray[np.int64],
    places: NDArray[np.int64],
    layers: int,
) -> NDArray[np.int64]:
    """Return the depths at which the places hear of their sources, at most 512 of them."""
    from samapprox.attention.graphs.kernels import advance

    ranks = sources - sources[0]
    words, bits = ranks // 64, np.uint64(1) << (ranks % 64).astype(np.uint64)
    before = np.zeros((masks[0].n, _WORDS), dtype=np.uint64)
    before[sources, words] = bits
    after = np.empty_like(before)
    found = np.zeros(len(sources), dtype=np.int64)
    for layer in range(1, layers + 1):
        mask = masks[(layer - 1) % len(masks)]
        advance(mask.indptr, mask.indices, before, after)
        after |= before
        found[(found == 0) & (after[places, words] & bits != 0)] = layer
        if found.all():
            break
        before, after = after, before
    return found
