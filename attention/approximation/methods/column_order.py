"""An order of the columns on the moment curve that keeps those of one row far apart."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from samapprox.attention.approximation.target import Target

__all__ = ["room", "spread_out"]

Places = NDArray[np.int64]
Floats = NDArray[np.float64]

_CANDIDATES = 64
_PATIENCE = 4
_MOST_NONZEROS = 16  # of a row or column; rows of more are close in any order


def spread_out(target: Target, seed: int = 0) -> Places:
    r"""Order the columns so that no two of one row are close.

    Parameters
    ----------
    target : Target, shape (n, n)
    seed : int

    Returns
    -------
    ndarray of int64, shape (n,)
        A permutation: the place of every column on a circle of n places.

    Notes
    -----
    Two columns of the row with the least `room` change places as long as that helps; each try costs
    O(k^3) for k nonzeros a row and column, and mostly less than n are needed. With n > 2 (2m - 1)
    k (k - 1) there is always a swap that takes a column out of a conflict of distance below m and
    makes no new one: so distances of n / (4 k (k - 1)) are within reach, and logits of O(n^2)
    (`docs/theory/constructions.md`). Rows or columns of more than 16 nonzeros stay as they are.

    Examples
    --------
    >>> from samapprox.attention.approximation import sample
    >>> A = sample(60, 2, 1.0)
    >>> bool(room(A, np.arange(60)).min() < 0.1), bool(room(A, spread_out(A)).min() > 0.5)
    (True, True)
    """
    if target.row_k == 1 or target.k > _MOST_NONZEROS:
        return np.arange(target.n)
    search = _Search(target, seed)
    failures = 0
    for _ in range(8 * target.n):
        failures = 0 if search.improve() else failures + 1
        if failures > _PATIENCE:
            break
    return search.places


def room(target: Target, places: Places) -> Floats:
    """Return, for every row, the least product of 1 - cos of the angles to its other columns.

    The query's polynomial is that much steeper at s than a single factor: the scale of a row's
    logits is n^2 divided by it.

    Examples
    --------
    >>> A = Target.from_array((np.eye(4) + np.roll(np.eye(4), 1, axis=1)) / 2)
    >>> room(A, np.arange(4)).round(6).tolist()
    [1.0, 1.0, 1.0, 1.0]
    >>> room(A, np.array([0, 2, 1, 3])).round(6).tolist()
    [2.0, 1.0, 2.0, 1.0]
    """
    columns, present = _padded(target.columns, target.indptr)
    return _room(places[columns], present, target.n)


class _Search:
    """Places, and the room of every row."""

    def __init__(self, target: Target, seed: int) -> None:
        self.n = target.n
        self.rng = np.random.default_rng(seed)
        self.places: Places = self.rng.permutation(self.n)
        self.columns, self.present = _padded(target.columns, target.indptr)
        by_column = np.argsort(target.columns, kind="stable")
        ends = np.searchsorted(target.columns[by_column], np.arange(self.n + 1))
        self.rows, self.held = _padded(target.rows[by_column], ends)
        self.room = _room(self.places[self.columns], self.present, self.n)

    def improve(self) -> bool:
        """Improve the worst row by the best of some swaps; return whether it improved."""
        worst = int(self.room.argmin())
        for s in self.columns[worst][self.present[worst]].tolist():
            others = self.rng.integers(self.n, size=_CANDIDATES)
            touched, counts = self._touched(s, others)
            after = self._after(s, others, touched)
            least = np.where(counts, after, np.inf).min(axis=1)
            best = int(least.argmax())
            if least[best] > self.room[worst]:
                u = int(others[best])
                self.places[[s, u]] = self.places[[u, s]]
                rows = touched[best][counts[best]]
                self.room[rows] = after[best][counts[best]]
                return True
        return False

    def _touched(self, s: int, others: Places) -> tuple[Places, NDArray[np.bool_]]:
        """Return the rows with s or the other column, for every candidate."""
        shape = (len(others), self.rows.shape[1])
        rows = np.hstack([np.broadcast_to(self.rows[s], shape), self.rows[others]])
        return rows, np.hstack([np.broadcast_to(self.held[s], shape), self.held[others]])

    def _after(self, s: int, others: Places, touched: Places) -> Floats:
        """Return the room that these rows have after each swap."""
        columns, other = self.columns[touched], others[:, None, None]
        places = self.places[columns]
        places = np.where(columns == other, self.places[s], places)
        places = np.where(columns == s, self.places[other], places)
        return _room(places, self.present[touched], self.n)


def _padded(values: Places, indptr: Places) -> tuple[Places, NDArray[np.bool_]]:
    """Return the consecutive parts as rows of a matrix, and where it holds something."""
    counts = np.diff(indptr)
    present = np.arange(counts.max()) < counts[:, None]
    padded = np.zeros(present.shape, dtype=np.int64)
    padded[present] = values
    return padded, present


def _room(places: Places, present: NDArray[np.bool_], n: int) -> Floats:
    """Return least product of 1 - cos along the last axis."""
    angles = (2 * np.pi / n) * places
    factors = 1 - np.cos(angles[..., :, None] - angles[..., None, :])
    k = places.shape[-1]
    counts = present[..., None, :] & ~np.eye(k, dtype=np.bool_)
    products = np.where(counts, factors, 1.0).prod(axis=-1)
    return np.asarray(np.where(present, products, np.inf).min(axis=-1))
