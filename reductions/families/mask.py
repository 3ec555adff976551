"""Sparse attention masks as patterns."""

from __future__ import annotations

from samapprox.attention.graphs import build
from samapprox.instance import Instance
from samapprox.reductions.families.mask_facts import mask_facts

__all__ = ["mask"]


def mask(graph: str = "bigbird:w=3,g=2,r=3", n: int = 64) -> Instance:
    """Make a sparse attention mask: query i has a 1 at the keys that it attends to.

    Graphs with several patterns (strided, fixed) give their union, unless the graph says pattern=0
    or 1. `samapprox.reductions.families.mask_facts.mask_facts` states the known dimensions.

    Parameters
    ----------
    graph : str
        Name and parameters, such as "bigbird:w=3,g=2,r=3"; see docs/theory/graphs.md.
    n : int
        Number of tokens.

    Examples
    --------
    >>> instance = mask("window:w=3", n=5)
    >>> [(fact.d, fact.answer) for fact in instance.facts]
    [(2, 'YES'), (1, 'NO')]
    """
    return Instance(
        build(graph, n).union.pattern(),
        mask_facts(graph, n),
        {"family": "mask", "graph": graph, "n": n},
    )
