"""Shares in percent."""

from __future__ import annotations

__all__ = ["percent"]


def percent(share: float) -> str:
    """Write a share in percent; it is 0 or 100 only if it is so exactly.

    Examples
    --------
    >>> percent(2 / 3), percent(1.0), percent(0.9999), percent(0.0001)
    ('66.7 %', '100.0 %', '> 99.9 %', '< 0.1 %')
    """
    if 0 < share < 0.001:
        return "< 0.1 %"
    return "> 99.9 %" if 0.999 < share < 1 else f"{100 * share:.1f} %"
