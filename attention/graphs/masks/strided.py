"""STRIDED: neighbours, then every w-th token."""

from __future__ import annotations

from samapprox.attention.graphs.graph import AttentionGraph
from samapprox.attention.graphs.pieces import around
from samapprox.support.parameters import require

__all__ = ["strided"]


def strided(n: int, w: int = 16) -> tuple[AttentionGraph, AttentionGraph]:
    """STRIDED, two patterns: w neighbours; then the tokens k + w t, for all whole t.

    Parameters
    ----------
    n : int
    w : int
        Neighbours, ceil(w/2) before and floor(w/2) after; and the stride.

    References
    ----------
    Child et al. (2019); Yun et al. (2020), Eq. 4.

    Examples
    --------
    >>> near, far = strided(10, w=3)
    >>> near.keys(5).tolist(), far.keys(5).tolist()
    ([3, 4, 5, 6], [2, 5, 8])
    """
    require(w >= 1, f"w (neighbours, and the stride) must be at least 1, not {w}")
    return around(n, -(-w // 2), w // 2), around(n, n, n, min(w, n))
