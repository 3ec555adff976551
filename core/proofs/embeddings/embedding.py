"""Proofs of YES: explicit queries and keys, or X, W_Q and W_K."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from samapprox.errors import InputError
from samapprox.pattern import UNSPECIFIED, Pattern
from samapprox.problem import Problem, require_dimension
from samapprox.proofs.base import Witness
from samapprox.proofs.embeddings.logits import above_thresholds
from samapprox.proofs.exact import ExactArray, Matrix, Vector, exact_matmul
from samapprox.proofs.words import order_keys

if TYPE_CHECKING:
    from samapprox.proofs.parts.simplify import Simplification


def require_matching_shapes(queries: ExactArray, keys: ExactArray, thresholds: ExactArray) -> None:
    """Refuse queries and keys of different dimensions, or a number of thresholds that differs."""
    if queries.shape[1] != keys.shape[1]:
        raise InputError(f"queries have dimension {queries.shape[1]} but keys {keys.shape[1]}")
    if len(thresholds) != len(queries):
        raise InputError(f"{len(thresholds)} thresholds for {len(queries)} queries")


@dataclass(frozen=True, slots=True, eq=False)
class Coordinates(Witness):
    """A witness that states queries, keys and thresholds, one a row."""

    MEMBERS = (Matrix("queries"), Matrix("keys"), Vector("thresholds"))

    queries: ExactArray
    keys: ExactArray
    thresholds: ExactArray

    def __init__(self, queries: ArrayLike, keys: ArrayLike, thresholds: ArrayLike) -> None:
        self._fill(queries, keys, thresholds)
        require_matching_shapes(self.queries, self.keys, self.thresholds)

    @property
    def dimension(self) -> int:
        """The number of coordinates of queries and keys, d."""
        return int(self.keys.shape[1])


@dataclass(frozen=True, slots=True, eq=False, init=False)
class Embedding(Coordinates):
    """Integer queries, keys and thresholds that represent a pattern.

    Entry S_ij is 1 if and only if the dot product of q_i and k_j exceeds t_i.

    Parameters
    ----------
    queries : array_like of int, shape (m, d)
        The queries q_i.
    keys : array_like of int, shape (n, d)
        The keys k_j.
    thresholds : array_like of int, shape (m,)
        The thresholds t_i.

    Raises
    ------
    InputError
        Not integers, or shapes that do not fit together.

    Examples
    --------
    >>> embedding = Embedding(queries=[[1], [-1]], keys=[[0], [1]], thresholds=[0, -1])
    >>> embedding.dimension
    1
    >>> embedding.self_attention().X
    array([[ 1,  0],
           [-1,  1]])
    """

    KIND = "embedding"
    TASK = "dimension"
    SIMILARITIES = ("dot",)
    CLAIM = "YES, free case: entry (i, j) is 1 exactly if queries[i] . keys[j] > thresholds[i]."
    EXPLICIT = True

    def embedding(self, _pattern: Pattern | None = None, /) -> Embedding:
        """Return the embedding itself."""
        return self

    def self_attention(self, d_hid: int | None = None) -> SelfAttention:
        """Return X, W_Q and W_K with logits equal to queries times keys: X = [Q K].

        Parameters
        ----------
        d_hid : int, optional
            Columns of X, at least 2d (the default); the rest is filled with zeros.

        Raises
        ------
        InputError
            Another number of queries than keys, or d_hid < 2d.
        """
        tokens, d = self.keys.shape
        if len(self.queries) != tokens:
            raise InputError(
                f"self-attention needs as many queries as keys, not {len(self.queries)} and "
                f"{tokens}"
            )
        if d_hid is not None:
            require_dimension("d_hid", d_hid)
        width = 2 * d if d_hid is None else d_hid
        if width < 2 * d:
            raise InputError(f"X = [Q K] needs d_hid >= 2d = {2 * d}, not {width}")
        padding = np.zeros((tokens, width - 2 * d), dtype=np.int64)
        identity = np.eye(width, dtype=np.int64)
        return SelfAttention(
            np.hstack([self.queries, self.keys, padding]),
            identity[:, :d],
            identity[:, d : 2 * d],
            self.thresholds,
        )

    def lift(self, simplification: Simplification, /) -> Embedding:
        """Carry an embedding of a simplified pattern over to the original.

        Notes
        -----
        q.k > t fails iff q.k <= t, iff -q.k > -t - 1 for whole numbers: a complement flips both.
        """
        signs = simplification.signs
        queries = simplification.spread(self.queries, 0) * signs[:, None]
        thresholds = simplification.spread(self.thresholds, -1) * signs - (signs < 0)
        return Embedding(queries, self.keys[simplification.column_of], thresholds)

    def find_fault(self, problem: Problem) -> str | None:
        """Return the reason why the embedding does not represent the pattern, or None."""
        return find_fault_of_logits(problem.pattern, self)

    def explain(self, problem: Problem) -> list[str]:
        if self.dimension > 1:
            return [
                f"Integer queries and keys in dimension {self.dimension} represent the pattern."
            ]
        order = order_keys(problem.pattern, self.keys[:, 0])
        return [f"In this order of the keys, each row has its ones at one end: {order}"]


@dataclass(frozen=True, slots=True, eq=False)
class SelfAttention(Witness):
    """Integer X, W_Q and W_K whose logits X W_Q W_K^T X^T represent a square pattern.

    Parameters
    ----------
    X : array_like of int, shape (n, d_hid)
        The tokens.
    W_Q, W_K : array_like of int, shape (d_hid, d)
        The weights that make queries and keys of tokens.
    thresholds : array_like of int, shape (n,)
        S_ij = 1 iff the logit (i, j) exceeds thresholds[i].

    Raises
    ------
    InputError
        Entries that are no integers, or shapes that do not fit together.

    References
    ----------
    Likhosherstov, Choromanski, Weller (2023), Equation (1) and Definition 0.1.

    Examples
    --------
    >>> attention = SelfAttention(X=[[-1], [2]], W_Q=[[1]], W_K=[[1]], thresholds=[0, 0])
    >>> attention.embedding().queries
    array([[-1],
           [ 2]])
    """

    KIND = "self-attention"
    TASK = "dimension"
    SIMILARITIES = ("dot",)
    CLAIM = "YES: entry (i, j) is 1 exactly if (X W_Q W_K^T X^T)[i, j] > thresholds[i]."
    MEMBERS = (Matrix("X"), Matrix("W_Q"), Matrix("W_K"), Vector("thresholds"))
    EXPLICIT = True
    SHARES_X = True

    X: ExactArray
    W_Q: ExactArray
    W_K: ExactArray
    thresholds: ExactArray

    def __init__(self, X: ArrayLike, W_Q: ArrayLike, W_K: ArrayLike, thresholds: ArrayLike) -> None:
        self._fill(X, W_Q, W_K, thresholds)
        if self.W_Q.shape != self.W_K.shape or self.W_Q.shape[0] != self.X.shape[1]:
            raise InputError(
                f"X, W_Q and W_K have shapes {self.X.shape}, {self.W_Q.shape} and "
                f"{self.W_K.shape}; they must be (n, d_hid), (d_hid, d) and (d_hid, d)"
            )
        if len(self.thresholds) != len(self.X):
            raise InputError(f"{len(self.thresholds)} thresholds for {len(self.X)} tokens")

    @property
    def dimension(self) -> int:
        """The number of columns of Q and K, d."""
        return int(self.W_Q.shape[1])

    @property
    def hidden_dimension(self) -> int:
        """d_hid."""
        return int(self.X.shape[1])

    def embedding(self, _pattern: Pattern | None = None, /) -> Embedding:
        """Compute the queries X W_Q and keys X W_K. Cost O(n d_hid d)."""
        return Embedding(
            exact_matmul(self.X, self.W_Q), exact_matmul(self.X, self.W_K), self.thresholds
        )

    def find_fault(self, problem: Problem) -> str | None:
        """Return the reason why the logits do not represent the pattern in d_hid, or None."""
        if problem.d_hid is not None and self.hidden_dimension > problem.d_hid:
            return f"X has d_hid = {self.hidden_dimension}, more than {problem.d_hid}"
        return find_fault_of_logits(problem.pattern, _embed(self))

    def explain(self, problem: Problem) -> list[str]:
        return [
            f"X is {len(self.X)} x {self.hidden_dimension}; W_Q and W_K are "
            f"{self.hidden_dimension} x {self.dimension}.",
            *self.embedding().explain(problem),
        ]


def find_fault_of_logits(pattern: Pattern, embedding: Embedding) -> str | None:
    """Name the first entry that the logits contradict; None if there is none."""
    if fault := find_fault_of_shape(pattern, embedding.queries, embedding.keys):
        return fault
    mismatch = first_mismatch(pattern, embedding)
    if mismatch is None:
        return None
    words = "the logit is {} the row's threshold"
    return name_mismatch(pattern, mismatch, words, "not above", "above")


def find_fault_of_shape(pattern: Pattern, queries: ExactArray, keys: ExactArray) -> str | None:
    """Check that there is a query for each row and a key for each column."""
    rows, columns = pattern.shape
    if (len(queries), len(keys)) == (rows, columns):
        return None
    return f"it is for {len(queries)} x {len(keys)}, the pattern is {rows} x {columns}"


def name_mismatch(
    pattern: Pattern, place: tuple[int, int], words: str, beyond_one: str, beyond_zero: str
) -> str:
    """Name an entry that numbers contradict.

    `words`: the contradiction, with a place for one of two phrases: about a 1, or about a 0.
    """
    row, column = place
    wanted = int(pattern.submatrix([row], [column])[0, 0])
    said = words.format(beyond_one if wanted else beyond_zero)
    labels = pattern.row_label(row), pattern.column_label(column)
    return f"{' and '.join(labels)}: the entry is {wanted}, but {said}"


def first_mismatch(pattern: Pattern, embedding: Embedding) -> tuple[int, int] | None:
    """Return the first specified entry (i, j) where S_ij = 1 and q_i . k_j > t_i disagree."""
    if embedding.dimension == 1:
        return _first_mismatch_on_line(pattern, embedding)
    return first_difference(pattern, above_thresholds(embedding))


def first_difference(
    pattern: Pattern, blocks: Iterable[tuple[int, NDArray[np.bool_]]]
) -> tuple[int, int] | None:
    """Return the first specified entry that differs from a matrix, given in blocks of rows."""
    for start, above in blocks:
        block = pattern.block(start, start + len(above))
        wrong = (above != (block == 1)) & (block != UNSPECIFIED)
        if wrong.any():
            row, column = np.argwhere(wrong)[0]
            return start + int(row), int(column)
    return None


def _first_mismatch_on_line(pattern: Pattern, embedding: Embedding) -> tuple[int, int] | None:
    """Find the `first_mismatch` for d = 1, by counting.

    q k > t holds on an end of the sorted keys: the first `length` of them when q < 0, all but the
    first `length` when q > 0. The row agrees iff that end holds all its ones and nothing but ones
    and unspecified entries.
    """
    order, lengths, upper = _ends(embedding)
    size = np.where(upper, pattern.shape[1] - lengths, lengths)
    inside = []
    for matrix in (pattern.ones, pattern.unspecified):
        if matrix is not None:
            first = matrix.prefix_counts(order, lengths)
            inside.append(np.where(upper, matrix.row_counts - first, first))
    wrong = np.flatnonzero((inside[0] != pattern.row_ones) | (sum(inside) != size))
    if not wrong.size:
        return None
    row = int(wrong[0])
    expected = np.zeros(pattern.shape[1], dtype=np.bool_)
    expected[order[lengths[row] :] if upper[row] else order[: lengths[row]]] = True
    entries = pattern.block(row, row + 1)[0]
    return row, int(np.flatnonzero((entries != UNSPECIFIED) & (expected != (entries == 1)))[0])


def _ends(embedding: Embedding) -> tuple[ExactArray, ExactArray, ExactArray]:
    """Order columns by key; per row, count the first keys it splits off, and mark their side."""
    keys, queries = embedding.keys[:, 0], embedding.queries[:, 0]
    thresholds = embedding.thresholds
    order = np.argsort(keys, kind="stable")
    ascending = keys[order]
    positive, negative = queries > 0, queries < 0
    lengths = np.zeros(len(queries), dtype=np.int64)
    # q k > t  <=>  k > floor(t / q) for q > 0, and k < -floor(t / -q) for q < 0 (k is whole).
    lengths[positive] = np.searchsorted(
        ascending, thresholds[positive] // queries[positive], side="right"
    )
    lengths[negative] = np.searchsorted(
        ascending, -(thresholds[negative] // -queries[negative]), side="left"
    )
    upper = positive | (~negative & (thresholds < 0))  # a zero query: all keys or none
    return order, lengths, upper


def _embed(attention: SelfAttention) -> Embedding:
    """Return queries and keys with the same logits that are no wider than X.

    For d > d_hid they are X (W_Q W_K^T) and X: queries and keys of dimension d would take n d
    numbers, far more than the n d_hid + 2 d_hid d of the proof.
    """
    if attention.dimension <= attention.hidden_dimension:
        return attention.embedding()
    product = exact_matmul(attention.W_Q, attention.W_K.T)
    return Embedding(exact_matmul(attention.X, product), attention.X, attention.thresholds)
