"""Random right stochastic matrices as in the paper's experiments."""

from __future__ import annotations

import numpy as np

from samapprox.attention.approximation.target import Target
from samapprox.errors import InputError

__all__ = ["sample"]

_MOST_GAMMA = 1e100
_MOST_TOKENS = 1 << 20


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
    if n > _MOST_TOKENS:
        raise InputError(f"n must be at most {_MOST_TOKENS}, not {n}: the layers for A are dense")
    if n < 1 or not 1 <= k <= n:
        raise InputError(f"k permutations of n tokens need 1 <= k <= n, not k = {k}, n = {n}")
    if not 1 <= gamma <= _MOST_GAMMA:
        raise InputError(f"gamma must be in 1..{_MOST_GAMMA:g}, not {gamma}")
    if not 0 <= seed < 2**32:
        raise InputError(f"the seed must be in 0..2^32 - 1, not {seed}")
    rng = np.random.RandomState(seed)
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
