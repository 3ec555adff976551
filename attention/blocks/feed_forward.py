"""Token-wise feed-forward layers with a residual connection."""

from __future__ import annotations

from dataclasses import dataclass

from numpy.typing import ArrayLike

from samapprox.attention.blocks.activations import Activation, relu
from samapprox.attention.blocks.columns import Matrix, apply_matrix, as_matrix, as_vector
from samapprox.errors import InputError

__all__ = ["FeedForward"]


@dataclass(frozen=True, slots=True, eq=False)
class FeedForward:
    """A feed-forward layer: X + W_2 phi(W_1 X + b_1) + b_2 on every token.

    Attributes
    ----------
    w_1 : ndarray, shape (r, d)
    b_1 : ndarray, shape (r,)
    w_2 : ndarray, shape (d, r)
    b_2 : ndarray, shape (d,)
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
    def parameters(self) -> int:
        """The number of entries of both matrices and biases."""
        return self.w_1.size + self.b_1.size + self.w_2.size + self.b_2.size

    def apply(self, columns: Matrix) -> Matrix:
        """Compute the layer on columns of shape (d, inputs, n).

        Notes
        -----
        O(inputs n d r): two matrix products.
        """
        hidden = apply_matrix(self.w_1, columns) + self.b_1[:, None, None]
        update = apply_matrix(self.w_2, self.activation(hidden))
        return columns + update + self.b_2[:, None, None]
