"""Keys that represented one pattern, and the other patterns that they represent.

Seven points in general position in the plane have one of 135 order types, and each of them makes
many thousands of patterns. So the keys of one embedding settle many patterns without a search: some
order of the columns must turn each row into a split that a hyperplane makes of these keys.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray
from scipy.optimize import linprog

from records.classes import column_orders, pattern_rows, split_images, split_rows
from samapprox import Embedding

__all__ = ["KeySets"]

_MOST_BITS = 20


class KeySets:
    """Sets of n keys in R^d, each with the splits that hyperplanes make of them.

    Parameters
    ----------
    n, d : int

    Examples
    --------
    >>> sets = KeySets(3, 1)
    >>> sets.add(np.array([[0], [1], [2]]))
    >>> found = sets.embedding(np.uint64(0b1100))  # rows 010 and 110
    >>> found.keys.ravel().tolist()
    [1, 0, 2]
    """

    def __init__(self, n: int, d: int) -> None:
        self.n, self.d = n, d
        self._masks: list[int] = []
        self._keys: list[NDArray[np.int64]] = []
        self._cuts: list[dict[int, NDArray[np.int64]]] = []

    def add(self, keys: NDArray[np.int64]) -> None:
        """Add a set of keys with all the splits that hyperplanes make of it; 2^(n-1) LPs."""
        cuts = {}
        for split, entries in enumerate(split_rows(self.n)[1:], 1):
            cut = _cut(keys, entries)
            if cut is not None:
                cuts[split] = cut
        self._masks.append(sum(1 << split for split in cuts))
        self._keys.append(keys)
        self._cuts.append(cuts)

    def embedding(self, form: np.uint64) -> Embedding | None:
        """An embedding of a set of splits by some keys, if there are such; n! steps for each."""
        images = split_images(self.n)
        masks = np.array(self._masks, dtype=np.uint64)
        order, which = _fit(form, images, masks)
        if which < 0:
            return None
        keys = self._keys[which][column_orders(self.n)[order]]
        rows = pattern_rows(form, self.n)
        splits = (rows.astype(np.int64) << np.arange(self.n)).sum(axis=1)
        cuts = np.array([self._cuts[which][split] for split in images[order, splits].tolist()])
        queries, thresholds = cuts[:, :-1], cuts[:, -1]
        turned = queries @ keys[-1] > thresholds  # the last entry of every row is 0
        sign = np.where(turned, -1, 1)
        return Embedding(queries * sign[:, None], keys, thresholds * sign - turned)


def _cut(keys: NDArray[np.int64], entries: NDArray[np.uint8]) -> NDArray[np.int64] | None:
    """A query and a threshold in integers: q k > t for the ones alone; None if there are none.

    The LP finds the widest margin for |q| <= 1. Doubling makes q k - t a multiple of the margin, so
    rounding succeeds before long; a margin that is too narrow counts as none.
    """
    sign = np.where(entries == 1, 1.0, -1.0)[:, None]
    count, d = keys.shape
    # sign (q k - t) >= margin, to be maximised
    rows = np.hstack([-sign * keys, sign, np.ones((count, 1))])
    bounds = [(-1, 1)] * d + [(None, None), (None, None)]
    found = linprog([0.0] * (d + 1) + [-1.0], rows, np.zeros(count), bounds=bounds, method="highs")
    if found.status != 0 or found.x[-1] <= 0:
        return None
    for bits in range(_MOST_BITS):
        cut: NDArray[np.int64] = np.rint(found.x[:-1] * 2.0**bits).astype(np.int64)
        if ((keys @ cut[:-1] > cut[-1]) == (entries == 1)).all():
            return cut
    return None


@njit(cache=True)
def _fit(form: Any, images: Any, masks: Any) -> tuple[int, int]:
    """An order of the columns, and a mask that contains all splits in this order; or -1, -1."""
    splits = np.empty(64, dtype=np.int64)
    count = 0
    for split in range(images.shape[1]):
        if form >> np.uint64(split) & np.uint64(1):
            splits[count] = split
            count += 1
    for order in range(len(images)):
        image = np.uint64(0)
        for k in range(count):
            image |= np.uint64(1) << np.uint64(images[order, splits[k]])
        for which in range(len(masks)):
            if image & ~masks[which] == 0:
                return order, which
    return -1, -1
