"""Polynomials that are exact on a row's nonzeros and far lower everywhere else.

Both moment curves, on the line and on the circle, have for every column t a function f_t >= 0 of
degree 2 (of degree 1 in cosine and sine) that vanishes at t alone. The query of a row with nonzeros
T and logarithms b_s >= 0 is

    sum_s b_s / w_s prod_(t != s) f_t  -  c prod_t f_t,    w_s = prod_(t != s) f_t(s),

which is b_s at every s of T; c large enough makes it less than log(eps1) at all other columns.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["depth"]

Floats = NDArray[np.float64]


def depth(factors: Floats, logarithms: Floats, columns: NDArray[np.int64], limit: float) -> float:
    """Find the c at which the greatest value off T is just ``-limit``.

    Parameters
    ----------
    factors : ndarray, shape (|T|, n)
        f_t at all columns that count.
    logarithms : ndarray, shape (|T|,)
        b_s >= 0.
    columns : ndarray of int64, shape (|T|,)
        T.
    limit : float
        Positive.

    Returns
    -------
    float
        0 where T is all there is; infinite where floats cannot tell f_t from 0.

    Notes
    -----
    O(n |T|). Off T the value is sum_s b_s P / (w_s f_s) - c P for P = prod_t f_t > 0.

    Examples
    --------
    >>> places = np.arange(4.0)
    >>> depth((places - 1)[None] ** 2, np.zeros(1), np.array([1]), limit=2.0)
    2.0
    """
    off = np.ones(factors.shape[1], dtype=np.bool_)
    off[columns] = False
    if not off.any():
        return 0.0
    own = factors[:, columns].copy()
    np.fill_diagonal(own, 1.0)
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        weights = logarithms / own.prod(axis=0)
        wanted = (weights[:, None] / factors[:, off]).sum(axis=0)
        wanted += limit / factors[:, off].prod(axis=0)
    return float(np.nan_to_num(wanted, nan=np.inf).max())
