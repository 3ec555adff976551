"""The tokens that each token needs, from lists: a directed acyclic graph in reading order."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from samapprox.attention.graphs.graph import AttentionGraph, check_edges, check_tokens
from samapprox.errors import InputError

__all__ = ["graph_of_lists", "list_needs", "needs_graph"]


def needs_graph(needs: Sequence[Sequence[int]]) -> AttentionGraph:
    """Return the graph in which token i needs the tokens ``needs[i]``, all of them before i.

    Parameters
    ----------
    needs : sequence of sequence of int
        Ascending within a token.

    Raises
    ------
    InputError
        A token needs itself or a later one, so that the needs have a cycle or a forward edge, or
        the needs of a token do not ascend; the message names the token.

    Examples
    --------
    >>> needs_graph([[], [], [0, 1]]).keys(2).tolist()
    [0, 1]
    >>> needs_graph([[1], [0]])
    Traceback (most recent call last):
    ...
    samapprox.errors.InputError: token 0 needs token 1, which does not come before it (a cycle ...
    """
    check_tokens(len(needs))
    check_edges(sum(map(len, needs)))
    for token, keys in enumerate(needs):
        if not keys:
            continue
        late = next((key for key in keys if not 0 <= key < token), None)
        if late is not None:
            raise InputError(
                f"token {token} needs token {late}, which does not come before it (a cycle or a "
                "forward edge); a token needs earlier tokens only"
            )
        if any(one >= other for one, other in pairwise(keys)):
            raise InputError(f"the needs of token {token} must ascend, each named once")
    return graph_of_lists(needs)


def graph_of_lists(needs: Sequence[Sequence[int]]) -> AttentionGraph:
    """Return the same graph, without a check.

    Examples
    --------
    >>> graph_of_lists([[], [0], [0, 1]]).edges
    3
    """
    indptr = np.zeros(len(needs) + 1, dtype=np.int64)
    np.cumsum([len(keys) for keys in needs], out=indptr[1:])
    indices = np.fromiter((key for keys in needs for key in keys), np.int32, int(indptr[-1]))
    return AttentionGraph(indptr, indices)


def list_needs(graph: AttentionGraph) -> list[list[int]]:
    """Return the needs of each token as a list; `needs_graph` takes them back.

    Examples
    --------
    >>> list_needs(needs_graph([[], [0]]))
    [[], [0]]
    """
    keys = graph.indices.tolist()
    return [keys[start:end] for start, end in pairwise(graph.indptr.tolist())]
