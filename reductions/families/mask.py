"""Sparse attention masks as patterns."""

from __future__ import annotations

import numpy as np

from samapprox.attention.graphs import AttentionGraph, build
from samapprox.instance import Fact, Instance

__all__ = ["mask", "sign_changes"]


def mask(graph: str = "bigbird:w=3,g=2,r=3", n: int = 64) -> Instance:
    """A sparse attention mask: query i has a 1 at the keys that it attends to.

    Several patterns (strided, fixed) give their union, unless the graph says pattern=0 or 1. YES is
    known for d = the most sign changes of a row along the tokens: 2 for a window.

    Parameters
    ----------
    graph : str
        Name and parameters, such as "bigbird:w=3,g=2,r=3"; see docs/graphs.md.
    n : int
        Number of tokens.

    Examples
    --------
    >>> instance = mask("window:w=3", n=5)
    >>> [(fact.d, fact.answer) for fact in instance.facts]
    [(2, 'YES')]
    """
    made = build(graph, n).union
    return Instance(
        made.pattern(),
        (_along_the_tokens(made),),
        {"family": "mask", "graph": graph, "n": n},
    )


def sign_changes(graph: AttentionGraph) -> int:
    """The most changes between 1 and 0 in a row, along the tokens. Cost O(edges).

    Examples
    --------
    >>> sign_changes(build("star:w=1", 9).union)
    3
    """
    starts = np.ones(graph.edges + 1, dtype=np.bool_)
    starts[1:-1] = np.diff(graph.indices) != 1
    starts[graph.indptr] = True
    runs = np.concatenate(([0], np.cumsum(starts[:-1])))[graph.indptr]
    seen = graph.out_degrees > 0
    changes = 2 * np.diff(runs)[seen]
    changes -= graph.indices[graph.indptr[:-1][seen]] == 0
    changes -= graph.indices[graph.indptr[1:][seen] - 1] == graph.n - 1
    return int(changes.max(initial=0))


def _along_the_tokens(graph: AttentionGraph) -> Fact:
    """Keys on the moment curve in the order of tokens: a polynomial has the signs of each row."""
    changes = sign_changes(graph)
    reason = f"rows change at most {changes} times along the tokens: keys on the moment curve"
    return Fact(max(1, changes), None, "YES", reason)
