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
    "walk_blocks",
]

MOST_BITS = 1 << 24
"""The limit of numbers of blocks that are written out."""


def quantization_blocks(n: int, d: int, steps: int) -> int:
    """Count the blocks that round every entry down to a multiple of delta: d n / delta.

    Source: Yun et al. (2020), 4.1 and Lemma 6.
    """
    _check(n, d, steps)
    return d * n * steps


def contextual_blocks(n: int, d: int, steps: int, p: int, s: int) -> int:
    """Count the blocks that number every token of every input: p (n - 1) / delta^d + s.

    Source: Yun et al. (2020), 4.1 and Lemma 7 (which needs 1 / delta of at least 2).
    """
    _check(n, d, steps)
    _check_cycle(p, s)
    return int(p * (n - 1) * steps**d + s)


def walk_blocks(steps: int, p: int, s: int) -> int:
    """Count the blocks that do the same along a walk, one wide window a step: p (T - 1) + s.

    Source: docs/theory/universality.md.
    """
    require(steps >= 0, f"the steps of a walk must be at least 0, not {steps}")
    _check_cycle(p, s)
    return p * steps + s


def dense_contextual_blocks(n: int, d: int, steps: int) -> int:
    """Count the blocks that do the same by full attention: n / delta^d + 1.

    Source: Yun et al. (2020), 4.1, after Yun et al., Are transformers universal approximators?, C.
    """
    _check(n, d, steps)
    return int(n * steps**d + 1)


def value_blocks(n: int, d: int, steps: int) -> int:
    """Count the blocks that map these numbers to the function's values: n / delta^(d n).

    Source: Yun et al. (2020), 4.1 and Lemma 8.
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


def _check_cycle(p: int, s: int) -> None:
    require(p >= 1, f"p (patterns) must be at least 1, not {p}")
    require(s >= 1, f"s (layers until tokens reach each other) must be at least 1, not {s}")


@dataclass(frozen=True, slots=True)
class Depth:
    """The number of blocks that suffice for accuracy delta: 4.1 of Yun et al. (2020)."""

    n: int
    d: int
    steps: int
    p: int
    s: tuple[int, int]  # bounds
    walk: tuple[int, int]  # bounds on the edges of a covering walk
    # whether a Hamiltonian path is known, which the construction of the paper needs.
    path: bool = True

    def __post_init__(self) -> None:
        _check(self.n, self.d, self.steps)
        bits = self.d * self.steps.bit_length()
        require(bits <= MOST_BITS, f"{self.steps}^{self.d} blocks are too many to write out")

    @property
    def quantization(self) -> int:
        """See `quantization_blocks`."""
        return quantization_blocks(self.n, self.d, self.steps)

    @property
    def contextual(self) -> tuple[int, int] | None:
        """See `contextual_blocks`; for both bounds on s. None if no Hamiltonian path is known."""
        if not self.path:
            return None
        low, high = (contextual_blocks(self.n, self.d, self.steps, self.p, s) for s in self.s)
        return low, high

    @property
    def along_walk(self) -> tuple[int, int]:
        """See `walk_blocks`; for both bounds on s and on the walk."""
        low, high = (walk_blocks(t, self.p, s) for t, s in zip(self.walk, self.s, strict=True))
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
        printed = self.contextual
        return {
            "d": self.d,
            "steps": self.steps,
            "quantization": _count(self.quantization),
            "contextual": None if printed is None else [_count(blocks) for blocks in printed],
            "along_walk": [_count(blocks) for blocks in self.along_walk],
            "dense_contextual": _count(self.dense_contextual),
            "value": {"blocks": None, "log10": self.value_log10},
        }


def _count(blocks: int) -> dict[str, Any]:
    """Return a number of blocks, exactly where every reader of JSON can hold it."""
    return {"blocks": blocks if blocks < 1 << 53 else None, "log10": math.log10(blocks)}
