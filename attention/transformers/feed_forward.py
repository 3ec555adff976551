"""Token-wise feed-forward layers with a residual connection, and their activations."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from samapprox.attention.transformers.columns import Matrix, apply_matrix, as_matrix, as_vector
from samapprox.errors import InputError, require_list

Activation = Callable[[Matrix], Matrix]
"""A function of every entry."""


def relu(entries: Matrix) -> Matrix:
    """Compute max(0, t) of every entry; integers, floats and objects stay such.

    Parameters
    ----------
    entries : ndarray
        Numbers of any shape.

    Returns
    -------
    ndarray
        Of the same shape.

    Examples
    --------
    >>> relu(np.array([-2, 3])).tolist()
    [0, 3]
    """
    return np.maximum(entries, 0)


def gelu(entries: Matrix) -> Matrix:
    """Compute t times the standard normal distribution function of t.

    Objects are computed in mpmath at its working precision, all else in floats.

    Parameters
    ----------
    entries : ndarray
        Numbers of any shape.

    Returns
    -------
    ndarray
        Of the same shape.

    References
    ----------
    Hendrycks and Gimpel (2016), Gaussian error linear units.

    Examples
    --------
    >>> gelu(np.array([0.0, 1.0, -40.0])).round(4).tolist()
    [0.0, 0.8413, -0.0]
    """
    if entries.dtype == object:
        return np.asarray(np.frompyfunc(_gelu, 1, 1)(entries), dtype=object)
    from scipy.special import ndtr

    return np.asarray(entries * ndtr(entries))


def _gelu(number: Any) -> Any:
    import mpmath

    t = mpmath.mpmathify(number)
    return t * mpmath.ncdf(t)


@dataclass(frozen=True, slots=True)
class PiecewiseLinear:
    """A piecewise linear function of two or three half-open pieces, continuous or not.

    Attributes
    ----------
    starts : tuple of numbers
        Where the second and the third piece start: a piece contains its start, not its end.
    slopes, intercepts : tuples of numbers
        Piece i is slopes[i] t + intercepts[i]; one more each than `starts`.

    Raises
    ------
    InputError
        Other numbers of pieces, or starts that do not ascend.

    References
    ----------
    Yun et al. (2020), appendix D: the class Phi asks for at most three pieces, at least one of them
    constant. Lemma 6 has -t on [0, delta), Lemma 8 has 1 on [-delta/2, delta/2).

    Examples
    --------
    >>> PiecewiseLinear(starts=(0, 4), slopes=(0, -1, 0))(np.array([-1, 0, 3, 4])).tolist()
    [0, 0, -3, 0]
    """

    starts: tuple[Any, ...]
    slopes: tuple[Any, ...] = (0, 0, 0)
    intercepts: tuple[Any, ...] = (0, 0, 0)

    def __post_init__(self) -> None:
        for name in ("starts", "slopes", "intercepts"):
            require_list(name, getattr(self, name), "numbers")
            object.__setattr__(self, name, tuple(getattr(self, name)))
        if not (1 <= len(self.starts) <= 2 and len(self.slopes) == len(self.intercepts)):
            raise InputError(
                f"a piecewise linear function needs 1 or 2 starts and as many slopes as "
                f"intercepts, not {len(self.starts)}, {len(self.slopes)}, {len(self.intercepts)}"
            )
        if len(self.slopes) != len(self.starts) + 1:
            raise InputError(
                f"{len(self.starts) + 1} pieces need as many slopes, not {len(self.slopes)}"
            )
        if list(self.starts) != sorted(set(self.starts)) or not all(map(_is_finite, self.starts)):
            raise InputError(f"the starts of pieces must ascend, not {list(self.starts)}")

    def __call__(self, entries: Matrix) -> Matrix:
        """Return the function of every entry.

        Integers and floats stay such where slopes and intercepts are; objects stay exact.
        """
        piece = sum((entries >= start).astype(np.intp) for start in self.starts)
        return np.asarray(
            np.asarray(self.slopes)[piece] * entries + np.asarray(self.intercepts)[piece]
        )


def _is_finite(number: Any) -> bool:
    return bool(-math.inf < number < math.inf)


@dataclass(frozen=True, slots=True, eq=False)
class FeedForward:
    """A feed-forward layer: X + W_2 phi(W_1 X + b_1) + b_2 on every token.

    Attributes
    ----------
    w_1 : ndarray, shape (r, d)
        The weights of the hidden layer.
    b_1 : ndarray, shape (r,)
        Its biases.
    w_2 : ndarray, shape (d, r)
        The weights of the output.
    b_2 : ndarray, shape (d,)
        Its biases.
    activation : callable
        A function of every entry: `relu`, `gelu` or a `PiecewiseLinear`.

    Raises
    ------
    InputError
        Shapes that do not fit together.

    References
    ----------
    Yun et al. (2020), Eq. 2 (STB), with the biases that it leaves out.

    Examples
    --------
    >>> import numpy as np
    >>> layer = FeedForward([[1]], [-2], [[1]], [0])
    >>> layer.apply(np.array([[[1, 5]]])).tolist()
    [[[1, 8]]]
    """

    w_1: Matrix
    b_1: Matrix
    w_2: Matrix
    b_2: Matrix
    activation: Activation

    def __init__(
        self,
        w_1: ArrayLike,
        b_1: ArrayLike,
        w_2: ArrayLike,
        b_2: ArrayLike,
        activation: Activation = relu,
    ) -> None:
        first, second = as_matrix("w_1", w_1), as_matrix("w_2", w_2)
        if first.shape != second.shape[::-1]:
            raise InputError(
                f"w_1 and w_2 have shapes {first.shape} and {second.shape}; they must be "
                "(r, d) and (d, r)"
            )
        object.__setattr__(self, "w_1", first)
        object.__setattr__(self, "b_1", as_vector("b_1", b_1, len(first)))
        object.__setattr__(self, "w_2", second)
        object.__setattr__(self, "b_2", as_vector("b_2", b_2, len(second)))
        object.__setattr__(self, "activation", activation)

    @property
    def d(self) -> int:
        """The dimension of tokens."""
        return len(self.w_2)

    @property
    def arrays(self) -> tuple[Matrix, ...]:
        """Both matrices, each before its biases."""
        return self.w_1, self.b_1, self.w_2, self.b_2

    @property
    def parameters(self) -> int:
        """The number of entries of both matrices and biases."""
        return sum(array.size for array in self.arrays)

    def apply(self, columns: Matrix) -> Matrix:
        """Compute the layer on columns of shape (d, inputs, n).

        Parameters
        ----------
        columns : ndarray, shape (d, inputs, n)
            The embeddings of all tokens of all inputs.

        Notes
        -----
        O(inputs n d r): two matrix products.
        """
        hidden = apply_matrix(self.w_1, columns) + self.b_1[:, None, None]
        update = apply_matrix(self.w_2, self.activation(hidden))
        return columns + update + self.b_2[:, None, None]
