"""The ids that hard-max layers along a walk give to tokens, for all inputs, by plain integers."""

from __future__ import annotations

from itertools import product

import numpy as np
from numpy.typing import NDArray

from samapprox.attention.graphs import AttentionGraph
from samapprox.attention.graphs.walks import Walk

__all__ = ["all_max_shifts", "ids_along"]

Ids = NDArray[np.object_]
"""Ids of all tokens and inputs, shape (n, inputs)."""


def ids_along(
    patterns: tuple[AttentionGraph, ...], walk: Walk, values: int, c: int | None = None
) -> Ids:
    """The ids after one selective shift for each step of the walk.

    A shift adds c (greatest - least id that a token sees) to every token whose id lies in a window.
    The window holds all that the id of the walk's token can be. Unless given, c is as small as the
    theorem allows: above twice every id so far.
    """
    n, tokens = patterns[0].n, walk.tokens.tolist()
    order = list(dict.fromkeys(tokens))
    block = {token: place - 1 for place, token in enumerate(order)} | {order[0]: n - 1}
    inputs = np.array(list(product(range(values), repeat=n))).T
    ids = np.array([block[token] * values for token in range(n)])[:, None] + inputs
    ids = ids.astype(object)
    for token, number in zip(tokens[1:], walk.patterns.tolist()[1:], strict=True):
        factor = 2 * ids.max() + 1 if c is None else c
        chosen = ((ids >= ids[token].min()) & (ids <= ids[token].max())).astype(object)
        assert not np.delete(chosen, token, axis=0).any()
        ids = ids + chosen * factor * _spread(patterns[number], ids)
        assert (np.delete(ids, token, axis=0) < ids[token]).all()
    return ids


def all_max_shifts(patterns: tuple[AttentionGraph, ...], ids: Ids, s: int) -> Ids:
    """The ids after s layers, which follow the patterns in turn and add a multiple of the greatest.

    The multiple is 2 s times the greatest id, as that of Yun et al. (2020), E.2.2.
    """
    factor = 2 * s * ids.max()
    for layer in range(s):
        graph = patterns[layer % len(patterns)]
        seen = [ids[graph.keys(token)].max(axis=0) for token in range(graph.n)]
        ids = ids + factor * np.array(seen)
    return ids


def _spread(graph: AttentionGraph, ids: Ids) -> Ids:
    """The greatest less the least id that each token sees."""
    seen = [ids[graph.keys(token)] for token in range(graph.n)]
    return np.array([keys.max(axis=0) - keys.min(axis=0) for keys in seen])
