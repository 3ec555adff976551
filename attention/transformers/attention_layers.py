"""Attention heads, and layers of them with a residual connection: sparse, dense and linear."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from samapprox.attention.graphs.graph import AttentionGraph
from samapprox.attention.self_attention import csam, logits, sam
from samapprox.attention.transformers.columns import Matrix, apply_matrix, as_matrix, as_vector
from samapprox.attention.transformers.feed_forward import relu
from samapprox.attention.transformers.maps import Hardmax, ProbabilityMap, Softmax
from samapprox.errors import InputError


@dataclass(frozen=True, slots=True, eq=False)
class Head:
    """One attention head on tokens of dimension d.

    Attributes
    ----------
    query, key : ndarray, shape (m, d)
        W_Q and W_K.
    value : ndarray, shape (v, d)
        W_V; v = m in the papers.
    output : ndarray, shape (d, v)
        The columns of W_O that belong to this head.
    query_bias : ndarray or None, shape (m,)
        A vector added to every query.
    pattern : int
        The sparsity pattern of this head where the heads of a layer have different ones
        (`Heads.MULTIHEAD`).

    Raises
    ------
    InputError
        Shapes that do not fit together, or a negative pattern.

    Notes
    -----
    Columns are tokens, as in Yun et al. (2020), Eq. 2.

    Examples
    --------
    >>> head = Head([[1, 0]], [[1, 0]], [[0, 1]], [[0], [1]], query_bias=[-3])
    >>> head.d, head.parameters
    (2, 9)
    """

    query: Matrix
    key: Matrix
    value: Matrix
    output: Matrix
    query_bias: Matrix | None
    pattern: int

    def __init__(
        self,
        query: ArrayLike,
        key: ArrayLike,
        value: ArrayLike,
        output: ArrayLike,
        query_bias: ArrayLike | None = None,
        pattern: int = 0,
    ) -> None:
        given = {"query": query, "key": key, "value": value, "output": output}
        matrices = {name: as_matrix(name, entries) for name, entries in given.items()}
        for name, matrix in matrices.items():
            object.__setattr__(self, name, matrix)
        if not (
            self.query.shape == self.key.shape
            and self.output.shape == self.value.shape[::-1]
            and self.value.shape[1] == self.d
        ):
            shapes = ", ".join(f"{name} {matrix.shape}" for name, matrix in matrices.items())
            raise InputError(
                f"the head has {shapes}; they must be (m, d), (m, d), (v, d) and (d, v)"
            )
        if pattern < 0:
            raise InputError(f"the pattern of a head must be at least 0, not {pattern}")
        bias = None if query_bias is None else as_vector("query_bias", query_bias, len(self.query))
        object.__setattr__(self, "query_bias", bias)
        object.__setattr__(self, "pattern", pattern)

    @property
    def d(self) -> int:
        """The dimension of tokens."""
        return int(self.query.shape[1])

    @property
    def arrays(self) -> tuple[Matrix, ...]:
        """All matrices, and the bias if there is one."""
        matrices = self.query, self.key, self.value, self.output
        return matrices if self.query_bias is None else (*matrices, self.query_bias)

    @property
    def parameters(self) -> int:
        """The number of entries of all matrices and of the bias."""
        return sum(array.size for array in self.arrays)

    def queries(self, columns: Matrix) -> Matrix:
        """Compute W_Q X plus the bias, for columns of shape (d, inputs, n).

        Parameters
        ----------
        columns : ndarray, shape (d, inputs, n)
            The embeddings of all tokens of all inputs.
        """
        found = apply_matrix(self.query, columns)
        return found if self.query_bias is None else found + self.query_bias[:, None, None]

    def keys(self, columns: Matrix) -> Matrix:
        """Compute W_K X, for columns of shape (d, inputs, n).

        Parameters
        ----------
        columns : ndarray, shape (d, inputs, n)
            The embeddings of all tokens of all inputs.
        """
        return apply_matrix(self.key, columns)

    def values(self, columns: Matrix) -> Matrix:
        """Compute W_V X, for columns of shape (d, inputs, n).

        Parameters
        ----------
        columns : ndarray, shape (d, inputs, n)
            The embeddings of all tokens of all inputs.
        """
        return apply_matrix(self.value, columns)

    def write(self, read: Matrix) -> Matrix:
        """Compute W_O times what the head read, of shape (v, inputs, n).

        Parameters
        ----------
        read : ndarray, shape (v, inputs, n)
            The values that the tokens read.
        """
        return apply_matrix(self.output, read)


@dataclass(frozen=True, slots=True)
class HeadsLayer:
    """The base of attention layers: heads on tokens of one dimension."""

    heads: tuple[Head, ...]

    def __post_init__(self) -> None:
        dimensions = sorted({head.d for head in self.heads})
        if len(dimensions) > 1:
            raise InputError(f"the heads of a layer must have one dimension d, not {dimensions}")

    @property
    def d(self) -> int | None:
        """The dimension of tokens; None if there are no heads."""
        return self.heads[0].d if self.heads else None

    @property
    def parameters(self) -> int:
        """The number of entries of all matrices and biases."""
        return sum(head.parameters for head in self.heads)


def read_values(rho: ProbabilityMap, scores: Matrix, values: Matrix) -> Matrix:
    """Return the value that each query reads from its keys, with shape (v, inputs).

    Hardmax selects, so that every kind of number stays as it is. Other maps compute with objects
    exactly or in mpmath (`ProbabilityMap.apply_exact`), and with all else in floats.
    """
    if isinstance(rho, Hardmax):
        if scores.dtype.kind in "fO" and np.any(scores != scores):  # NaN
            raise InputError("hardmax needs scores that can be compared; there is NaN among them")
        first = scores.argmax(axis=1)[None, :, None]
        return np.asarray(np.take_along_axis(values, first, axis=2)[:, :, 0])
    exact = object in (scores.dtype, values.dtype)
    weights = rho.apply_exact(scores) if exact else rho(scores, threads=1)
    return np.asarray((values * weights).sum(axis=2))


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
