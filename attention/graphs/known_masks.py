"""The known graphs."""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

from samapprox.attention.graphs.graph import AttentionGraph
from samapprox.support.lookup import look_up

__all__ = ["GRAPHS", "maker"]

_HERE = "samapprox.attention.graphs.masks"

GRAPHS = {
    "full": f"{_HERE}.full:full",
    "window": f"{_HERE}.window:window",
    "dilated": f"{_HERE}.window:dilated",
    "star": f"{_HERE}.star:star",
    "strided": f"{_HERE}.strided:strided",
    "fixed": f"{_HERE}.fixed:fixed",
    "random": f"{_HERE}.random:random",
    "random-heads": f"{_HERE}.random:random_heads",
    "random-keys": f"{_HERE}.random:random_keys",
    "longformer": f"{_HERE}.longformer:longformer",
    "bigbird": f"{_HERE}.bigbird:bigbird",
    "bigbird-block": f"{_HERE}.bigbird:bigbird_block",
    "block-sparse": f"{_HERE}.block_sparse:block_sparse",
}
"""Graph name -> module and function, imported when used."""


def maker(name: str) -> Callable[..., AttentionGraph | tuple[AttentionGraph, ...]]:
    """Return the function of a graph: of n and its parameters, with several patterns for some.

    Raises
    ------
    InputError
        No such graph.

    Examples
    --------
    >>> maker("window")(5, w=3).edges
    13
    """
    return cast(
        "Callable[..., AttentionGraph | tuple[AttentionGraph, ...]]",
        look_up(name, GRAPHS, "graph"),
    )
