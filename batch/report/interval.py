"""Bounds on a dimension, a rank or another number, and which of them needed no proof."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from samapprox.problem import trivial_dimension
from samapprox.support.percent import percent

__all__ = ["Interval"]


@dataclass(frozen=True, slots=True)
class Interval:
    """Proven bounds on a number.

    Attributes
    ----------
    lower, upper : int or float
    has_trivial_upper : bool
        The upper bound holds for every pattern of this size: nothing better is known.

    Examples
    --------
    >>> str(Interval(2, 2)), str(Interval(1, 16, has_trivial_upper=True))
    ('2', '1..16')
    >>> str(Interval(2, 5) | Interval(3, 4)), str(Interval(0.6666, 0.6671))
    ('3..5', '0.666..0.668')
    """

    lower: float
    upper: float
    has_trivial_upper: bool = False

    @classmethod
    def of_pattern(cls, lower: float, upper: float, shape: tuple[int, int]) -> Interval:
        """Return the bounds on the weak dimension of a pattern of a shape.

        Examples
        --------
        >>> Interval.of_pattern(1, 3, (3, 8)).has_trivial_upper
        True
        """
        return cls(lower, upper, lower < upper and upper >= trivial_dimension(shape))

    @property
    def is_exact(self) -> bool:
        """Whether the bounds meet."""
        return self.lower == self.upper

    @property
    def has_trivial_lower(self) -> bool:
        """Whether the lower bound is 1 and the upper is not: nothing better is known."""
        return self.lower <= 1 and not self.is_exact

    def __or__(self, other: Interval) -> Interval:
        """Return the bounds on the dimension that represents the patterns of both intervals."""
        lower, upper = max(self.lower, other.lower), max(self.upper, other.upper)
        trivial = any(one.has_trivial_upper and one.upper == upper for one in (self, other))
        return Interval(lower, upper, lower < upper and trivial)

    def __str__(self) -> str:
        if self.is_exact:
            return str(self.lower) if isinstance(self.lower, int) else f"{self.lower:.3f}"
        return f"{_format(self.lower, math.floor)}..{_format(self.upper, math.ceil)}"

    def in_percent(self) -> str:
        """Write the bounds on a share in percent: rounded outwards unless they meet.

        Examples
        --------
        >>> Interval(0.5625, 0.5625).in_percent(), Interval(1 / 3, 2 / 3).in_percent()
        ('56.2 %', '33.3..66.7 %')
        """
        if self.is_exact:
            return percent(self.lower)
        low, high = math.floor(round(1000 * self.lower, 6)), math.ceil(round(1000 * self.upper, 6))
        return f"{low / 10:.1f}..{high / 10:.1f} %"


def _format(value: float, rounding: Callable[[float], int]) -> str:
    """Format a whole number, or three digits of another one."""
    if isinstance(value, int):
        return str(value)
    return f"{rounding(round(1000 * value, 6)) / 1000:.3f}"
