"""The right stochastic matrix A that attention is to approximate, given or random."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from samapprox.errors import InputError, abridge, require_flag, require_number, require_whole
from samapprox.support.parameters import random_stream

_TOLERANCE = 1e-5  # error of a row's sum, for weights that were stored in float32
_ROUNDING = 1e-6  # relative error of a ratio of two such weights


@dataclass(frozen=True, slots=True, eq=False)
class Target:
    """A right stochastic matrix A, by its nonzero entries, row by row.

    Row i has the columns ``columns[indptr[i]:indptr[i + 1]]`` in ascending order, and the values
    in the same places; `row` gives both. Make it by `from_array`, `from_weights` or
    `samapprox.attention.approximation.sample`.

    Attributes
    ----------
    indptr : ndarray of int64, shape (n + 1,)
        Row i has the entries ``indptr[i]`` to ``indptr[i + 1]`` of the other arrays.
    columns : ndarray of int64, shape (number of nonzeros,)
        The column of each nonzero, ascending within a row.
    values : ndarray of float64, shape (number of nonzeros,)
        Positive; each row's sum to 1 up to rounding.

    Examples
    --------
    >>> A = Target.from_array([[0.5, 0.5, 0], [0, 1, 0], [0, 0.2, 0.8]])
    >>> A.n, A.k, A.gamma, A.is_causal
    (3, 3, 4.0, False)
    >>> [part.tolist() for part in A.row(2)]
    [[1, 2], [0.2, 0.8]]
    """

    indptr: NDArray[np.int64]
    columns: NDArray[np.int64]
    values: NDArray[np.float64]

    @classmethod
    def from_array(cls, matrix: ArrayLike) -> Target:
        """Make the target from the nonzero entries of a square matrix.

        Parameters
        ----------
        matrix : array_like or scipy sparse, shape (n, n)
            Nonnegative entries; the sum of each row is 1.

        Raises
        ------
        InputError
            Not a square matrix of finite numbers, or not right stochastic: the row is named, and
            by how much it is wrong.

        Notes
        -----
        O(n^2). A row's sum may be off by 1e-5, as after storing it in float32.
        """
        given = _square(matrix)
        sums = given.sum(axis=1)
        negative = np.argwhere(given < 0)
        if len(negative):
            row, column = negative[0]
            raise InputError(
                f"A is not right stochastic: row {row} has {given[row, column]:.6g} in column "
                f"{column}; no entry may be negative"
            )
        wrong = np.flatnonzero(np.abs(sums - 1) > _TOLERANCE)
        if wrong.size:
            row = wrong[0]
            raise InputError(
                f"A is not right stochastic: row {row} sums to {sums[row]:.9g}, off by "
                f"{sums[row] - 1:+.3g}; divide each row by its sum"
            )
        rows, columns = np.nonzero(given)
        return cls(
            np.searchsorted(rows, np.arange(len(given) + 1)).astype(np.int64),
            columns.astype(np.int64),
            given[rows, columns],
        )

    @classmethod
    def from_weights(cls, matrix: ArrayLike) -> Target:
        """Make the target RN of a nonnegative matrix, such as a 0/1 pattern.

        Parameters
        ----------
        matrix : array_like or scipy sparse, shape (n, n)
            The entries, which are not negative.

        Raises
        ------
        InputError
            Not a square matrix of finite nonnegative numbers, or a row without a positive one.

        Examples
        --------
        >>> Target.from_weights([[1, 3], [0, 1]]).values.tolist()
        [0.25, 0.75, 1.0]
        """
        from samapprox.attention.self_attention import row_normalised

        return cls.from_array(row_normalised(_square(matrix)))

    @property
    def n(self) -> int:
        """Number of rows and of columns."""
        return len(self.indptr) - 1

    @property
    def k(self) -> int:
        """The least k for which A is k-nonzero-bounded: rows and columns have at most k nonzeros.

        Constructions whose rank depends on rows alone want `row_k`.
        """
        return int(max(self.row_k, np.bincount(self.columns, minlength=self.n).max()))

    @property
    def row_k(self) -> int:
        """The greatest number of nonzeros in a row."""
        return int(np.diff(self.indptr).max())

    @property
    def gamma(self) -> float:
        """The least gamma for which A is gamma-variation-bounded: the greatest ratio in a row.

        Infinite where no float is that great.
        """
        with np.errstate(over="ignore"):
            return float((self._per_row(np.maximum) / self.least).max())

    @property
    def least(self) -> NDArray[np.float64]:
        """The least nonzero entry of every row, alpha of Equation (9), shape (n,)."""
        return self._per_row(np.minimum)

    @property
    def logs(self) -> NDArray[np.float64]:
        """Logarithms of `values`."""
        return np.asarray(np.log(self.values))

    @property
    def log_ratios(self) -> NDArray[np.float64]:
        """Logarithms of `values` over the least nonzero of their row."""
        return np.asarray(self.logs - np.repeat(np.log(self.least), np.diff(self.indptr)))

    @property
    def rows(self) -> NDArray[np.int64]:
        """The row of every nonzero, beside `columns` and `values`."""
        return np.repeat(np.arange(self.n), np.diff(self.indptr))

    @property
    def is_causal(self) -> bool:
        """Whether no entry is above the diagonal."""
        return bool((self.columns <= self.rows).all())

    def row(self, i: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return columns and values of the nonzeros of row i.

        Parameters
        ----------
        i : int
            Number of the row.
        """
        part = slice(self.indptr[i], self.indptr[i + 1])
        return self.columns[part], self.values[part]

    def to_array(self) -> NDArray[np.float64]:
        """Return the matrix, shape (n, n)."""
        matrix = np.zeros((self.n, self.n))
        matrix[self.rows, self.columns] = self.values
        return matrix

    def support(self, start: int, stop: int) -> NDArray[np.bool_]:
        """Mark the nonzeros of rows start..stop, shape (stop - start, n).

        Parameters
        ----------
        start, stop : int
            Rows start..stop-1.
        """
        support = np.zeros((stop - start, self.n), dtype=np.bool_)
        part = slice(self.indptr[start], self.indptr[stop])
        support[self.rows[part] - start, self.columns[part]] = True
        return support

    def require(
        self, *, k: int | None = None, gamma: float | None = None, causal: bool = False
    ) -> None:
        """Refuse A unless it is k-nonzero-bounded, gamma-variation-bounded, lower triangular.

        Parameters
        ----------
        k : int, optional
            Most nonzeros of a row and column.
        gamma : float, optional
            Largest ratio of two nonzeros of a row.
        causal : bool
            No nonzero above the diagonal.

        Raises
        ------
        InputError
            The message says A's own k or gamma, or the first entry above the diagonal; or no float
            holds gamma.

        Examples
        --------
        >>> Target.from_array([[0.5, 0.5], [0, 1]]).require(k=1)
        Traceback (most recent call last):
        ...
        samapprox.errors.InputError: k = 1 is less than A's: a row or column has 2 nonzeros; ...
        """
        if k is not None and k < self.k:
            raise InputError(
                f"k = {k} is less than A's: a row or column has {self.k} nonzeros; give k >= "
                f"{self.k}"
            )
        if gamma is not None and not gamma * (1 + _ROUNDING) >= self.gamma:
            raise InputError(
                f"gamma = {float(gamma):g} is less than A's: nonzeros of a row have ratio "
                f"{self.gamma:.6g}; give gamma >= {self.gamma:.6g}"
            )
        if not math.isfinite(self.gamma):
            raise InputError(
                "the nonzeros of a row of A differ too much for floats; set the smallest to 0"
            )
        above = np.flatnonzero(self.columns > self.rows) if causal else np.empty(0, np.int64)
        if above.size:
            row, column = self.rows[above[0]], self.columns[above[0]]
            raise InputError(
                f"A has an entry above the diagonal, in row {row}, column {column}: causal "
                "attention cannot look ahead; drop it, or ask without causal"
            )

    def _per_row(self, function: Any) -> NDArray[np.float64]:
        return np.asarray(function.reduceat(self.values, self.indptr[:-1]))


def _square(matrix: ArrayLike) -> NDArray[np.float64]:
    """Return a square matrix of finite numbers."""
    try:
        given = np.asarray(matrix)
    except ValueError:
        raise InputError("A is ragged: every row needs the same number of entries") from None
    if given.dtype.kind not in "biuf" or given.ndim != 2 or not given.size:
        raise InputError(f"A must be a matrix of numbers, not {given.dtype} of shape {given.shape}")
    rows, columns = given.shape
    if rows != columns:
        raise InputError(f"A must be square, not {rows} x {columns}: tokens attend to tokens")
    given = given.astype(np.float64)
    wrong = np.argwhere(~np.isfinite(given))
    if len(wrong):
        row, column = wrong[0]
        raise InputError(f"the entry at row {row}, column {column} of A is {given[row, column]}")
    return given


_MOST_GAMMA = 1e100  # far from where ratios overflow
_MOST_TOKENS = 1 << 20  # the layers for A are dense


def sample(n: int, k: int, gamma: float, seed: int = 0, *, causal: bool = False) -> Target:
    """Draw a union of k random permutation matrices, entries 1 or gamma, rows normalised.

    Parameters
    ----------
    n : int
        Number of rows and of columns.
    k : int
        Number of permutations: rows and columns have at most k nonzeros.
    gamma : float
        At least 1, at most 1e100.
    seed : int
        Chooses the matrix; the same on every machine.
    causal : bool
        Keep the lower triangle only; a row that is left without a nonzero gets one on the
        diagonal. (The paper samples no causal matrices.)

    Returns
    -------
    Target
        The matrix, sparse, of shape (n, n).

    Raises
    ------
    InputError
        n above 2^20, k not in 1..n, gamma out of range, or a seed that is not in 0..2^32 - 1.

    Notes
    -----
    O(n k log(n k)).

    References
    ----------
    Likhosherstov, Choromanski, Weller (2023), "Experiments".

    Examples
    --------
    >>> A = sample(100, 2, 3.0, seed=1)
    >>> A.n, A.k, A.gamma
    (100, 2, 3.0)
    """
    for name, value in (("n", n), ("k", k)):
        require_whole(name, value)
    require_number("gamma", gamma)
    require_flag("causal", causal)
    if n > _MOST_TOKENS:
        raise InputError(f"n must be at most {_MOST_TOKENS}, not {abridge(n)}: layers are dense")
    if n < 1 or not 1 <= k <= n:
        raise InputError(f"k permutations of n tokens need 1 <= k <= n = {n}, not {abridge(k)}")
    if not 1 <= gamma <= _MOST_GAMMA:
        raise InputError(f"gamma must be in 1..{_MOST_GAMMA:g}, not {gamma}")
    rng = random_stream(seed)
    cells = np.concatenate([np.arange(n) * n + rng.permutation(n) for _ in range(k)])
    if causal:
        cells = np.append(cells[cells % n <= cells // n], _bare(cells, n))
    cells = np.unique(cells)
    weights = np.where(rng.randint(2, size=len(cells)) == 1, float(gamma), 1.0)
    indptr = np.searchsorted(cells, np.arange(n + 1) * n)
    sums = np.add.reduceat(weights, indptr[:-1])
    return Target(
        indptr.astype(np.int64),
        (cells % n).astype(np.int64),
        np.asarray(weights / np.repeat(sums, np.diff(indptr))),
    )


def _bare(
    cells: np.ndarray[tuple[int, ...], np.dtype[np.int64]], n: int
) -> np.ndarray[tuple[int, ...], np.dtype[np.int64]]:
    """Return diagonal cells of the rows without a cell on or below the diagonal."""
    held = np.unique(cells[cells % n <= cells // n] // n)
    return np.setdiff1d(np.arange(n), held) * (n + 1)
