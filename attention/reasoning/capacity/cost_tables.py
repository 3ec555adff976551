"""Tables 1 and 2 of Yang et al. (2024), on costs, beside counts."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from samapprox.attention.reasoning.capacity.costs import Architecture, cost

__all__ = [
    "CLAIMS",
    "LENGTHS",
    "MEASURED",
    "Claim",
    "Growth",
    "Measured",
    "fit_exponent",
]

LENGTHS = tuple(1 << e for e in range(10, 21))
"""Lengths of the fits; below, lower terms still have a share in the cost."""


@dataclass(frozen=True, slots=True)
class Growth:
    """A size that grows as L^power (log2 L)^log.

    Examples
    --------
    >>> Growth(0.5)(1 << 20), str(Growth(0.5, -1))
    (1024, 'L^0.5 / log L')
    """

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
    """An entry of Table 1: how the cost of an architecture grows on a class of tasks.

    Attributes
    ----------
    architecture : Architecture
    tasks : str
        The column of the table. In the last one, steps need the last m tokens, with m = sqrt(L).
    exponent : float
        The printed exponent of L; the table leaves logarithms out.
    width : Growth
        D by the theorems: of the construction, or of the lower bound without its logarithm.
    block : Growth or None
        b of sparse transformers.
    least : Growth or None
        D by the lower bound, with its logarithm.
    source : str
        The theorems.

    Examples
    --------
    >>> claim = CLAIMS[0]
    >>> claim.tasks, claim.exponent, round(claim.fitted, 2)
    ('general', 2, 2.0)
    """

    architecture: Architecture
    tasks: str
    exponent: float
    width: Growth
    block: Growth | None
    least: Growth | None
    source: str

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
        """Return its row of `schemas/cot-cost.schema.json`."""
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
    """Fit x of L^x to numbers of operations on `LENGTHS`, by least squares of the logarithms.

    Examples
    --------
    >>> round(fit_exponent(lambda length: 3 * length**1.5), 6)
    1.5
    """
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
    """A cell of Table 2: the least GFLOPs at which a model solved Arithmetic.

    Attributes
    ----------
    architecture : Architecture
    length : int
    gflops : float
        As printed.
    width : int
        The width D, among those of the experiments, whose count explains the number.

    Examples
    --------
    >>> cell = MEASURED[3]
    >>> cell.gflops, cell.width, round(cell.linear_maps, 3), round(cell.with_attention, 3)
    (0.605, 128, 0.596, 0.792)
    """

    architecture: Architecture
    length: int
    gflops: float
    width: int

    @property
    def linear_maps(self) -> float:
        """The count without attention, in GFLOPs: 24 M L D^2 for M = 3 layers."""
        return cost(self.architecture, self.length, self.width).linear_maps.flops / 1e9

    @property
    def with_attention(self) -> float:
        """The count with attention, in GFLOPs; of the standard transformer 2 M L (L + 1) D more."""
        return cost(self.architecture, self.length, self.width).all.flops / 1e9

    def to_json(self) -> dict[str, Any]:
        """Return its row of `schemas/cot-cost.schema.json`."""
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
