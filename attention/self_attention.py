"""Self-attention matrices as the paper defines them: USAM, RN, SAM and CSAM."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from samapprox.errors import InputError, abridge
from samapprox.support.arrays import Matrix


def logits(X: ArrayLike, W_Q: ArrayLike, W_K: ArrayLike) -> Matrix:
    """Return the matrix (X W_Q)(X W_K)^T in the widest type of the three, float32 or float64.

    Integers and fractions (dtype object) stay exact.
    """
    X, W_Q, W_K = as_matrices(X, W_Q, W_K)
    return np.asarray((X @ W_Q) @ (X @ W_K).T)


def usam(X: ArrayLike, W_Q: ArrayLike, W_K: ArrayLike) -> Matrix:
    """Compute USAM(X; W_Q, W_K) = exp[X W_Q W_K^T X^T], the unnormalised self-attention matrix.

    Entries that are too large for the type are infinite. `logits` returns their logarithms.

    Parameters
    ----------
    X : array_like of float, shape (n, d_hid)
        The embeddings of the tokens.
    W_Q, W_K : array_like of float, shape (d_hid, d)
        The query and the key matrix.

    Returns
    -------
    ndarray, shape (n, n)
        The matrix of weights before normalisation.

    Raises
    ------
    InputError
        Shapes that do not fit together.

    References
    ----------
    Likhosherstov, Choromanski, Weller (2023), Equation (1).

    Examples
    --------
    >>> usam([[0.0], [1.0]], [[1.0]], [[0.0]])
    array([[1., 1.],
           [1., 1.]])
    """
    with np.errstate(over="ignore"):
        return np.asarray(np.exp(logits(X, W_Q, W_K)))


def row_normalised(matrix: ArrayLike) -> Matrix:
    """Compute RN: divide each row by its sum.

    Parameters
    ----------
    matrix : array_like of float, shape (m, n)
        Nonnegative, with something positive in each row.

    Returns
    -------
    ndarray of float, shape (m, n)
        Every row has the sum 1.

    Raises
    ------
    InputError
        A row without a positive sum.

    Examples
    --------
    >>> row_normalised([[1, 3], [2, 0]])
    array([[0.25, 0.75],
           [1.  , 0.  ]])
    """
    given = np.asarray(matrix)
    if given.ndim != 2 or given.dtype.kind not in "biufO":
        raise InputError(f"the matrix must be a list of rows of numbers, not {abridge(matrix)}")
    sums = given.sum(axis=1, keepdims=True)
    empty = np.flatnonzero(~(sums[:, 0] > 0))
    if empty.size:
        raise InputError(f"row {empty[0]} sums to {sums[empty[0], 0]}; RN needs a positive sum")
    return np.asarray(given / sums)


def log_row_normalised(logarithms: ArrayLike) -> Matrix:
    """Compute the logarithm of RN(exp[logarithms]) without overflow; minus infinity is a zero."""
    given = np.asarray(logarithms)
    shifted = given - given.max(axis=1, keepdims=True)
    return np.asarray(shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True)))


def sam(X: ArrayLike, W_Q: ArrayLike, W_K: ArrayLike) -> Matrix:
    """Compute SAM(X; W_Q, W_K) = RN(USAM), the self-attention matrix, without overflow.

    Parameters
    ----------
    X : array_like of float, shape (n, d_hid)
        The embeddings of the tokens.
    W_Q, W_K : array_like of float, shape (d_hid, d)
        The query and the key matrix.

    Returns
    -------
    ndarray, shape (n, n)
        Right stochastic.

    Raises
    ------
    InputError
        Shapes that do not fit together.

    References
    ----------
    Likhosherstov, Choromanski, Weller (2023), Equation (2).

    Examples
    --------
    >>> sam([[0.0, 1.0], [1000.0, 1.0]], [[0.0], [1.0]], [[1.0], [0.0]])
    array([[0., 1.],
           [0., 1.]])
    """
    return np.asarray(np.exp(log_row_normalised(logits(X, W_Q, W_K))))


def csam(X: ArrayLike, W_Q: ArrayLike, W_K: ArrayLike) -> Matrix:
    """Compute CSAM(X; W_Q, W_K) = RN(tril(USAM)), the causal self-attention matrix.

    Parameters
    ----------
    X : array_like of float, shape (n, d_hid)
        The embeddings of the tokens.
    W_Q, W_K : array_like of float, shape (d_hid, d)
        The query and the key matrix.

    Returns
    -------
    ndarray, shape (n, n)
        Right stochastic and lower triangular.

    Raises
    ------
    InputError
        Shapes that do not fit together.

    References
    ----------
    Likhosherstov, Choromanski, Weller (2023), "The Case of Causal Self-attention".

    Examples
    --------
    >>> csam([[0.0], [1.0], [1.0]], [[1.0]], [[0.0]])[1]
    array([0.5, 0.5, 0. ])
    """
    found = logits(X, W_Q, W_K)
    return np.asarray(
        np.exp(log_row_normalised(np.where(np.tri(len(found), dtype=bool), found, -np.inf)))
    )


def as_matrices(X: ArrayLike, W_Q: ArrayLike, W_K: ArrayLike) -> tuple[Matrix, Matrix, Matrix]:
    """Return the three as matrices of shapes that fit together."""
    x, q, k = np.asarray(X), np.asarray(W_Q), np.asarray(W_K)
    fits = x.ndim == q.ndim == 2 and q.shape == k.shape and q.shape[0] == x.shape[1]
    if not fits:
        raise InputError(
            f"X, W_Q and W_K have shapes {x.shape}, {q.shape} and {k.shape}; they must be "
            "(n, d_hid), (d_hid, d) and (d_hid, d)"
        )
    if not x.size:
        raise InputError("a layer needs a token and a column of X")
    return x, q, k
