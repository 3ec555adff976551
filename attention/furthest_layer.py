"""Proposition 1: one layer of full attention finds the furthest vector of each."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from samapprox.errors import InputError, require_number, require_whole
from samapprox.problem import require_dimension
from samapprox.support.arrays import Floats
from samapprox.vectors import as_vectors

_LEAST_EXPONENT = 746.0
"""exp(-746) is 0 in float64, subnormal numbers included."""


@dataclass(frozen=True, slots=True)
class FurthestLayer:
    """The transformer layer of Proposition 1 as matrices: a single head of size 2d.

    A unit vector u enters as a = [u; 0]. With Q(a) = -a and K(a) = a the logits are -u_j . u_k, so
    that the most attended key is the furthest; V(a) = [0; u] and the residual connection make
    the output [u_j; u_(j*)].

    Attributes
    ----------
    d : int
        Dimension of the vectors.

    Notes
    -----
    O(n^2 d) time; memory O(n) rows of n logits at a time.

    References
    ----------
    Zaheer et al. (2020), "Big Bird: Transformers for Longer Sequences", Proposition 1, appendix C.

    Examples
    --------
    >>> layer = FurthestLayer(2)
    >>> layer([[1, 0], [0, 1], [-1, 0]])[:, 2:].tolist()
    [[-1.0, 0.0], [1.0, 0.0], [1.0, 0.0]]
    """

    d: int

    def __post_init__(self) -> None:
        require_dimension("d", self.d)

    @property
    def W_E(self) -> Floats:
        """The embedding u -> [u; 0], shape (d, 2d)."""
        return np.eye(self.d, 2 * self.d)

    @property
    def W_Q(self) -> Floats:
        """Queries a -> -a, shape (2d, 2d)."""
        return -np.eye(2 * self.d)

    @property
    def W_K(self) -> Floats:
        """Keys a -> a, shape (2d, 2d)."""
        return np.eye(2 * self.d)

    @property
    def W_V(self) -> Floats:
        """Values [u; 0] -> [0; u], shape (2d, 2d)."""
        return np.eye(2 * self.d, k=self.d)

    def __call__(self, vectors: ArrayLike, *, scale: float | None = None) -> Floats:
        """Return the output [u_j; u_(j*)] for unit vectors u_1, .., u_n.

        Parameters
        ----------
        vectors : array_like of float, shape (n, d)
            The unit vectors.
        scale : float, optional
            Softmax of the logits times this number (see `softmax_scale`); by default hard
            attention, which takes the value of the first key of greatest logit.

        Returns
        -------
        ndarray of float64, shape (n, 2d)

        Raises
        ------
        InputError
            Not vectors of dimension d.
        """
        given = as_vectors(vectors).astype(np.float64)
        if given.shape[1] != self.d:
            raise InputError(f"the layer takes vectors of dimension {self.d}, not {given.shape[1]}")
        a = given @ self.W_E
        queries, keys, values = a @ self.W_Q, a @ self.W_K, a @ self.W_V
        return np.stack([a[j] + _head(keys @ queries[j], values, scale) for j in range(len(a))])


def _head(logits: Floats, values: Floats, scale: float | None) -> Floats:
    """Return the memory that one query takes up."""
    if scale is None:
        return np.asarray(values[logits.argmax()])
    weights = np.exp(scale * (logits - logits.max()))
    return np.asarray(weights @ values / weights.sum())


def softmax_scale(gap: float, n: int, error: float = 0.0) -> float:
    """Return the factor of the logits for which the softmax acts as hard attention.

    Parameters
    ----------
    gap : float
        By how much the greatest logit of every row exceeds all others.
    n : int
        Number of keys.
    error : float
        How far the output may be from the furthest vector. 0: the other weights vanish in float64,
        and the output is exact.

    Returns
    -------
    float
        The inverse temperature.

    Raises
    ------
    InputError
        A gap or n that is not positive, or a negative error.

    Notes
    -----
    All weights but the greatest are at most exp(-scale gap), and unit vectors are at most 2 apart:
    the error is at most 2 (n - 1) exp(-scale gap).

    Examples
    --------
    >>> round(softmax_scale(0.5, 101, error=0.002), 2)
    23.03
    """
    for name, value in (("gap", gap), ("n", n), ("the error", error)):
        require_number(name, value)
    require_whole("n", n)
    if not 0 < gap < math.inf or n < 1 or not 0 <= error < math.inf:
        raise InputError(f"gap and n must be positive, the error not negative: {gap}, {n}, {error}")
    exponent = _LEAST_EXPONENT
    if error > 0 and n > 1:
        exponent = min(exponent, max(0.0, math.log(2 * (n - 1) / error)))
    return exponent / gap
