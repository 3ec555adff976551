"""Operations of standard, sparse and linear transformers, and the published growth and figures."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import asdict, astuple, dataclass
from enum import Enum
from math import isqrt
from typing import Any

import numpy as np

from samapprox.support.parameters import require

_MOST = 10**18
"""The largest size; counts of thousands of digits could not be printed."""


class Architecture(Enum):
    """The transformers of Yang et al. (2024), section 3; all are autoregressive."""

    STANDARD = "standard"
    """Every token attends to itself and all tokens before it (Eq. 4)."""
    SPARSE = "sparse"
    """Every token attends to the last k b tokens and the last c of every block of b (Eq. 6)."""
    LINEAR = "linear"
    """Kernel-based attention as a recurrence (Eq. 7 and 8 by Lemma A.8)."""


@dataclass(frozen=True, slots=True)
class Operations:
    """Numbers of operations on scalars.

    Attributes
    ----------
    multiplications, additions, divisions : int
        How many of each.
    functions : int
        Evaluations of exp, of the feature map phi, and of the activation.

    Examples
    --------
    >>> Operations(1, 2) + 3 * Operations(1, functions=2)
    Operations(multiplications=4, additions=2, divisions=0, functions=6)
    """

    multiplications: int = 0
    additions: int = 0
    divisions: int = 0
    functions: int = 0

    def __add__(self, other: Operations) -> Operations:
        return Operations(*map(sum, zip(astuple(self), astuple(other), strict=True)))

    def __rmul__(self, times: int) -> Operations:
        return Operations(*(times * count for count in astuple(self)))

    @property
    def flops(self) -> int:
        """The conventional count: two for each multiplication, which comes with an addition."""
        return 2 * self.multiplications

    @property
    def total(self) -> int:
        """All operations."""
        return sum(astuple(self))


@dataclass(frozen=True, slots=True)
class Cost:
    """The operations of a transformer on one sequence.

    Attributes
    ----------
    linear_maps : Operations
        Queries, keys, values, outputs, feed-forward layers and skip connections.
    attention : Operations
        Scores, weights and weighted sums.
    """

    linear_maps: Operations
    attention: Operations

    @property
    def all(self) -> Operations:
        """Both together."""
        return self.linear_maps + self.attention

    def to_json(self) -> dict[str, Any]:
        """Return its part of `samapprox schema cot-cost`."""
        return asdict(self)


def cost(
    architecture: Architecture,
    tokens: int,
    width: int,
    *,
    layers: int = 3,
    heads: int = 4,
    hidden: int | None = None,
    block: tuple[int, int, int] | None = None,
) -> Cost:
    """Count the operations of a transformer on one sequence.

    Each token's column is computed once, as in a pass over the whole sequence, or token by token
    with stored keys and values.

    Parameters
    ----------
    architecture : Architecture
        The shapes of the layers.
    tokens : int
        L.
    width : int
        D, a multiple of the number of heads.
    layers, heads : int
        M and H; by default those of the experiments of Yang et al. (2024).
    hidden : int, optional
        Hidden dimension of the feed-forward layers, 4 D by default.
    block : tuple of int, optional
        (b, k, c) of sparse transformers; `default_block`, 1 and 1 by default.

    Returns
    -------
    Cost
        Operations of the linear maps, and those of attention.

    Raises
    ------
    InputError
        A parameter below 1 or above 10^18, heads that do not divide the width, or a block of
        another architecture than the sparse one.

    Notes
    -----
    O(1). The embedding of tokens, normalisation, biases and the output layer are not in the
    equations of the source and do not count.

    References
    ----------
    Yang et al. (2024), Eq. 1 to 8 and Lemma A.8.

    Examples
    --------
    >>> one = cost(Architecture.STANDARD, tokens=505, width=128)
    >>> one.linear_maps.flops, 24 * 3 * 505 * 128**2
    (595722240, 595722240)
    """
    for name, value in {
        "tokens": tokens,
        "width": width,
        "layers": layers,
        "heads": heads,
        "hidden": 1 if hidden is None else hidden,
    }.items():
        require(value >= 1, f"{name} must be at least 1, not {value}")
        require(value <= _MOST, f"{name} must be at most {_MOST}, not {value}")
    hidden = 4 * width if hidden is None else hidden
    require(width % heads == 0, f"the heads must divide the width {width}; {heads} do not")
    require(
        block is None or architecture is Architecture.SPARSE,
        f"only sparse transformers have blocks, not {architecture.value} ones",
    )
    if architecture is Architecture.LINEAR:
        attention = _linear_attention(tokens, width, heads)
    elif architecture is Architecture.STANDARD:
        attention = _softmax_attention(tokens, tokens * (tokens + 1) // 2, width, heads)
    else:
        edges = block_sparse_edges(tokens, *(block or (default_block(tokens), 1, 1)))
        attention = _softmax_attention(tokens, edges, width, heads)
    return Cost(layers * _linear_maps(tokens, width, hidden), layers * attention)


def default_block(tokens: int) -> int:
    """Return the block of the experiments of Yang et al. (2024), 6.1: 2^floor(log2 sqrt(L))."""
    return 1 << (isqrt(tokens).bit_length() - 1)


def block_sparse_edges(tokens: int, b: int, k: int = 1, c: int = 1) -> int:
    """Count the edges of the mask `block-sparse` without building it.

    O(1). The window has W L - W (W - 1) / 2 edges for W = min(k b, L). Of the last c tokens of a
    block, token j < L - k b has L - k b - j later queries outside of whose window it lies.

    Reference: Yang et al. (2024), Eq. 6.
    """
    require(b >= 1, f"b (tokens of a block) must be at least 1, not {b}")
    require(k >= 1, f"k (blocks behind a query) must be at least 1, not {k}")
    require(0 <= c <= b, f"c (tokens of every block for all) must be in 0..{b}, not {c}")
    window = min(k * b, tokens)
    outside = tokens - window
    blocks, rest = divmod(outside, b)
    whole = blocks * (c * outside - c * b + c * (c + 1) // 2) - c * b * blocks * (blocks - 1) // 2
    last = max(0, rest - (b - c))
    return window * tokens - window * (window - 1) // 2 + whole + last * (last + 1) // 2


def _product(rows: int, columns: int) -> Operations:
    """Count the operations of a matrix times a vector."""
    return Operations(rows * columns, rows * (columns - 1))


def _linear_maps(tokens: int, width: int, hidden: int) -> Operations:
    """Count all of a layer but the attention: Eq. 1 to 3 and 5."""
    projections = 4 * _product(width, width)
    feed_forward = _product(hidden, width) + _product(width, hidden) + Operations(functions=hidden)
    return tokens * (projections + feed_forward + Operations(additions=2 * width))


def _softmax_attention(tokens: int, edges: int, width: int, heads: int) -> Operations:
    """Count a layer's scores, exponentials, both sums over the keys, and their quotient: Eq. 4."""
    scores = Operations(edges * width, edges * (width - heads), functions=edges * heads)
    numerators = Operations(edges * width, (edges - tokens) * width)
    denominators = Operations(additions=(edges - tokens) * heads)
    return scores + numerators + denominators + Operations(divisions=tokens * width)


def _linear_attention(tokens: int, width: int, heads: int) -> Operations:
    """Count a layer's updates of the sums s and z, and the quotient: Eq. 16 to 19."""
    of_head = width // heads
    features = Operations(functions=2 * width)
    updates = Operations(width * of_head, width * of_head + width)
    numerators = heads * _product(of_head, of_head)
    denominators = heads * _product(1, of_head)
    quotients = Operations(divisions=width)
    return tokens * (features + updates + numerators + denominators + quotients)


LENGTHS = tuple(1 << e for e in range(10, 21))
"""Lengths of the fits; below, lower terms still have a share in the cost."""


@dataclass(frozen=True, slots=True)
class Growth:
    """A size that grows as L^power (log2 L)^log."""

    power: float
    log: float = 0

    def __call__(self, length: int) -> int:
        """Return the size at a length, rounded, at least 1."""
        return max(1, round(math.pow(length, self.power) * math.pow(math.log2(length), self.log)))

    def __str__(self) -> str:
        growth = f"L^{self.power:g}" if self.power else "1"
        if not self.log:
            return growth
        return f"{growth} / {f'(log L)^{-self.log:g}' if self.log != -1 else 'log L'}"


CONSTANT, ROOT, FOURTH_ROOT = Growth(0), Growth(0.5), Growth(0.25)


@dataclass(frozen=True, slots=True)
class Claim:
    """An entry of Table 1: how the cost of an architecture grows on a class of tasks."""

    architecture: Architecture
    # The column of the table. In the last one, steps need the last m tokens, with m = sqrt(L).
    tasks: str
    exponent: float  # The printed exponent of L; the table leaves logarithms out
    # D by the theorems: of the construction, or of the lower bound without its logarithm.
    width: Growth
    block: Growth | None  # b of sparse transformers
    least: Growth | None  # D by the lower bound, with its logarithm
    source: str  # The theorems

    def operations(self, length: int, width: Growth) -> int:
        """Count the operations of one layer with one head; their numbers are constant."""
        block = None if self.block is None else (self.block(length), 1, 1)
        shape = {"layers": 1, "heads": 1}
        return cost(self.architecture, length, width(length), **shape, block=block).all.total

    @property
    def fitted(self) -> float:
        """The fitted exponent for `width`."""
        return fit_exponent(lambda length: self.operations(length, self.width))

    @property
    def fitted_least(self) -> float | None:
        """The fitted exponent for `least`, of the cost times log L."""
        least = self.least
        if least is None:
            return None
        return fit_exponent(lambda length: self.operations(length, least) * math.log2(length))

    def to_json(self) -> dict[str, Any]:
        """Return its row of `samapprox schema cot-cost`."""
        return {
            "architecture": self.architecture.value,
            "tasks": self.tasks,
            "exponent": self.exponent,
            "width": str(self.width),
            "block": None if self.block is None else str(self.block),
            "fitted": self.fitted,
            "least": None if self.least is None else str(self.least),
            "fitted_least": self.fitted_least,
            "source": self.source,
        }


def fit_exponent(operations: Callable[[int], float]) -> float:
    """Fit x of L^x to numbers of operations on `LENGTHS`, by least squares of the logarithms."""
    logarithms = np.log([[length, operations(length)] for length in LENGTHS])
    return float(np.polyfit(logarithms[:, 0], logarithms[:, 1], 1)[0])


_STANDARD, _SPARSE, _LINEAR = Architecture

CLAIMS = (
    Claim(_STANDARD, "general", 2, CONSTANT, None, None, "Theorem 4.1"),
    Claim(_STANDARD, "arithmetic", 2, CONSTANT, None, None, "Theorem 4.1"),
    Claim(_STANDARD, "locality", 2, CONSTANT, None, None, "Theorem 4.1"),
    Claim(_SPARSE, "general", 2, ROOT, ROOT, Growth(0.5, -1), "Theorems 4.2, 4.4"),
    Claim(_SPARSE, "arithmetic", 1.5, CONSTANT, ROOT, None, "Proposition 5.1"),
    Claim(_SPARSE, "locality", 1.5, CONSTANT, ROOT, None, "Proposition 5.4"),
    Claim(_LINEAR, "general", 2, ROOT, None, Growth(0.5, -0.5), "Theorems 4.2, 4.4"),
    Claim(_LINEAR, "arithmetic", 1.5, FOURTH_ROOT, None, Growth(0.25, -0.5), "Proposition 5.2"),
    Claim(_LINEAR, "locality", 1.5, FOURTH_ROOT, None, Growth(0.25, -0.5), "Proposition 5.5"),
)
"""Table 1, row by row."""


@dataclass(frozen=True, slots=True)
class Measured:
    """A cell of Table 2: the least GFLOPs at which a model solved Arithmetic."""

    architecture: Architecture
    length: int
    gflops: float  # As printed
    width: int  # The width D, among those of the experiments, whose count explains the number.

    @property
    def linear_maps(self) -> float:
        """The count without attention, in GFLOPs: 24 M L D^2 for M = 3 layers."""
        return cost(self.architecture, self.length, self.width).linear_maps.flops / 1e9

    @property
    def with_attention(self) -> float:
        """The count with attention, in GFLOPs; of the standard transformer 2 M L (L + 1) D more."""
        return cost(self.architecture, self.length, self.width).all.flops / 1e9

    def to_json(self) -> dict[str, Any]:
        """Return its row of `samapprox schema cot-cost`."""
        return {
            "architecture": self.architecture.value,
            "tokens": self.length,
            "gflops": self.gflops,
            "width": self.width,
            "linear_maps": self.linear_maps,
            "with_attention": self.with_attention,
        }


MEASURED = tuple(
    Measured(architecture, *cell)
    for architecture, cells in {
        _STANDARD: ((87, 0.027, 64), (221, 0.266, 128), (355, 0.426, 128), (505, 0.605, 128)),
        _LINEAR: ((87, 0.422, 256), (221, 4.220, 512), (355, 6.756, 512), (505, 9.584, 512)),
        _SPARSE: ((87, 0.106, 128), (221, 1.055, 256), (355, 1.690, 256), (505, 2.399, 256)),
    }.items()
    for cell in cells
)
"""Table 2, row by row."""
