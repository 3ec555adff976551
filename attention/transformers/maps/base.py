"""The base class of all probability maps: rows of scores in, rows of probabilities out."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from samapprox.errors import InputError, require_whole
from samapprox.support.parallel import share_rows
from samapprox.support.parameters import require

Scores = NDArray[np.float32] | NDArray[np.float64]


class ProbabilityMap(ABC):
    """The rho of Yun et al. (2020), 3.1: maps each row of scores to probabilities.

    A map is a frozen dataclass of its parameters, with a compiled `_fill` and two gaps. All maps
    here depend on differences of scores alone, give equal scores equal probabilities (but for
    `TopKSoftmax` and `Hardmax`, which must choose among them) and greater ones no smaller.
    """

    __slots__ = ()

    def __call__(self, scores: Any, *, threads: int | None = None) -> Scores:
        """Return the probabilities of every row.

        Parameters
        ----------
        scores : array_like, shape (rows, keys)
            float32 stays float32; all else is taken as float64. Of infinite scores the limit
            counts: -inf has probability 0, and rows with +inf share among these alone.
        threads : int, optional
            All cores by default.

        Returns
        -------
        ndarray of float32 or float64, shape (rows, keys)

        Raises
        ------
        InputError
            Not two axes, no keys, values that are no real numbers, a NaN or a row that has nothing
            but -inf (named).
        """
        rows = _checked(scores)
        if threads is not None:
            require_whole("threads", threads, 1)
        out = np.empty_like(rows)

        def work(start: int, stop: int) -> None:
            part = rows[start:stop]
            tops = part.max(axis=1)
            bad = np.flatnonzero(~(tops > -np.inf))
            if bad.size:
                what = "NaN" if np.isnan(tops[bad[0]]) else "no key: all its scores are -inf"
                raise InputError(f"row {start + bad[0]} has {what}")
            self._fill(part, tops, out[start:stop])

        share_rows(len(rows), work, bytes_touched=2 * rows.nbytes, threads=threads)
        return out

    def apply_exact(self, scores: Any) -> NDArray[np.object_]:
        """Return the probabilities of every row of integers, fractions or mpmath's numbers.

        Hardmax, sparselin-gen and entmax with alpha = 2 give fractions for fractions. Softmax,
        topk-softmax and entmax with alpha = 1 or 1.5 compute in mpmath at its working precision.

        Parameters
        ----------
        scores : array_like of finite numbers, shape (rows, keys)
            Integers, fractions, floats or numbers of mpmath.

        Returns
        -------
        ndarray of object, shape (rows, keys)
            The probabilities, exactly or in mpmath.

        Raises
        ------
        InputError
            Not two axes, no keys, a NaN or +inf (the row is named), or a map that needs floating
            point.

        Notes
        -----
        O(rows keys log keys) operations on Python's numbers.

        Examples
        --------
        >>> from fractions import Fraction
        >>> from samapprox.attention.transformers.maps import SparselinGen
        >>> [str(p) for p in SparselinGen().apply_exact([[Fraction(1, 3), 0]])[0]]
        ['2/3', '1/3']
        """
        rows = np.asarray(scores, dtype=object)
        _check_shape(rows)
        bad = np.flatnonzero(((rows != rows) | (rows == math.inf)).any(axis=1))
        if bad.size:
            raise InputError(f"row {bad[0]} has NaN or an infinite greatest score")
        out = np.empty_like(rows)
        for i, gaps in enumerate(rows.max(axis=1, keepdims=True) - rows):
            out[i] = self._exact_row(gaps.tolist())
        return out

    def _exact_row(self, gaps: list[Any]) -> list[Any]:
        """Return the probabilities of a row, given the gaps below its greatest score."""
        raise InputError(f"{self} has no exact form; give floats, or choose another map")

    @abstractmethod
    def _fill(self, scores: Scores, tops: Scores, out: Scores) -> None:
        """Write the probabilities of rows whose greatest scores are `tops`."""

    @abstractmethod
    def _gap(self, keys: int, eta: float) -> float:
        """Compute `least_gap` for keys >= 2 and eta < 1; it may be negative."""

    def _published_gap(self, keys: int, eta: float) -> float:
        """Compute `published_gap` for keys >= 2; by default it is the least gap."""
        return self._gap(keys, eta)

    def least_gap(self, keys: int, eta: float) -> float:
        """Return the least gap between the greatest score and all others that leaves these eta.

        With scores scaled by t, gaps of zeta become t zeta: so this over zeta is the least t of
        Assumption 2 of Yun et al. (2020). Where it is 0, every t > 0 suffices.

        Parameters
        ----------
        keys : int
            Scores of a row.
        eta : float
            In (0, 1].

        Raises
        ------
        InputError
            keys or eta out of range.

        Notes
        -----
        The probability of the greatest score falls when another score rises, for every map here.
        So the worst row has all others just the gap below, and there the gap follows from
        p_1 + (keys - 1) p_2 = 1.
        """
        _check(keys, eta)
        return 0.0 if keys == 1 or eta == 1 else max(0.0, self._gap(keys, eta))

    def published_gap(self, keys: int, eta: float) -> float:
        """Return the gap t zeta by which appendix B of Yun et al. (2020) proves Assumption 2.

        See `least_gap` for the parameters.

        Parameters
        ----------
        keys : int
            Number of keys.
        eta : float
            In (0, 1].
        """
        _check(keys, eta)
        return 0.0 if keys == 1 else max(0.0, self._published_gap(keys, eta))


def _check(keys: int, eta: float) -> None:
    require(keys >= 1, f"a row must have at least 1 key, not {keys}")
    require(0 < eta <= 1, f"eta must be above 0 and at most 1, not {eta}")


def softmax_gap(keys: int, eta: float) -> float:
    """Return the gap of the softmax: 1 / (1 + (keys - 1) exp(-gap)) = 1 - eta, for keys >= 2."""
    if eta == 1:
        return -math.inf
    return math.log(keys - 1) + math.log1p(-eta) - math.log(eta)


def _checked(scores: Any) -> Scores:
    """Convert scores to contiguous rows of floats."""
    array = np.asarray(scores)
    if array.dtype.kind not in "fiub":
        raise InputError(f"scores must be real numbers, not {array.dtype}")
    _check_shape(array)
    if array.dtype == np.float32:
        return np.ascontiguousarray(array, dtype=np.float32)
    return np.ascontiguousarray(array, dtype=np.float64)


def _check_shape(array: NDArray[Any]) -> None:
    if array.ndim != 2:
        raise InputError(f"scores must have 2 axes (rows, keys), not {array.ndim}")
    if array.shape[1] == 0:
        raise InputError("scores have no columns; a row needs at least one key")
