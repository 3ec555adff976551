"""Inputs of equal length, solved together."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from samapprox.attention.reasoning.base import Chain

__all__ = ["equal_lengths"]


def equal_lengths(
    inputs: Sequence[NDArray[np.int64]],
    solve: Callable[[NDArray[np.int64]], list[Chain]],
    shape: Callable[[NDArray[np.int64]], object] = len,
) -> list[Chain]:
    """Solve inputs of the same shape together, and return the chains in the order of the inputs.

    Parameters
    ----------
    inputs : sequence of ndarray of int64, shape (given,)
    solve : callable
        Takes an array of shape (instances, given).
    shape : callable
        Inputs for which it returns the same are solved together.

    Examples
    --------
    >>> from samapprox.attention.reasoning.lis import LongestIncreasingSubsequence
    >>> task = LongestIncreasingSubsequence()
    >>> inputs = [task.parse(text) for text in ("1 2", "3", "2 1")]
    >>> [chain.answer for chain in equal_lengths(inputs, task._solve_block)]
    [2, 1, 1]
    """
    groups: defaultdict[object, list[int]] = defaultdict(list)
    for place, one in enumerate(inputs):
        groups[shape(one)].append(place)
    chains: dict[int, Chain] = {}
    for places in groups.values():
        solved = solve(np.stack([inputs[place] for place in places]))
        chains.update(zip(places, solved, strict=True))
    return [chains[place] for place in range(len(inputs))]
