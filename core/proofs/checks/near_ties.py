"""Integers that tell the signs of small results: modulo 2^64 where that is enough.

The longer ones are Python's, or if many signs are asked for, several words in compiled code.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from samapprox.proofs.exact import ExactArray

__all__ = ["Settling", "as_integers", "to_words"]

_MOST_BITS = 318
"""Of results in five words; for longer ones, Python's integers are as fast."""

_MOST_PLAIN = 1 << 22
"""Products of Python's integers that take a second, in one check."""

_WORD = (1 << 64) - 1


class Settling:
    """The choice between Python's integers and compiled code, which pays for much work.

    Parameters
    ----------
    bits : int
        The absolute values of all results are at most 2^bits.

    Examples
    --------
    >>> Settling(1000).load_kernel(1 << 40) is None
    True
    """

    def __init__(self, bits: int) -> None:
        self._is_short = bits <= _MOST_BITS
        self._products = 0

    def load_kernel(self, products: int) -> Any | None:
        """Import the compiled functions if the products so far, and these, are many.

        Parameters
        ----------
        products : int
            To be computed next.

        Returns
        -------
        module or None
            None also where the results are long, or numba is not installed.
        """
        self._products += products
        if not self._is_short or self._products < _MOST_PLAIN:
            return None
        try:
            from samapprox.proofs.checks import near_ties_kernel
        except ImportError:  # numba is not installed, or does not fit this numpy
            return None
        return near_ties_kernel


def as_integers(bits: int, *arrays: ExactArray) -> tuple[ExactArray, ...]:
    """Return arrays in which results of so many bits are right, whatever overflows before.

    Parameters
    ----------
    bits : int
        The absolute values of all results are at most 2^bits.
    *arrays : ndarray of int64 or Python integers

    Returns
    -------
    tuple of ndarray
        Of int64, where sums and products are right modulo 2^64; or of Python integers.

    Examples
    --------
    >>> (huge,) = as_integers(10, np.array([1 << 61]))
    >>> (huge * 4 - (huge - 1) * 4).tolist()
    [4]
    """
    if bits < 63 and all(array.dtype == np.int64 for array in arrays):
        return arrays
    return tuple(array.astype(object) for array in arrays)


def to_words(numbers: ExactArray, bits: int) -> NDArray[np.uint64]:
    """Write integers modulo a power of two that tells results of so many bits apart.

    Parameters
    ----------
    numbers : ndarray of int
        Of any size; N in all.
    bits : int
        The absolute values of all results are at most 2^bits.

    Returns
    -------
    ndarray of uint64, shape (N, W)
        A row for each number, the lowest words first, for the least W with bits < 64 W - 1.

    Examples
    --------
    >>> [hex(word) for word in to_words(np.array([-2]), 63)[0].tolist()]
    ['0xfffffffffffffffe', '0xffffffffffffffff']
    """
    words = (bits + 1) // 64 + 1
    numbers = numbers.reshape(-1)
    written = np.empty((len(numbers), words), dtype=np.uint64)
    for place in range(words):
        if numbers.dtype == object:
            written[:, place] = numbers >> 64 * place & _WORD
        else:  # all words above the first repeat the sign
            written[:, place] = (numbers >> 63 if place else numbers).astype(np.uint64)
    return written
