"""The number of values that must pass the summary tokens of a block-sparse mask."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from samapprox.attention.graphs.graph import AttentionGraph
from samapprox.attention.reasoning.locality.dependencies import require_needs
from samapprox.support.parameters import require

Tokens = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Crowd:
    """Values that together have few summary tokens, which is why each of these must carry many.

    Attributes
    ----------
    first, last : int
        The first and the last of the values.
    values : int
        The far values among the tokens `first` .. `last`.
    carriers : int
        The summary tokens that any of them can reach in time.
    """

    first: int
    last: int
    values: int
    carriers: int


@dataclass(frozen=True, slots=True, eq=False)
class SummaryLoad:
    """The values that must pass summary tokens, and the least load that this means.

    Attributes
    ----------
    reach : int
        Windows alone carry a value this far through all layers.
    far : ndarray of int64, shape (values,)
        Tokens that some step further away needs.
    lost : ndarray of int64
        Those of `far` that can reach no summary token in time: they cannot reach the step.
    blocks : ndarray of int64, shape (ceil(n / b),)
        The number of far values in each block.
    load : int
        In every way to pass on the far values that are not lost, some summary token carries at
        least so many of them; and in some way none carries more.
    crowd : Crowd or None
        The proof that `load` cannot be less: values / carriers, rounded up. None if no value is
        passed on.
    """

    reach: int
    far: Tokens
    lost: Tokens
    blocks: NDArray[np.int64]
    load: int
    crowd: Crowd | None


def summary_load(
    needs: AttentionGraph, *, layers: int, b: int = 16, k: int = 1, c: int = 1
) -> SummaryLoad:
    """Find the least load of the summary tokens of `block_sparse(n, b, k, c)`.

    A step reads from position i - 1. Through M layers, windows alone carry a value k b - 1
    positions a layer. A value that is needed further away must be read from a summary token, one of
    the last c of a block, which it must reach before the last layer: within (M - 1)(k b - 1)
    positions. Conversely, every later position reads every summary token.

    Parameters
    ----------
    needs : AttentionGraph
        An edge (i, j) means that token i is computed from token j.
    layers : int
        M, at least 1.
    b, k, c : int
        As in `samapprox.attention.graphs.masks.local.block_sparse`.

    Returns
    -------
    SummaryLoad

    Raises
    ------
    InputError
        See `require_needs`; a parameter out of range.

    Notes
    -----
    The carriers of a value are an interval of summary tokens, whose ends grow with the value. By
    Hall's theorem, load w suffices unless some interval of carriers has more than w times as many
    values that no other carrier serves; the greatest ratio is taken over intervals that begin with
    the carriers of one value and end with those of another. O(n + edges + (c n / b)^2).

    The load counts the values that must reach a summary token. It bounds what the token
    stores if the steps need the values themselves, and not, say, their maximum.

    References
    ----------
    Yang et al. (2024), Eq. 6 and Theorem B.6.

    Examples
    --------
    >>> needs = AttentionGraph.from_csr([0] * 24 + [12], list(range(12)))
    >>> found = summary_load(needs, layers=2, b=4)
    >>> found.reach, found.blocks.tolist(), found.load
    (6, [4, 4, 4, 0, 0, 0], 4)
    >>> found.crowd
    Crowd(first=0, last=3, values=4, carriers=1)
    """
    require_needs(needs)
    require(layers >= 1, f"the number of layers must be at least 1, not {layers}")
    require(b >= 1, f"b (tokens of a block) must be at least 1, not {b}")
    require(k >= 1, f"k (blocks behind a query) must be at least 1, not {k}")
    require(0 <= c <= b, f"c (summary tokens of a block) must be in 0..{b}, not {c}")
    step = k * b - 1
    is_far = needs.queries - 1 - needs.indices > layers * step
    far: Tokens = np.unique(needs.indices[is_far]).astype(np.int64)
    blocks = np.bincount(far // b, minlength=-(-needs.n // b))
    tokens = np.arange(needs.n)
    summaries = np.flatnonzero(tokens % b >= b - c)
    lowest = np.searchsorted(summaries, far)
    beyond = np.searchsorted(summaries, far + (layers - 1) * step, side="right")
    lost = lowest == beyond
    crowd = _crowd(far[~lost], lowest[~lost], beyond[~lost])
    load = 0 if crowd is None else -(-crowd.values // crowd.carriers)
    return SummaryLoad(layers * step, far, far[lost], blocks, load, crowd)


def _crowd(values: Tokens, lowest: Tokens, beyond: Tokens) -> Crowd | None:
    """Find values in a row with the greatest number of them per carrier.

    The carriers of a value are ``lowest``, .., ``beyond`` - 1; both ascend with the value.
    """
    if not values.size:
        return None
    firsts = np.flatnonzero(np.diff(lowest, prepend=-1))  # the first value of each lowest carrier
    best = Crowd(int(values[0]), int(values[0]), 1, int(beyond[0] - lowest[0]))
    for last in np.flatnonzero(np.diff(beyond, append=beyond[-1] + 1)).tolist():
        starts = firsts[firsts <= last]
        counts, carriers = last + 1 - starts, beyond[last] - lowest[starts]
        place = int(np.argmax(counts / carriers))
        if counts[place] * best.carriers > best.values * carriers[place]:
            best = Crowd(
                int(values[starts[place]]),
                int(values[last]),
                int(counts[place]),
                int(carriers[place]),
            )
    return best
