"""Bounds on a dimension, a rank or another number, and which of them needed no proof."""

from __future__ import annotations

from dataclasses import dataclass

from samapprox.problem import trivial_dimension

__all__ = ["Interval", "format_bound"]


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
    >>> str(Interval(2, 5) | Interval(3, 4))
    '3..5'
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
        ends = [self.lower] if self.is_exact else [self.lower, self.upper]
        return "..".join(map(format_bound, ends))


def format_bound(value: float) -> str:
    """Format a whole number, or three digits of a margin.

    Examples
    --------
    >>> format_bound(12), format_bound(0.66666)
    ('12', '0.667')
    """
    return str(value) if isinstance(value, int) else f"{value:.3f}"
