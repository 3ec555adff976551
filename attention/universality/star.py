"""Zaheer's star: a walk through its centre, which need not attend to itself."""

from __future__ import annotations

import numpy as np

from samapprox.attention.graphs.heads import SparseAttention
from samapprox.attention.graphs.universality import star_centre
from samapprox.attention.graphs.walks import Walk
from samapprox.errors import InputError

__all__ = ["star_walk"]


def star_walk(attention: SparseAttention) -> Walk:
    """Return the walk 1, 0, 2, 0, .., n in a graph that contains a star with centre 0.

    Parameters
    ----------
    attention : SparseAttention
        Every pattern contains a star: all tokens but the centre attend to themselves and to the
        centre, and the centre attends to them. The patterns may be in turn; a step then has the
        pattern of the next layer, so that no layer is idle.

    Returns
    -------
    Walk
        2n - 1 tokens, hence 2n - 2 selective shifts. After every two layers all tokens have heard
        of all, so s = 2, and the contextual mapping has 2n layers.

    Raises
    ------
    InputError
        No star.

    References
    ----------
    Zaheer et al. (2020), Definition 1 and Theorem 1.

    Examples
    --------
    >>> from samapprox.attention.graphs import AttentionGraph
    >>> star = AttentionGraph.from_csr([0, 3, 5, 7, 9], [1, 2, 3, 0, 1, 0, 2, 0, 3])
    >>> star_walk(SparseAttention((star,))).tokens.tolist()
    [1, 0, 2, 0, 3]
    """
    order = attention.selectable
    centre = star_centre(order)
    if centre is None:
        raise InputError(
            "the mask contains no star: one token that attends to all others, and all others "
            "attend to it and to themselves"
        )
    leaves = [token for token in range(attention.n) if token != centre]
    if len(leaves) == 1:
        tokens = [centre, *leaves]
    else:
        tokens = [token for leaf in leaves for token in (centre, leaf)][1:]
    numbers = [0, *((t - 1) % attention.period for t in range(1, len(tokens)))]
    return Walk(np.array(tokens, dtype=np.int64), np.array(numbers, dtype=np.int64))
