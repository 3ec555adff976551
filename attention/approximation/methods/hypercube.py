"""One nonzero a row: keys are the corners of a cube, 1 bit a coordinate."""

from __future__ import annotations

import numpy as np

from samapprox.attention.approximation.methods.factors import make_layer
from samapprox.attention.approximation.request import Construction, Request
from samapprox.errors import InputError

__all__ = ["build"]

_SAFETY = 1.25  # of log(1 / eps1): room for the rounding of logits


def build(request: Request) -> Construction:
    """Build keys as binary numbers in +1 and -1; the query of a row is the key of its column.

    Parameters
    ----------
    request : Request
        Rows of one nonzero; d is ceil(log2 n), or twice that in the theorem's form.

    Returns
    -------
    Construction
        In float64; every entry of X is -1, 1, or plus or minus the one scale of the queries.

    Raises
    ------
    InputError
        A row of more nonzeros, another d, or d_hid < 2 ceil(log2 n).

    Notes
    -----
    O(n log n). Keys that differ in h coordinates have logits r - 2h: the gap is 2 times the scale
    and the spread at most r times that, log n times the least that any layer needs.

    Examples
    --------
    >>> from samapprox.attention.approximation import check, sample
    >>> A = sample(100, 1, 1.0)
    >>> report = check(build(Request(target=A, eps1=0.1, eps2=1.0)).layer, A, 0.1, 1.0)
    >>> report.is_proven, report.spread < 7 * 3
    (True, True)
    """
    target = request.target
    if target.row_k > 1:
        raise InputError(f"the hypercube serves rows of one nonzero, not of {target.row_k}")
    rank = max(1, (target.n - 1).bit_length())
    bits = np.arange(target.n)[:, None] >> np.arange(rank) & 1
    keys = 2.0 * bits - 1
    scale = -_SAFETY * np.log(request.eps1) / 2
    return Construction(make_layer(request, scale * keys[target.columns], keys))
