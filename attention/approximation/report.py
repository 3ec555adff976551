"""The checker's report on a layer."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from samapprox.errors import InputError

__all__ = ["Report", "Worst", "factor", "finite", "require_precision"]

_MOST_EPS2 = 1e6

_ROUNDINGS = 10
"""A slack has two wrong logits, and three subtractions of what is at most twice as great: each
rounds by less than a logit may be wrong."""

_LOGARITHMS = 1e-12
"""Logarithms of A and eps1 are below 746, and six of their roundings below this."""


@dataclass(frozen=True, slots=True)
class Worst:
    """The pair of columns that comes closest to violating a condition, or violates it most.

    Attributes
    ----------
    row, first, second : int
        i, j_1 and j_2; -1 where the condition speaks of nothing.
    log_ratio : float
        For (7) log(M_ij1 / M_ij2); for (8) that minus log(A_ij1 / A_ij2).
    """

    row: int
    first: int
    second: int
    log_ratio: float

    @property
    def ratio(self) -> float:
        """exp(log_ratio): for (7) to be below eps1, for (8) below exp(eps2)."""
        return factor(self.log_ratio)

    def to_json(self) -> dict[str, Any] | None:
        """Return its part of `schemas/approximation.schema.json`; None if nothing is compared."""
        if self.row < 0:
            return None
        return {
            "row": self.row,
            "columns": [self.first, self.second],
            "log_ratio": finite(self.log_ratio),
        }


@dataclass(frozen=True, slots=True)
class Report:
    """The findings of the checker.

    Attributes
    ----------
    holds : bool
        Both conditions hold for the logits as the layer's arithmetic computes them.
    zeros : Worst
        The worst pair for condition (7): a column where A is zero against one where it is not.
    ones : Worst
        The worst pair for condition (8): two columns where A is not zero.
    spread : float
        The greatest logit of a row minus its least, at most over the rows: what an arithmetic must
        hold, and what a softmax sees.
    rounding : float
        How far a computed logit may be from that of real numbers; 0 for exact layers, infinite
        for types of 2 bytes.
    arithmetic : str
    eps1, eps2 : float
    """

    holds: bool
    zeros: Worst
    ones: Worst
    spread: float
    rounding: float
    arithmetic: str
    eps1: float
    eps2: float

    @property
    def slack(self) -> float:
        """The change of logit differences that the conditions tolerate; negative if one fails."""
        return min(math.log(self.eps1) - self.zeros.log_ratio, self.eps2 - self.ones.log_ratio)

    @property
    def is_proven(self) -> bool:
        """Whether both conditions hold in real numbers: exactly, or beyond the rounding error."""
        needed = _ROUNDINGS * self.rounding + _LOGARITHMS
        return self.holds and (self.arithmetic == "exact" or self.slack > needed)


def require_precision(eps1: float, eps2: float) -> None:
    """Refuse precisions outside the theorem.

    Raises
    ------
    InputError
        eps1 not in (0, 1), or eps2 not positive or above a million.

    Examples
    --------
    >>> require_precision(0.5, 1.0)
    """
    if not 0 < eps1 < 1:
        raise InputError(f"eps1 must be above 0 and below 1, not {eps1}")
    if not 0 < eps2 <= _MOST_EPS2:
        raise InputError(f"eps2 must be a positive number of at most {_MOST_EPS2:g}, not {eps2}")


def factor(log_ratio: float) -> float:
    """Return the exponential, infinite on overflow.

    Examples
    --------
    >>> factor(0.0), factor(1e6)
    (1.0, inf)
    """
    return math.exp(log_ratio) if log_ratio < 709 else math.inf


def finite(number: float) -> float | None:
    """Convert a number to JSON, which has no infinity.

    Examples
    --------
    >>> finite(0.5), finite(math.inf)
    (0.5, None)
    """
    return number if math.isfinite(number) else None
