"""The number of blocks in the transformers of the universality theorem."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from samapprox.support.parameters import require

__all__ = [
    "Depth",
    "contextual_blocks",
    "dense_contextual_blocks",
    "quantization_blocks",
    "value_blocks",
]

MOST_BITS = 1 << 24
"""The limit of numbers of blocks that are written out."""


def quantization_blocks(n: int, d: int, steps: int) -> int:
    """Count the blocks that round every entry down to a multiple of delta: d n / delta.

    Parameters
    ----------
    n : int
        Tokens.
    d : int
        Embedding dimension.
    steps : int
        1 / delta, the steps into which [0, 1) is cut.

    References
    ----------
    Yun et al. (2020), 4.1 and Lemma 6.

    Examples
    --------
    >>> quantization_blocks(n=64, d=2, steps=8)
    1024
    """
    _check(n, d, steps)
    return d * n * steps


def contextual_blocks(n: int, d: int, steps: int, p: int, s: int) -> int:
    """Count the blocks that number every token of every input: p (n - 1) / delta^d + s.

    Parameters
    ----------
    n, d, steps : int
        As in `quantization_blocks`.
    p : int
        Patterns that the layers cycle through.
    s : int
        Layers until every token can reach every other.

    References
    ----------
    Yun et al. (2020), 4.1 and Lemma 7 (which needs 1 / delta of at least 2).

    Examples
    --------
    >>> contextual_blocks(n=64, d=2, steps=8, p=2, s=3)
    8067
    """
    _check(n, d, steps)
    require(p >= 1, f"p (patterns) must be at least 1, not {p}")
    require(s >= 1, f"s (layers until tokens reach each other) must be at least 1, not {s}")
    return int(p * (n - 1) * steps**d + s)


def dense_contextual_blocks(n: int, d: int, steps: int) -> int:
    """Count the blocks that do the same by full attention: n / delta^d + 1.

    References
    ----------
    Yun et al. (2020), 4.1, after Yun et al., Are transformers universal approximators?, C.

    Examples
    --------
    >>> dense_contextual_blocks(n=64, d=2, steps=8)
    4097
    """
    _check(n, d, steps)
    return int(n * steps**d + 1)


def value_blocks(n: int, d: int, steps: int) -> int:
    """Count the blocks that map these numbers to the function's values: n / delta^(d n).

    Raises
    ------
    InputError
        A number of more than 2^24 bits.

    References
    ----------
    Yun et al. (2020), 4.1 and Lemma 8.

    Examples
    --------
    >>> value_blocks(n=4, d=2, steps=2)
    1024
    """
    _check(n, d, steps)
    require(
        d * n * steps.bit_length() <= MOST_BITS, f"{steps}^{d * n} blocks are too many to write out"
    )
    return int(n * steps ** (d * n))


def _check(n: int, d: int, steps: int) -> None:
    require(n >= 1, f"the number of tokens n must be at least 1, not {n}")
    require(d >= 1, f"d (embedding dimension) must be at least 1, not {d}")
    require(steps >= 2, f"1 / delta must be a whole number of at least 2, not {steps}")


@dataclass(frozen=True, slots=True)
class Depth:
    """The number of blocks that suffice for accuracy delta: 4.1 of Yun et al. (2020).

    Attributes
    ----------
    n, d, steps, p : int
        As in `contextual_blocks`.
    s : (int, int)
        Bounds.

    Examples
    --------
    >>> depth = Depth(n=64, d=2, steps=8, p=2, s=(3, 3))
    >>> depth.quantization, depth.contextual, depth.dense_contextual, round(depth.value_log10, 1)
    (1024, (8067, 8067), 4097, 117.4)
    """

    n: int
    d: int
    steps: int
    p: int
    s: tuple[int, int]

    def __post_init__(self) -> None:
        _check(self.n, self.d, self.steps)
        bits = self.d * self.steps.bit_length()
        require(bits <= MOST_BITS, f"{self.steps}^{self.d} blocks are too many to write out")

    @property
    def quantization(self) -> int:
        """See `quantization_blocks`."""
        return quantization_blocks(self.n, self.d, self.steps)

    @property
    def contextual(self) -> tuple[int, int]:
        """See `contextual_blocks`; for both bounds on s."""
        low, high = (contextual_blocks(self.n, self.d, self.steps, self.p, s) for s in self.s)
        return low, high

    @property
    def dense_contextual(self) -> int:
        """See `dense_contextual_blocks`."""
        return dense_contextual_blocks(self.n, self.d, self.steps)

    @property
    def value_log10(self) -> float:
        """The decimal logarithm of `value_blocks`."""
        return math.log10(self.n) + self.d * self.n * math.log10(self.steps)

    def to_json(self) -> dict[str, Any]:
        """Return its part of `schemas/graph-check.schema.json`."""
        low, high = self.contextual
        return {
            "d": self.d,
            "steps": self.steps,
            "quantization": _count(self.quantization),
            "contextual": [_count(low), _count(high)],
            "dense_contextual": _count(self.dense_contextual),
            "value": {"blocks": None, "log10": self.value_log10},
        }


def _count(blocks: int) -> dict[str, Any]:
    """Return a number of blocks, exactly where every reader of JSON can hold it."""
    return {"blocks": blocks if blocks < 1 << 53 else None, "log10": math.log10(blocks)}
