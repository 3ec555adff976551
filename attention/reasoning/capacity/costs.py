"""The number of operations of standard, sparse and linear transformers, counted from the shapes."""

from __future__ import annotations

from dataclasses import astuple, dataclass
from enum import Enum
from math import isqrt
from typing import Any

from samapprox.support.parameters import require

__all__ = ["Architecture", "Cost", "Operations", "block_sparse_edges", "cost", "default_block"]

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
        """Return its part of `schemas/cot-cost.schema.json`."""
        return {
            part: {
                "multiplications": operations.multiplications,
                "additions": operations.additions,
                "divisions": operations.divisions,
                "functions": operations.functions,
            }
            for part, operations in (
                ("linear_maps", self.linear_maps),
                ("attention", self.attention),
            )
        }


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
    """Return the block size of the experiments of Yang et al. (2024), 6.1: 2^floor(log2 sqrt(L)).

    Examples
    --------
    >>> [default_block(tokens) for tokens in (87, 221, 355, 505)]
    [8, 8, 16, 16]
    """
    return 1 << (isqrt(tokens).bit_length() - 1)


def block_sparse_edges(tokens: int, b: int, k: int = 1, c: int = 1) -> int:
    """Count the edges of the mask `block-sparse` without building it.

    Parameters
    ----------
    tokens : int
        L.
    b, k, c : int
        See `samapprox.attention.graphs.masks.local.block_sparse`.

    Raises
    ------
    InputError
        A parameter out of range.

    Notes
    -----
    O(1). The window has W L - W (W - 1) / 2 edges for W = min(k b, L). Of the last c tokens of a
    block, token j < L - k b has L - k b - j later queries outside of whose window it lies.

    References
    ----------
    Yang et al. (2024), Eq. 6.

    Examples
    --------
    >>> block_sparse_edges(1 << 20, 1 << 10)
    1608518143
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
