"""The copying task: how many targets can depend on their source after some layers.

Tables 1 and 2 of Yun et al. (2020) have measured accuracies of this task; they stand here beside
what masks allow.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from samapprox.attention.graphs import build
from samapprox.attention.graphs.distance import MOST_FOLLOWED, follow, place_bits
from samapprox.attention.graphs.graph import AttentionGraph
from samapprox.attention.graphs.heads import SparseAttention
from samapprox.support.parameters import require
from samapprox.support.progress import OnProgress, Progress

SYMBOLS = 128
"""Symbols that the copied sequence is drawn from, uniformly and independently."""

MOST_LAYERS = 1000
"""The limit of the number of layers."""


@dataclass(frozen=True, slots=True, eq=False)
class Copying:
    """The depth at which each target of the copying task can reach its source.

    The sequence is 0 s 0 s on the tokens 0..n-1. A target is a token n/2 + j of the second s, with
    the source j in 1..n/2-1; the second 0 is the same in all sequences and does not count.
    """

    tokens: int  # n
    layers: int  # the depth up to which the targets were followed
    autoregressive: bool
    # For the sources 1, 2, ..: the least number of layers after which the target can have heard
    # of the source; 0 if that takes more than `layers`.
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
        """Return the `_accuracy_bound` of models of this depth."""
        return _accuracy_bound(self.share(layers))

    def unheard(self, layers: int) -> int | None:
        """Return the first target that cannot have heard of its source; None if all can have."""
        late = (self.depths == 0) | (self.depths > layers)
        return self.tokens // 2 + 1 + int(np.argmax(late)) if late.any() else None


def _accuracy_bound(share: Fraction) -> Fraction:
    """Bound the expected accuracy if this share of the targets can have heard of their source.

    All others are independent of everything that their model's output depends on, so that every
    guess is right with probability 1 / `SYMBOLS`: f + (1 - f) / 128.
    """
    return share + (1 - share) / SYMBOLS


def copying(
    attention: SparseAttention,
    layers: int,
    *,
    autoregressive: bool = False,
    progress: OnProgress | None = None,
) -> Copying:
    """Return the accuracy that a mask allows in the copying task, layer by layer.

    The tokens are even in number, at least 4. Autoregressive models predict the next token: the
    masks are restricted to the past, and a target is predicted at the token before it. Otherwise
    the second half is masked, and a target is predicted at its own place.
    """
    n = attention.n
    require(n % 2 == 0, f"the copying task needs an even number of tokens, not {n}")
    require(n >= 4, f"the copying task needs at least 4 tokens (0s0s), not {n}")
    require(1 <= layers <= MOST_LAYERS, f"layers must be in 1..{MOST_LAYERS}, not {layers}")
    masks = (attention.causal() if autoregressive else attention).by_layer()
    at = n // 2 - autoregressive
    starts = range(1, n // 2, MOST_FOLLOWED)
    found = []
    for part, start in enumerate(starts, 1):
        sources = np.arange(start, min(n // 2, start + MOST_FOLLOWED))
        found.append(_depths(masks, sources, sources + at, layers))
        if progress is not None:
            progress(Progress("following sources", share=part / len(starts)))
    return Copying(n, layers, autoregressive, np.concatenate(found))


def _depths(
    masks: tuple[AttentionGraph, ...],
    sources: NDArray[np.int64],
    places: NDArray[np.int64],
    layers: int,
) -> NDArray[np.int64]:
    """Return the depths at which the places can reach their sources."""
    words, bits = place_bits(sources)
    found = np.zeros(len(sources), dtype=np.int64)
    for layer, _, after in islice(follow(masks, sources), layers):
        found[(found == 0) & (after[places, words] & bits != 0)] = layer
        if found.all():
            break
    return found


TOKENS = 256
SEQUENCES = 10_000
"""Sequences that the accuracies were measured on (G.1)."""

DRAWS = 100
"""Draws of a random mask whose bounds are averaged."""

_LEVEL = 0.01
"""The probability of any false alarm among all 64 cells."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table: one mask at depths 1 to 4."""

    name: str  # as printed
    mask: str  # the mask in the language of `samapprox.attention.graphs.build`
    measured: tuple[float, ...]  # accuracies in percent, one a depth, to two decimals

    @property
    def is_random(self) -> bool:
        """Whether the mask has a seed, which the paper does not state."""
        return self.mask.startswith("random-heads:")


def _columns(*measured: tuple[float, float, float, float]) -> tuple[Column, ...]:
    """Return the columns of a table; both tables have the same masks."""
    heads = ("union", "multihead", "sequential")
    masks = {
        f"{name.upper()} {way.upper()}": f"{name}:w=16,heads={way}"
        for name in ("strided", "fixed")
        for way in heads
    }
    masks |= {"STAR": "star:w=16", "RANDOM": "random-heads:sparsity=0.9,draws=4,heads=multihead"}
    return tuple(Column(*both, cells) for both, cells in zip(masks.items(), measured, strict=True))


TABLES = {
    1: _columns(
        (0.82, 100.00, 100.00, 100.00),
        (0.82, 100.00, 100.00, 100.00),
        (0.80, 81.24, 100.00, 100.00),
        (7.04, 69.26, 99.98, 100.00),
        (0.76, 56.45, 99.08, 99.64),
        (0.80, 96.01, 98.58, 100.00),
        (1.53, 29.70, 42.18, 83.57),
        (33.14, 63.41, 70.29, 95.49),
    ),
    2: _columns(
        (0.79, 12.40, 94.50, 100.00),
        (0.78, 8.26, 65.58, 100.00),
        (0.78, 1.57, 60.88, 98.40),
        (7.02, 73.43, 99.87, 99.97),
        (7.04, 13.24, 70.82, 99.16),
        (0.81, 92.10, 99.84, 99.97),
        (0.77, 12.32, 14.03, 31.19),
        (33.13, 67.30, 89.50, 95.88),
    ),
}
"""Number -> columns. Models are bidirectional in Table 1, autoregressive in Table 2."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A measured accuracy beside its bound."""

    table: int
    column: Column
    layers: int
    # The share of targets that their source reaches within `layers` steps; for RANDOM the mean of
    # `DRAWS` draws.
    share: Fraction
    deviation: float  # standard deviation of the share over these draws; 0 for all other masks

    @property
    def measured(self) -> float:
        """The measured accuracy in percent."""
        return self.column.measured[self.layers - 1]

    @property
    def bound(self) -> float:
        """The bound in percent."""
        return 100 * float(_accuracy_bound(self.share))

    @property
    def bound_deviation(self) -> float:
        """The standard deviation of the bound in percent; a bound is linear in its share."""
        return 100 * self.deviation * (1 - 1 / SYMBOLS)

    @property
    def log10_tail(self) -> float:
        """The `log10_tail` of the measured accuracy, less half of its last digit."""
        return log10_tail(self.measured / 100 - 0.00005, self.share)

    @property
    def exceeds(self) -> bool:
        """Whether the measured accuracy exceeds the bound by more than chance explains."""
        cells = sum(len(column.measured) for table in TABLES.values() for column in table)
        return self.log10_tail <= math.log10(_LEVEL / cells)

    def to_json(self) -> dict[str, Any]:
        """Return its part of `samapprox schema graph-copy-tables`."""
        return {
            "column": self.column.name,
            "mask": self.column.mask,
            "layers": self.layers,
            "share": float(self.share),
            "deviation": self.deviation,
            "bound": self.bound,
            "measured": self.measured,
            "log10_tail": self.log10_tail,
            "exceeds": self.exceeds,
        }


def log10_tail(accuracy: float, share: Fraction, sequences: int = SEQUENCES) -> float:
    """Bound the decimal logarithm of the probability of an accuracy on independent test sequences.

    Of the targets, a share can have heard of their source; all of these may be right. On the others
    a model guesses among 128 symbols. Targets of one sequence may depend on each other, sequences
    are independent: with q the accuracy on all other targets, the probability is at most
    exp(-sequences KL(q, 1/128)) (Hoeffding, 1963, Theorem 1); the bound is 0 if q is at most 1/128.
    """
    chance = 1 / SYMBOLS
    if share == 1:
        return 0.0
    q = (accuracy - float(share)) / (1 - float(share))
    if q <= chance:
        return 0.0
    divergence = q * math.log10(q / chance)
    if q < 1:
        divergence += (1 - q) * math.log10((1 - q) / (1 - chance))
    return -sequences * divergence


def compare(table: int) -> tuple[Cell, ...]:
    """Compare a table with the bounds, column by column.

    Below a second, with compiled kernels.
    """
    require(table in TABLES, f"Yun et al. (2020) have Tables 1 and 2 on copying, not {table}")
    return tuple(cell for column in TABLES[table] for cell in _cells(table, column))


def exceeding() -> tuple[Cell, ...]:
    """Return all cells of both tables that exceed their bound, by `Cell.exceeds`."""
    return tuple(cell for table in TABLES for cell in compare(table) if cell.exceeds)


def find_column(attention: SparseAttention, *, autoregressive: bool) -> Column | None:
    """Return the column of Table 1, or of Table 2 if autoregressive, with these masks, if any."""
    if attention.n != TOKENS:
        return None
    for column in TABLES[2 if autoregressive else 1]:
        own = build(column.mask, TOKENS)
        if own.heads is attention.heads and _edges(own) == _edges(attention):
            return column
    return None


def _edges(attention: SparseAttention) -> list[tuple[bytes, bytes]]:
    return [(graph.indptr.tobytes(), graph.indices.tobytes()) for graph in attention.patterns]


def _cells(table: int, column: Column) -> Iterator[Cell]:
    """Return the cells of a column."""
    depths = len(column.measured)
    found = [_follow(column.mask, table)]
    if column.is_random:
        found = [_follow(f"{column.mask},seed={seed}", table) for seed in range(DRAWS)]
    for layers in range(1, depths + 1):
        shares = [one.share(layers) for one in found]
        mean = sum(shares, Fraction(0)) / len(shares)
        yield Cell(table, column, layers, mean, statistics.pstdev(map(float, shares)))


def _follow(mask: str, table: int) -> Copying:
    return copying(build(mask, TOKENS), layers=4, autoregressive=table == 2)
