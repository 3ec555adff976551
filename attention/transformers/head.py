"""Attention heads: their matrices, and the values that a query reads."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from samapprox.attention.transformers.columns import Matrix, apply_matrix, as_matrix, as_vector
from samapprox.attention.transformers.maps import Hardmax, ProbabilityMap
from samapprox.errors import InputError, require_list, require_type, require_whole


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
        require_whole("the pattern of a head", pattern, 0)
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
        require_list("heads", self.heads, "heads")
        for head in self.heads:
            require_type("a head", head, Head, "a Head")
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
