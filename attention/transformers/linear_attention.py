"""Linear attention, as a recurrence of constant memory."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from samapprox.attention.transformers.columns import Matrix
from samapprox.attention.transformers.feed_forward import relu
from samapprox.attention.transformers.head import Head, HeadsLayer

Feature = Callable[[Matrix], Matrix]
"""The phi of linear attention: a positive function of every entry of queries and keys."""


def elu_plus_one(entries: Matrix) -> Matrix:
    """Compute elu(t) + 1: t + 1 for positive t, exp(t) elsewhere.

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
    Katharopoulos et al. (2020), Transformers are RNNs, Eq. 7.

    Examples
    --------
    >>> elu_plus_one(np.array([-1.0, 0.0, 2.0])).round(4).tolist()
    [0.3679, 1.0, 3.0]
    """
    if entries.dtype == object:
        return np.asarray(np.frompyfunc(_elu_plus_one, 1, 1)(entries), dtype=object)
    return np.asarray(np.where(entries > 0, entries + 1.0, np.exp(np.minimum(entries, 0))))


def _elu_plus_one(number: Any) -> Any:
    import mpmath

    t = mpmath.mpmathify(number)
    return t + 1 if t > 0 else mpmath.exp(t)


def relu_plus_one(entries: Matrix) -> Matrix:
    """Compute max(0, t) + 1: rational, so that linear attention is exact on fractions.

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
    >>> relu_plus_one(np.array([-1, 2])).tolist()
    [1, 3]
    """
    return relu(entries) + 1


def read_by_recurrence(head: Head, columns: Matrix, feature: Feature = elu_plus_one) -> Matrix:
    """Return what every token reads from itself and all before, shape (v, inputs, n).

    The output and pattern of the head do not matter. The result is exact for objects if the feature
    map is, and otherwise in floats. O(inputs n m v) time, and O(inputs m v) memory beside the
    result: see `LinearState`.
    """
    queries, keys = feature(head.queries(columns)), feature(head.keys(columns))
    values = head.values(columns)
    state, tokens = LinearState.empty(), []
    for i in range(columns.shape[2]):
        state = state.add(keys[:, :, i], values[:, :, i])
        tokens.append(state.read(queries[:, :, i]))
    return np.stack(tokens, axis=2)


@dataclass(frozen=True, slots=True, eq=False)
class LinearState:
    """The hidden state of a head of linear attention after some tokens.

    Attributes
    ----------
    s : ndarray, shape (m, v, inputs)
        The sum of phi(key) value^T.
    z : ndarray, shape (m, inputs)
        The sum of phi(key).

    References
    ----------
    Yang et al. (2024), Eqs. 16 to 19.

    Examples
    --------
    >>> state = LinearState.empty().add(np.array([[1]]), np.array([[4]]))
    >>> state.add(np.array([[3]]), np.array([[8]])).read(np.array([[5]])).tolist()
    [[7.0]]
    """

    s: Matrix
    z: Matrix

    @classmethod
    def empty(cls) -> LinearState:
        """Return the state before all tokens (16), for any m, v and number of inputs."""
        zero = np.zeros((1, 1, 1), dtype=np.int8)
        return cls(zero, zero[0])

    def add(self, key: Matrix, value: Matrix) -> LinearState:
        """Return the state after one more token (17, 18).

        Parameters
        ----------
        key : ndarray, shape (m, inputs)
            phi(W_K x).
        value : ndarray, shape (v, inputs)
            W_V x.
        """
        return LinearState(self.s + key[:, None] * value[None], self.z + key)

    def read(self, query: Matrix) -> Matrix:
        """Return what a token with this phi(W_Q x), of shape (m, inputs), reads (19).

        Parameters
        ----------
        query : ndarray
            The query of the token.
        """
        return _divide((query[:, None] * self.s).sum(axis=0), (query * self.z).sum(axis=0))


@dataclass(frozen=True, slots=True)
class LinearAttentionLayer(HeadsLayer):
    """A causal linear attention layer with a residual connection.

    Attributes
    ----------
    heads : tuple of Head
        On tokens of one dimension; their patterns do not matter.
    feature : callable
        phi of all heads.

    Raises
    ------
    InputError
        Heads of different dimensions.

    References
    ----------
    Yang et al. (2024), Eq. 7.

    Examples
    --------
    >>> layer = LinearAttentionLayer((Head([[0]], [[0]], [[1]], [[1]]),))
    >>> layer.apply(np.array([[[1.0, 3.0, 8.0]]])).tolist()  # equal weights: means so far
    [[[2.0, 5.0, 12.0]]]
    """

    feature: Feature = elu_plus_one

    def apply(self, columns: Matrix) -> Matrix:
        """Compute X plus what all heads write, by the recurrence, for shape (d, inputs, n).

        Parameters
        ----------
        columns : ndarray, shape (d, inputs, n)
            The embeddings of all tokens of all inputs.
        """
        written = columns
        for head in self.heads:
            written = written + head.write(read_by_recurrence(head, columns, self.feature))
        return written


def _divide(numerators: Matrix, denominators: Matrix) -> Matrix:
    """Divide, integers among objects into fractions."""
    if object in (numerators.dtype, denominators.dtype):
        return np.asarray(_divide_numbers(numerators, denominators), dtype=object)
    return np.asarray(numerators / denominators)


def _divide_pair(numerator: Any, denominator: Any) -> Any:
    if isinstance(numerator, int) and isinstance(denominator, int):
        return Fraction(numerator, denominator)
    return numerator / denominator


_divide_numbers = np.frompyfunc(_divide_pair, 2, 1)
