"""Matrix B of the proof of Theorem 0.4."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from samapprox.attention.approximation.target import Target

__all__ = ["bias"]


def bias(target: Target, eps1: float, eps2: float) -> NDArray[np.float64]:
    """Return the nonzeros of B, Equation (9), in the places of `target.values`.

    Parameters
    ----------
    target : Target
    eps1, eps2 : float

    Examples
    --------
    >>> A = Target.from_array([[0.5, 0.5], [0, 1]])
    >>> bias(A, eps1=np.exp(-1), eps2=0.5).tolist()
    [1.5, 1.5, 1.5]
    """
    least = np.repeat(np.log(target.least), np.diff(target.indptr))
    return np.asarray(target.logs - least - np.log(eps1) + eps2)
