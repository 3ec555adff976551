"""Sparse attention layers with a residual connection."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from samapprox.attention.blocks.columns import Matrix
from samapprox.attention.blocks.head import Head
from samapprox.attention.blocks.reading import read_values
from samapprox.attention.graphs.graph import AttentionGraph
from samapprox.attention.maps import ProbabilityMap
from samapprox.errors import InputError

__all__ = ["AttentionLayer", "check_heads"]


@dataclass(frozen=True, slots=True)
class AttentionLayer:
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
    >>> from samapprox.attention.maps import Hardmax
    >>> layer = AttentionLayer((Head([[1]], [[1]], [[1]], [[10]]),))
    >>> columns = np.array([[[1, 3, 7]]])
    >>> layer.apply(columns, build("window:w=3", 3).patterns, Hardmax()).tolist()
    [[[31, 73, 77]]]
    """

    heads: tuple[Head, ...] = ()

    def __post_init__(self) -> None:
        check_heads(self.heads)

    @property
    def d(self) -> int | None:
        """The dimension of tokens; None where any will do."""
        return self.heads[0].d if self.heads else None

    @property
    def parameters(self) -> int:
        """The number of entries of all matrices and biases."""
        return sum(head.parameters for head in self.heads)

    def apply(
        self, columns: Matrix, graphs: tuple[AttentionGraph, ...], rho: ProbabilityMap
    ) -> Matrix:
        """Compute X plus what all heads write.

        Parameters
        ----------
        columns : ndarray, shape (d, inputs, n)
        graphs : tuple of AttentionGraph
            The graphs of this layer (`SparseAttention.layer`): one for all heads, or one for each
            number that heads have as their `pattern`.
        rho : ProbabilityMap

        Returns
        -------
        ndarray, shape (d, inputs, n)

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


def check_heads(heads: tuple[Head, ...]) -> None:
    """Refuse heads on tokens of different dimensions.

    Raises
    ------
    InputError

    Examples
    --------
    >>> check_heads((Head([[1]], [[1]], [[1]], [[1]]),))
    """
    dimensions = sorted({head.d for head in heads})
    if len(dimensions) > 1:
        raise InputError(f"the heads of a layer must have one dimension d, not {dimensions}")


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
