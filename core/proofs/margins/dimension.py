"""The largest dimension for which volumes are compared."""

from __future__ import annotations

__all__ = ["find_fault_of_dimension"]

_MOST_DIMENSIONS = 1 << 10
"""Powers of this degree are computed; beyond, room for many more points than any core has."""


def find_fault_of_dimension(d: int) -> str | None:
    """Return why volumes in dimension d are not compared, or None."""
    return f"dimension {d} is too large to check" if d > _MOST_DIMENSIONS else None
