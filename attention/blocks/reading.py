"""The values that a query reads, weighted by the probability map of its scores."""

from __future__ import annotations

import numpy as np

from samapprox.attention.blocks.columns import Matrix
from samapprox.attention.maps import Hardmax, ProbabilityMap
from samapprox.errors import InputError

__all__ = ["read_values"]


def read_values(rho: ProbabilityMap, scores: Matrix, values: Matrix) -> Matrix:
    """Compute the sum of values weighted by rho of the scores, for many inputs at once.

    Parameters
    ----------
    rho : ProbabilityMap
    scores : ndarray, shape (inputs, keys)
    values : ndarray, shape (v, inputs, keys)

    Returns
    -------
    ndarray, shape (v, inputs)
        Hardmax selects, so that every kind of number stays as it is. Other maps compute with
        objects exactly or in mpmath (`ProbabilityMap.apply_exact`), with all else in floats.

    Raises
    ------
    InputError
        A map without an exact form for objects; NaN among the scores.

    Examples
    --------
    >>> read_values(Hardmax(), np.array([[1, 3, 3]]), np.array([[[5, 6, 7]]])).tolist()
    [[6]]
    """
    if isinstance(rho, Hardmax):
        if scores.dtype.kind in "fO" and np.any(scores != scores):  # NaN
            raise InputError("hardmax needs scores that can be compared; there is NaN among them")
        first = scores.argmax(axis=1)[None, :, None]
        return np.asarray(np.take_along_axis(values, first, axis=2)[:, :, 0])
    exact = object in (scores.dtype, values.dtype)
    weights = rho.apply_exact(scores) if exact else rho(scores, threads=1)
    return np.asarray((values * weights).sum(axis=2))
