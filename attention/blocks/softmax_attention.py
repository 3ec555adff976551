"""Self-attention of Likhosherstov et al. with softmax; here, unlike elsewhere, rows are tokens."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from samapprox.attention.blocks.columns import Matrix, as_matrix
from samapprox.attention.maps import Softmax
from samapprox.attention.self_attention import csam, logits, sam
from samapprox.errors import InputError

__all__ = ["causal_self_attention", "self_attention"]


def self_attention(X: ArrayLike, W_Q: ArrayLike, W_K: ArrayLike, W_V: ArrayLike) -> Matrix:
    """Compute SA(X; W_Q, W_K, W_V) = SAM(X; W_Q, W_K) X W_V.

    Parameters
    ----------
    X : array_like, shape (n, d_hid)
        Rows are tokens, as in `samapprox.attention.self_attention`.
    W_Q, W_K : array_like, shape (d_hid, d)
    W_V : array_like, shape (d_hid, v)
        v = d in the paper.

    Returns
    -------
    ndarray, shape (n, v)
        In mpmath at its working precision if the logits or values are objects, else in floats.

    Raises
    ------
    InputError
        Shapes that do not fit together.

    Notes
    -----
    O(n d_hid (d + v) + n^2 (d + v)).

    References
    ----------
    Likhosherstov, Choromanski, Weller (2023), Equation (3).

    Examples
    --------
    >>> self_attention([[0.0], [2.0]], [[0.0]], [[0.0]], [[1.0]]).tolist()
    [[1.0], [1.0]]
    """
    values = _values(X, W_V)
    scores = logits(X, W_Q, W_K)
    if object in (scores.dtype, values.dtype):
        return np.asarray(Softmax().apply_exact(scores) @ values)
    return np.asarray(sam(X, W_Q, W_K) @ values)


def causal_self_attention(X: ArrayLike, W_Q: ArrayLike, W_K: ArrayLike, W_V: ArrayLike) -> Matrix:
    """Compute CSA(X; W_Q, W_K, W_V) = CSAM(X; W_Q, W_K) X W_V.

    No output depends on later tokens. See `self_attention` for parameters, returns and cost.

    Raises
    ------
    InputError
        Shapes that do not fit together.

    References
    ----------
    Likhosherstov, Choromanski, Weller (2023), "The Case of Causal Self-attention".

    Examples
    --------
    >>> causal_self_attention([[0.0], [2.0]], [[0.0]], [[0.0]], [[1.0]]).tolist()
    [[0.0], [1.0]]
    """
    values = _values(X, W_V)
    scores = logits(X, W_Q, W_K)
    if object not in (scores.dtype, values.dtype):
        return np.asarray(csam(X, W_Q, W_K) @ values)
    rho = Softmax()
    rows = [rho.apply_exact([row[: i + 1]])[0] @ values[: i + 1] for i, row in enumerate(scores)]
    return np.stack(rows)


def _values(X: ArrayLike, W_V: ArrayLike) -> Matrix:
    """Return X W_V."""
    x, value = as_matrix("X", X), as_matrix("W_V", W_V)
    if x.shape[1] != value.shape[0]:
        raise InputError(
            f"X and W_V have shapes {x.shape} and {value.shape}; they must be (n, d_hid) and "
            "(d_hid, v)"
        )
    return np.asarray(x @ value)
