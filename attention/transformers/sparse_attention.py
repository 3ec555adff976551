"""Sparse attention layers with a residual connection, and plain self-attention with softmax.

The latter is that of Likhosherstov et al.; in it, unlike elsewhere, rows are tokens.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from samapprox.attention.graphs.graph import AttentionGraph
from samapprox.attention.self_attention import csam, logits, sam
from samapprox.attention.transformers.columns import Matrix, as_matrix
from samapprox.attention.transformers.head import Head, HeadsLayer, read_values
from samapprox.attention.transformers.maps import ProbabilityMap, Softmax
from samapprox.errors import InputError


@dataclass(frozen=True, slots=True)
class AttentionLayer(HeadsLayer):
    """The sparse attention layer of Yun et al. (2020): X plus what all heads write.

    Attributes
    ----------
    heads : tuple of Head
        On tokens of one dimension. Without heads the layer is the identity.

    Raises
    ------
    InputError
        Heads of different dimensions.

    References
    ----------
    Yun et al. (2020), Eq. 2 (SAttn).

    Examples
    --------
    >>> from samapprox.attention.graphs import build
    >>> from samapprox.attention.transformers.maps import Hardmax
    >>> layer = AttentionLayer((Head([[1]], [[1]], [[1]], [[10]]),))
    >>> columns = np.array([[[1, 3, 7]]])
    >>> layer.apply(columns, build("window:w=3", 3).patterns, Hardmax()).tolist()
    [[[31, 73, 77]]]
    """

    heads: tuple[Head, ...] = ()

    def apply(
        self, columns: Matrix, graphs: tuple[AttentionGraph, ...], rho: ProbabilityMap
    ) -> Matrix:
        """Compute X plus what all heads write.

        Parameters
        ----------
        columns : ndarray, shape (d, inputs, n)
            The embeddings of all tokens of all inputs.
        graphs : tuple of AttentionGraph
            The graphs of this layer (`SparseAttention.layer`): one for all heads, or one for each
            number that heads have as their `pattern`.
        rho : ProbabilityMap
            The map from scores to weights.

        Returns
        -------
        ndarray, shape (d, inputs, n)
            The columns after the layer, of the same kind of numbers where the map is exact.

        Raises
        ------
        InputError
            A head whose pattern does not exist, a token without keys, a map without an exact form
            for columns of objects.

        Notes
        -----
        O(inputs edges (m + v)) for each head besides its matrix products; scores are computed for
        the edges only.
        """
        written = columns
        for head in self.heads:
            written = written + head.write(_read(head, columns, _graph(head, graphs), rho))
        return written


def _graph(head: Head, graphs: tuple[AttentionGraph, ...]) -> AttentionGraph:
    """Return the graph of a head."""
    if len(graphs) == 1:
        return graphs[0]
    if head.pattern >= len(graphs):
        raise InputError(
            f"a head has pattern {head.pattern}; the layer has patterns 0..{len(graphs) - 1}"
        )
    return graphs[head.pattern]


def _read(head: Head, columns: Matrix, graph: AttentionGraph, rho: ProbabilityMap) -> Matrix:
    """Return what every token reads in one head, shape (v, inputs, n)."""
    queries, keys, values = head.queries(columns), head.keys(columns), head.values(columns)
    tokens = []
    for k in range(graph.n):
        attended = graph.keys(k)
        if not attended.size:
            raise InputError(f"token {k} attends to no token; give it a key (or itself)")
        scores = (keys[:, :, attended] * queries[:, :, k, None]).sum(axis=0)
        tokens.append(read_values(rho, scores, values[:, :, attended]))
    return np.stack(tokens, axis=2)


def self_attention(X: ArrayLike, W_Q: ArrayLike, W_K: ArrayLike, W_V: ArrayLike) -> Matrix:
    """Compute SA(X; W_Q, W_K, W_V) = SAM(X; W_Q, W_K) X W_V.

    Parameters
    ----------
    X : array_like, shape (n, d_hid)
        Rows are tokens, as in `samapprox.attention.self_attention`.
    W_Q, W_K : array_like, shape (d_hid, d)
        The query and the key matrix.
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

    Parameters
    ----------
    X, W_Q, W_K, W_V
        As for `self_attention`.

    Returns
    -------
    ndarray, shape (n, columns of W_V)
        The output of every token.

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
