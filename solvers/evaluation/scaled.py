"""Vectors scaled by powers of two, so that no product of them overflows."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["ScaledVectors", "error_factor"]

Floats = NDArray[np.float64]
Indices = NDArray[np.int64]

_ENTRIES = 1 << 22  # converted at a time


class ScaledVectors:
    """Vectors, each times a power of two that puts its largest entry into [1/2, 1).

    Attributes
    ----------
    array : ndarray of float32 or float64, shape (n, d)
        The vectors as they are given.
    exponents : ndarray of int64, shape (n,)
        Vector j is 2^exponents[j] times its scaled one; for a vector of zeros the least of all.
    norms : ndarray of float64, shape (n,)
        Computed Euclidean norms of the scaled vectors: off by a factor of 1 +- error_factor(d + 4)
        at most.

    Examples
    --------
    >>> import numpy as np
    >>> vectors = ScaledVectors(np.array([[3.0, 4.0], [0.0, 2.0**-1074]]))
    >>> vectors.exponents.tolist(), vectors.norms.tolist()
    ([3, -1073], [0.625, 0.5])
    >>> vectors.take(np.array([1])).tolist()
    [[0.0, 0.5]]
    """

    def __init__(self, array: NDArray[Any]) -> None:
        self.array = array
        self.exponents = np.empty(len(array), dtype=np.int64)
        self.norms = np.empty(len(array))
        step = max(1, _ENTRIES // array.shape[1])
        largest = np.empty(len(array))
        for start in range(0, len(array), step):
            part = slice(start, start + step)
            wide = array[part].astype(np.float64)
            largest[part] = np.maximum(wide.max(axis=1), -wide.min(axis=1))
            self.exponents[part] = np.frexp(largest[part])[1]
            scaled = np.ldexp(wide, -self.exponents[part, None])
            self.norms[part] = np.sqrt(np.einsum("nd,nd->n", scaled, scaled))
        self.exponents[largest == 0] = self.exponents[largest > 0].min(initial=0)

    @property
    def greatest(self) -> int:
        """The greatest exponent."""
        return int(self.exponents.max())

    def take(self, chosen: Indices | slice) -> Floats:
        """Return some of the scaled vectors as float64.

        Entries below 2^-1022, where the vector's largest is about 1, may be off by 2^-1075.
        """
        wide = self.array[chosen].astype(np.float64)
        return np.asarray(np.ldexp(wide, -self.exponents[chosen, None], out=wide))


def error_factor(roundings: int, kind: type[np.floating[Any]]) -> float:
    """Return Higham's gamma: the relative error of so many roundings, in any order.

    Parameters
    ----------
    roundings : int
    kind : type
        np.float32 or np.float64.

    References
    ----------
    N. Higham, "Accuracy and Stability of Numerical Algorithms", section 3.1.

    Examples
    --------
    >>> import numpy as np
    >>> error_factor(384, np.float32)
    2.28...e-05
    """
    share = roundings * float(np.finfo(kind).eps) / 2
    return share / (1 - share)
