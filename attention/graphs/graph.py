"""Sparse attention masks as directed graphs: the tokens that each token attends to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from samapprox.errors import InputError, require_type
from samapprox.pattern import Pattern
from samapprox.storage.entries import MAX_SIDE
from samapprox.storage.sparse import as_indices, check_csr, sort_rows, without_stored_zeros
from samapprox.support.text import plural

if TYPE_CHECKING:
    import networkx
    import scipy.sparse


_MOST_EDGES = 1 << 28
"""Most edges of a graph: each takes 4 bytes, and three times that while it is made."""


def check_tokens(n: int) -> None:
    """Refuse a number of tokens that is out of range."""
    if not 1 <= n <= MAX_SIDE:
        raise InputError(f"the number of tokens n must be in 1..{MAX_SIDE}, not {n}")


def check_edges(edges: int) -> None:
    """Refuse a graph with too many edges, before anything is allocated."""
    if edges > _MOST_EDGES:
        raise InputError(f"the graph has {edges} edges; at most {_MOST_EDGES} are stored")


@dataclass(frozen=True, slots=True, eq=False)
class AttentionGraph:
    """A directed graph on the tokens 0..n-1: an edge (i, j) means that query i attends to key j.

    Zaheer et al. (2020) call the keys of i its out-neighbours N(i); Yun et al. (2020) write A_i.
    Make one by a function of `samapprox.attention.graphs.GRAPHS`, or by `from_csr`, `from_pattern`,
    `from_sparse`, `from_networkx`.

    Attributes
    ----------
    indptr : ndarray of int64, shape (n + 1,)
        The keys of query i are ``indices[indptr[i]:indptr[i + 1]]``.
    indices : ndarray of int32, shape (edges,)
        Ascending and distinct within a query.

    Notes
    -----
    Compressed sparse rows: 8 n + 4 edges bytes; never n x n.

    Examples
    --------
    >>> graph = AttentionGraph.from_csr([0, 2, 3], [0, 1, 1])
    >>> graph.n, graph.edges, graph.keys(0).tolist()
    (2, 3, [0, 1])
    """

    indptr: NDArray[np.int64]
    indices: NDArray[np.int32]

    def __post_init__(self) -> None:
        for name in ("indptr", "indices"):
            require_type(name, getattr(self, name), np.ndarray, "an array")
            getattr(self, name).flags.writeable = False

    # ---------------------------------------------------------------- construction

    @classmethod
    def from_csr(cls, indptr: Any, indices: Any, data: Any = None) -> AttentionGraph:
        """Make a graph from the arrays of a compressed sparse row matrix, checked and sorted.

        Parameters
        ----------
        indptr : array_like of int, shape (n + 1,)
            The keys of query i are ``indices[indptr[i]:indptr[i + 1]]``.
        indices : array_like of int, shape (edges,)
            Keys, in any order within a query.
        data : array_like of 0/1, shape (edges,), optional
            Stored values; edges of value 0 are dropped.

        Raises
        ------
        InputError
            Inconsistent arrays, indices out of range, an edge given twice, other values.

        Notes
        -----
        O(edges), O(edges log edges) where keys are out of order.
        """
        starts = as_indices("indptr", indptr).astype(np.int64)
        n = len(starts) - 1
        check_tokens(n)
        keys = as_indices("indices", indices)
        values = None if data is None else np.asarray(data)
        check_csr(starts, keys, values, n, n)
        check_edges(len(keys))
        if values is not None and not (values != 0).all():
            starts, keys = without_stored_zeros(starts, keys, values)
        own = np.array(keys, dtype=np.int32)
        sort_rows(starts, own)
        return cls(starts, own)

    @classmethod
    def from_pattern(cls, pattern: Pattern) -> AttentionGraph:
        r"""Make a graph from a mask: rows are queries, 1 means that the query attends to the key.

        Parameters
        ----------
        pattern : Pattern
            A square mask without don't-care entries.

        Raises
        ------
        InputError
            Not square, or with don't-care entries.

        Examples
        --------
        >>> AttentionGraph.from_pattern(Pattern.from_text("11\n01")).edges
        3
        """
        require_type("pattern", pattern, Pattern, "a Pattern")
        if not pattern.is_square:
            rows, columns = pattern.shape
            raise InputError(
                f"the mask is {rows} x {columns}; a graph on tokens needs as many queries as keys"
            )
        if not pattern.is_specified:
            raise InputError("the mask has don't-care entries (*); write 0 for no attention")
        check_edges(pattern.count)
        indices = np.concatenate(list(pattern.ones.indices()))
        return cls.from_csr(np.concatenate(([0], np.cumsum(pattern.row_ones))), indices)

    @classmethod
    def from_sparse(cls, matrix: scipy.sparse.sparray | scipy.sparse.spmatrix) -> AttentionGraph:
        """Make a graph from a square scipy sparse matrix: entry (i, j) means that i attends to j.

        Parameters
        ----------
        matrix : scipy sparse array, shape (n, n)
            The mask, of 0 and 1.

        Raises
        ------
        InputError
            Not square, too large, or with values other than 0 and 1.

        Examples
        --------
        >>> import scipy.sparse
        >>> AttentionGraph.from_sparse(scipy.sparse.eye_array(10**6, format="csr")).edges
        1000000
        """
        if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
            shape = " x ".join(map(str, matrix.shape))
            raise InputError(
                f"the mask is {shape}; a graph on tokens needs as many queries as keys"
            )
        csr = matrix.tocsr()
        return cls.from_csr(csr.indptr, csr.indices, csr.data)

    @classmethod
    def from_networkx(cls, graph: networkx.Graph) -> AttentionGraph:
        """Make a graph from networkx: an edge (i, j) means that i attends to j.

        Tokens are the nodes in the graph's own order; an undirected edge goes both ways.

        Parameters
        ----------
        graph : networkx graph
            Its nodes are the tokens.

        Raises
        ------
        InputError
            No node.

        Examples
        --------
        >>> import networkx
        >>> ring = AttentionGraph.from_networkx(networkx.cycle_graph(5, networkx.DiGraph))
        >>> ring.keys(4).tolist()
        [0]
        """
        import networkx

        check_tokens(len(graph))
        simple = networkx.DiGraph(graph)
        matrix = networkx.to_scipy_sparse_array(simple, weight=None, dtype=np.int8, format="csr")
        return cls.from_sparse(matrix)

    # ---------------------------------------------------------------- facts

    @property
    def n(self) -> int:
        """Number of tokens."""
        return len(self.indptr) - 1

    @property
    def edges(self) -> int:
        """Number of pairs (query, key), self-loops included."""
        return len(self.indices)

    @property
    def sparsity(self) -> float:
        """Share of the n^2 pairs that are not edges, as in Table 1 of Yun et al. (2020)."""
        return 1 - self.edges / self.n**2

    @property
    def out_degrees(self) -> NDArray[np.int64]:
        """Number of keys of every query, shape (n,)."""
        return np.diff(self.indptr)

    @property
    def in_degrees(self) -> NDArray[np.int64]:
        """Number of queries that attend to every key, shape (n,)."""
        return np.bincount(self.indices, minlength=self.n).astype(np.int64)

    @property
    def queries(self) -> NDArray[np.int32]:
        """The query of every edge, beside `indices`, shape (edges,)."""
        return np.repeat(np.arange(self.n, dtype=np.int32), self.out_degrees)

    @property
    def without_loop(self) -> NDArray[np.int64]:
        """The tokens that do not attend to themselves.

        Examples
        --------
        >>> AttentionGraph.from_csr([0, 2, 3], [0, 1, 0]).without_loop.tolist()
        [1]
        """
        tokens = np.arange(self.n)
        return np.flatnonzero(~self.attends(tokens, tokens))

    def keys(self, query: int) -> NDArray[np.int32]:
        """Return the tokens that a query attends to, ascending.

        Parameters
        ----------
        query : int
            A token.
        """
        return self.indices[self.indptr[query] : self.indptr[query + 1]]

    def attends(self, queries: ArrayLike, keys: ArrayLike) -> NDArray[np.bool_]:
        """Return whether each query attends to the key beside it.

        Parameters
        ----------
        queries, keys : array_like of int, shape (k,)
            Tokens of the graph.

        Notes
        -----
        O(k log n), by bisection among the keys of each query, compiled.

        Examples
        --------
        >>> AttentionGraph.from_csr([0, 1, 3], [0, 0, 1]).attends([0, 1], [1, 0]).tolist()
        [False, True]
        """
        from samapprox.attention.graphs.kernels import have_edges

        asked = np.asarray(queries, dtype=np.int64), np.asarray(keys, dtype=np.int64)
        found = np.empty(len(asked[0]), dtype=np.bool_)
        have_edges(self.indptr, self.indices, *asked, found)
        return found

    def depths(self, source: int) -> NDArray[np.int32]:
        """Return the number of edges from the source to each token, -1 if it is never reached.

        Parameters
        ----------
        source : int
            The token where the search begins.

        Notes
        -----
        O(n + edges), breadth first, compiled.

        Examples
        --------
        >>> AttentionGraph.from_csr([0, 1, 3], [0, 0, 1]).depths(1).tolist()
        [1, 0]
        """
        from samapprox.attention.graphs.kernels import depths

        found = np.empty(self.n, dtype=np.int32)
        depths(self.indptr, self.indices, source, found)
        return found

    # ---------------------------------------------------------------- other graphs

    def union(self, *others: AttentionGraph) -> AttentionGraph:
        """Return the graph with the edges of all.

        Parameters
        ----------
        *others : AttentionGraph
            Graphs on the same tokens.

        Raises
        ------
        InputError
            Graphs of different n.

        Notes
        -----
        O(n + edges) for each, by scipy.

        Examples
        --------
        >>> loops = AttentionGraph.from_csr([0, 1, 2], [0, 1])
        >>> loops.union(AttentionGraph.from_csr([0, 1, 1], [1])).keys(0).tolist()
        [0, 1]
        """
        total = self.to_sparse()
        for other in others:
            if other.n != self.n:
                raise InputError(f"graphs of {self.n} and {other.n} tokens have no union")
            check_edges(total.nnz + other.edges)
            total = total + other.to_sparse()
        indices = total.indices.astype(np.int32, copy=False)
        return type(self)(total.indptr.astype(np.int64), indices)

    def causal(self) -> AttentionGraph:
        """Return the graph under causal attention: no query attends to a later key.

        Examples
        --------
        >>> AttentionGraph.from_csr([0, 2, 4], [0, 1, 0, 1]).causal().edges
        3
        """
        kept = self.indices <= self.queries
        running = np.concatenate(([0], np.cumsum(kept)))
        return type(self)(running[self.indptr], self.indices[kept])

    def reverse(self) -> AttentionGraph:
        """Return the graph with every edge reversed: the queries of each key."""
        turned = self.to_sparse().T.tocsr()
        indices = turned.indices.astype(np.int32, copy=False)
        return type(self)(turned.indptr.astype(np.int64), indices)

    # ---------------------------------------------------------------- other forms

    def pattern(self) -> Pattern:
        """Return the mask as a pattern: rows are queries, 1 means attention to the key.

        Raises
        ------
        InputError
            A token attends to no token; the message names it.

        Examples
        --------
        >>> print(AttentionGraph.from_csr([0, 2, 3], [0, 1, 1]).pattern().to_text())
        11
        01
        """
        alone = np.flatnonzero(self.out_degrees == 0)
        if alone.size:
            raise InputError(f"token {alone[0]} attends to no token; give it a key (or itself)")
        return Pattern.from_csr(self.indptr, self.indices, None, (self.n, self.n))

    def to_sparse(self) -> scipy.sparse.csr_array:
        """Return the mask as a scipy compressed sparse row array of booleans."""
        import scipy.sparse

        data = np.ones(self.edges, dtype=np.bool_)
        matrix = scipy.sparse.csr_array((self.n, self.n), dtype=np.bool_)
        matrix.data, matrix.indices = data, self.indices
        matrix.indptr = self.indptr.astype(np.int32)
        return matrix

    def to_networkx(self) -> networkx.DiGraph:
        """Return the graph in networkx, with the tokens 0..n-1 as nodes.

        Examples
        --------
        >>> sorted(AttentionGraph.from_csr([0, 2, 3], [0, 1, 1]).to_networkx().edges)
        [(0, 0), (0, 1), (1, 1)]
        """
        import networkx

        graph = networkx.DiGraph()
        graph.add_nodes_from(range(self.n))
        graph.add_edges_from(zip(self.queries.tolist(), self.indices.tolist(), strict=True))
        return graph

    # ---------------------------------------------------------------- dunder

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, AttentionGraph):
            return NotImplemented
        return np.array_equal(self.indptr, other.indptr) and np.array_equal(
            self.indices, other.indices
        )

    def __hash__(self) -> int:
        return hash((self.n, self.edges))

    def __repr__(self) -> str:
        return f"<AttentionGraph of {plural(self.n, 'token')}, {plural(self.edges, 'edge')}>"
