"""Networks with one hidden layer, and Lemma A.2: GeLU in place of ReLU."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from samapprox.attention.transformers.feed_forward import Activation, gelu, relu

__all__ = ["GELU_GAP", "Floats", "Mlp"]

Floats = NDArray[np.float64]

GELU_GAP = 0.17
"""A bound on |gelu(x) - relu(x)|: the largest difference is 0.16998, at |x| = 0.7518."""


@dataclass(frozen=True, slots=True, eq=False)
class Mlp:
    """A network x -> W_2 phi(W_1 x + b_1) + b_2 with p inputs, r hidden units and q outputs.

    The lemmas are such networks; `Assembly.feed` puts them into the feed-forward layers of a
    transformer.

    Attributes
    ----------
    w_1 : ndarray, shape (r, p)
    b_1 : ndarray, shape (r,)
    w_2 : ndarray, shape (q, r)
    b_2 : ndarray, shape (q,)
    activation : callable
        `relu` or `gelu` of `samapprox.attention.transformers.feed_forward`.

    References
    ----------
    Yang et al. (2024), appendix A.1.

    Examples
    --------
    >>> absolute = Mlp.from_lists([[1], [-1]], [0, 0], [[1, 1]])
    >>> absolute(np.array([[-2.0, 3.0]])).tolist()
    [[2.0, 3.0]]
    """

    w_1: Floats
    b_1: Floats
    w_2: Floats
    b_2: Floats
    activation: Activation = relu

    @classmethod
    def from_lists(
        cls,
        w_1: ArrayLike,
        b_1: ArrayLike,
        w_2: ArrayLike,
        b_2: ArrayLike = 0.0,
        activation: Activation = relu,
    ) -> Mlp:
        """Make a network from anything like arrays; a single number b_2 holds for all outputs."""
        second = np.array(w_2, dtype=np.float64)
        constant = np.zeros(len(second)) + np.asarray(b_2, dtype=np.float64)
        first = np.array(w_1, dtype=np.float64)
        return cls(first, np.array(b_1, dtype=np.float64), second, constant, activation)

    @property
    def inputs(self) -> int:
        """The number of inputs, p."""
        return int(self.w_1.shape[1])

    @property
    def hidden(self) -> int:
        """The number of hidden units, r."""
        return len(self.w_1)

    @property
    def outputs(self) -> int:
        """The number of outputs, q."""
        return len(self.w_2)

    def __call__(self, x: ArrayLike) -> Floats:
        """Compute the outputs, shape (q, ..), for inputs of shape (p, ..)."""
        given = np.asarray(x, dtype=np.float64)
        hidden = self.activation(self.w_1 @ given.reshape(self.inputs, -1) + self.b_1[:, None])
        found = self.w_2 @ hidden + self.b_2[:, None]
        return found.reshape(self.outputs, *given.shape[1:])

    def __add__(self, other: Mlp) -> Mlp:
        """Return the network of x -> self(x) + other(x), for networks of one activation."""
        return Mlp(
            np.vstack([self.w_1, other.w_1]),
            np.hstack([self.b_1, other.b_1]),
            np.hstack([self.w_2, other.w_2]),
            self.b_2 + other.b_2,
            self.activation,
        )

    def read(self, matrix: ArrayLike, constant: ArrayLike = 0.0) -> Mlp:
        """Return the network of x -> self(W x + c).

        Examples
        --------
        >>> shifted = Mlp.from_lists([[1]], [0], [[1]]).read([[1]], -2)
        >>> shifted(np.array([[1.0, 5.0]])).tolist()
        [[0.0, 3.0]]
        """
        w_1 = self.w_1 @ np.asarray(matrix, dtype=np.float64)
        shift = np.zeros(self.inputs) + np.asarray(constant, dtype=np.float64)
        return Mlp(w_1, self.b_1 + self.w_1 @ shift, self.w_2, self.b_2, self.activation)

    def write(self, matrix: ArrayLike, constant: ArrayLike = 0.0) -> Mlp:
        """Return the network of x -> W self(x) + c.

        Examples
        --------
        >>> doubled = Mlp.from_lists([[1]], [0], [[1]]).write([[2]], 1)
        >>> doubled(np.array([[-1.0, 5.0]])).tolist()
        [[1.0, 11.0]]
        """
        rows = np.asarray(matrix, dtype=np.float64)
        b_2 = rows @ self.b_2 + np.asarray(constant, dtype=np.float64)
        return Mlp(self.w_1, self.b_1, rows @ self.w_2, b_2, self.activation)

    def with_gelu(self, scale: float) -> Mlp:
        """Return the network with gelu(scale x)/scale in place of relu(x) (Lemma A.2).

        A network that has GeLU already stays as it is.

        Notes
        -----
        No output changes by more than `gelu_bound(scale)`. Where all arguments of hidden units are
        0 or further than 9/scale from 0, the outputs agree up to rounding.

        Examples
        --------
        >>> step = Mlp.from_lists([[3], [3]], [2, 1], [[1, -1]]).with_gelu(64)
        >>> step(np.array([[-1.0, 0.0, 1.0]])).tolist()
        [[0.0, 1.0, 1.0]]
        """
        if self.activation is gelu:
            return self
        return Mlp(self.w_1 * scale, self.b_1 * scale, self.w_2 / scale, self.b_2, gelu)

    def gelu_bound(self, scale: float) -> float:
        """Bound how much `with_gelu` changes an output, whatever the input."""
        return float(GELU_GAP / scale * np.abs(self.w_2).sum(axis=1).max())
