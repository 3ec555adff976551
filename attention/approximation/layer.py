"""A self-attention layer as matrices: what a method builds and the checker judges."""

from __future__ import annotations

import os
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from samapprox.attention.self_attention import as_matrices
from samapprox.errors import InputError
from samapprox.formats.npz import write_array
from samapprox.support.arrays import Matrix
from samapprox.support.atomic import replacing


@dataclass(frozen=True, slots=True, eq=False)
class AttentionLayer:
    """X, W_Q and W_K of one attention head, causal or not.

    The type of its numbers is its arithmetic. Floats of 8 or 4 bytes: sums of that type. Of 2
    bytes (float16, ml_dtypes.bfloat16): queries, keys and logits are rounded to it, sums are of
    float32, as accelerators do. Whole numbers and fractions: dtype object, exact.

    Parameters
    ----------
    X : array_like, shape (n, d_hid)
        The embeddings of the tokens.
    W_Q, W_K : array_like, shape (d_hid, d)
        The query and the key matrix.
    causal : bool
        Only logits on and below the diagonal count: CSAM instead of SAM.

    Raises
    ------
    InputError
        Shapes that do not fit together, d > d_hid, entries that are neither floats nor exact, or
        not finite.

    Examples
    --------
    >>> layer = AttentionLayer.from_factors([[1.0], [2.0]], [[0.0], [3.0]])
    >>> layer.logits()
    array([[0., 3.],
           [0., 6.]])
    >>> layer.rank, layer.d, layer.d_hid
    (1, 1, 2)
    >>> theorem = AttentionLayer.from_factors([[1.0], [2.0]], [[0.0], [3.0]], theorem=True)
    >>> theorem.rank, theorem.d, theorem.d_hid
    (1, 2, 2)
    """

    X: Matrix
    W_Q: Matrix
    W_K: Matrix
    causal: bool = False

    def __init__(self, X: ArrayLike, W_Q: ArrayLike, W_K: ArrayLike, causal: bool = False) -> None:
        matrices = as_matrices(*_of_one_type(X, W_Q, W_K))
        for name, matrix in zip(("X", "W_Q", "W_K"), matrices, strict=True):
            object.__setattr__(self, name, matrix)
        object.__setattr__(self, "causal", causal)
        if not self.W_Q.size:
            raise InputError("a layer needs a column of W_Q")
        if self.d > self.d_hid:
            raise InputError(f"d = {self.d} exceeds d_hid = {self.d_hid}; the paper has d <= d_hid")

    @classmethod
    def from_factors(
        cls,
        queries: ArrayLike,
        keys: ArrayLike,
        *,
        theorem: bool = False,
        d_hid: int | None = None,
        causal: bool = False,
    ) -> AttentionLayer:
        """Make a layer whose logits are queries times keys: X = [queries keys 0].

        Parameters
        ----------
        queries, keys : array_like, shape (n, r)
            The factors of the logits: Q K^T.
        theorem : bool
            False: W_Q and W_K choose the two parts, d = r. True: the form of Equations (15) to
            (17), d = 2r, whose second half does nothing.
        d_hid : int, optional
            At least 2r, which is the default; the rest of X is zero.
        causal : bool
            CSAM: a query attends to no later key.

        Raises
        ------
        InputError
            Shapes that do not fit together, or d_hid below 2r.
        """
        left, right = np.asarray(queries), np.asarray(keys)
        if left.ndim != 2 or left.shape != right.shape:
            raise InputError(
                f"queries and keys have shapes {left.shape} and {right.shape}; they must agree"
            )
        rank = left.shape[1]
        width = 2 * rank if d_hid is None else d_hid
        if width < 2 * rank:
            raise InputError(f"d_hid = {width} is too small for rank {rank}; give d_hid >= 2 rank")
        kind = np.result_type(left, right)
        padding = np.zeros((len(left), width - 2 * rank), dtype=kind)
        chosen = np.eye(width, 2 * rank, dtype=np.int64).astype(kind)
        second = np.zeros_like(chosen)
        second[rank : 2 * rank, :rank] = chosen[:rank, :rank]
        d = 2 * rank if theorem else rank
        return cls(np.hstack([left, right, padding]), chosen[:, :d], second[:, :d], causal)

    @property
    def n(self) -> int:
        """Number of tokens."""
        return int(self.X.shape[0])

    @property
    def d(self) -> int:
        """Query dimension."""
        return int(self.W_Q.shape[1])

    @property
    def d_hid(self) -> int:
        """Columns of X."""
        return int(self.X.shape[1])

    @property
    def rank(self) -> int:
        """Rank of W_Q W_K^T, which the rank of the logits cannot exceed.

        The rank that the theorem's form has is d/2. Cost O(d_hid d^2), in float64.
        """
        used = (self.W_Q != 0).any(axis=0) & (self.W_K != 0).any(axis=0)
        left, right = (np.asarray(W[:, used], dtype=np.float64) for W in (self.W_Q, self.W_K))
        if not used.any():
            return 0
        first, second = np.linalg.qr(left)[1], np.linalg.qr(right)[1]
        return int(np.linalg.matrix_rank(first @ second.T))

    @property
    def is_exact(self) -> bool:
        """Whether its numbers are integers and fractions."""
        return self.X.dtype == object

    @property
    def arithmetic(self) -> str:
        """``float64``, .., or ``exact``."""
        return "exact" if self.is_exact else str(self.X.dtype)

    @property
    def queries(self) -> Matrix:
        """X W_Q, shape (n, d)."""
        return product(self.X, self.W_Q)

    @property
    def keys(self) -> Matrix:
        """X W_K, shape (n, d)."""
        return product(self.X, self.W_K)

    def logits(self) -> Matrix:
        """Compute X W_Q W_K^T X^T in the layer's arithmetic, shape (n, n)."""
        return product(self.queries, self.keys.T)

    def astype(self, kind: Any) -> AttentionLayer:
        """Return the layer with its numbers rounded to another type.

        Parameters
        ----------
        kind : dtype
            Such as numpy.float32 or ml_dtypes.bfloat16.

        Raises
        ------
        InputError
            A number that overflows in that type.
        """
        with np.errstate(over="ignore"):
            X, W_Q, W_K = (matrix.astype(kind) for matrix in (self.X, self.W_Q, self.W_K))
        return AttentionLayer(X, W_Q, W_K, self.causal)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write X, W_Q and W_K to an npz file; equal layers give equal bytes.

        Exact numbers are stored as text, such as ``-3/7``; types that numpy lacks as float32.

        Parameters
        ----------
        path : path
            Ends in .npz.

        Raises
        ------
        InputError
            Another ending than .npz, or a place that cannot be written.

        Examples
        --------
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     AttentionLayer([[1.0]], [[2.0]], [[3.0]]).save(folder + "/layer.npz")
        ...     np.load(folder + "/layer.npz")["W_Q"].tolist()
        [[2.0]]
        """
        path = Path(path)
        if path.suffix.lower() != ".npz":
            raise InputError(f"{path}: layers are written as .npz")
        with replacing(path) as stream, zipfile.ZipFile(stream, "w") as file:
            for name in ("X", "W_Q", "W_K"):
                write_array(file, name, _stored(getattr(self, name)))


def _of_one_type(*matrices: ArrayLike) -> list[Matrix]:
    """Require that all entries are exact or convert them to the widest float; all finite."""
    try:
        given = [np.asarray(matrix) for matrix in matrices]
    except ValueError:
        raise InputError("X, W_Q and W_K must be matrices; one of them is ragged") from None
    if all(matrix.dtype.kind in "biuO" for matrix in given):
        return [_exact(matrix) for matrix in given]
    try:
        kind = np.result_type(*given)
        if kind.kind == "c" or kind.itemsize > 8:
            raise TypeError
        given = [matrix.astype(kind) for matrix in given]
        finite = all(np.isfinite(matrix).all() for matrix in given)
    except (TypeError, ValueError):
        raise InputError(
            "X, W_Q and W_K must hold floats of 8 bytes at most, or integers and fractions"
        ) from None
    if not finite:
        raise InputError("X, W_Q and W_K must hold finite numbers")
    return given


def _exact(matrix: Matrix) -> Matrix:
    """Convert entries to Python integers and fractions."""
    from numbers import Rational

    exact = np.array([_plain(value) for value in matrix.flat], dtype=object)
    if not all(isinstance(value, Rational) for value in exact):
        raise InputError("X, W_Q and W_K must hold floats, or integers and fractions")
    return exact.reshape(matrix.shape)


def _plain(value: Any) -> Any:
    """Return a numpy integer as Python's."""
    return int(value) if isinstance(value, np.integer | np.bool_) else value


def product(left: Matrix, right: Matrix) -> Matrix:
    """Multiply matrices in the arithmetic of their factors."""
    if left.dtype.itemsize > 2:
        return np.asarray(left @ right)
    return np.asarray((left.astype(np.float32) @ right.astype(np.float32)).astype(left.dtype))


def _stored(matrix: Matrix) -> Matrix:
    if matrix.dtype == object:
        return np.array([[str(value) for value in row] for row in matrix])
    return matrix if matrix.dtype.kind == "f" else matrix.astype(np.float32)
