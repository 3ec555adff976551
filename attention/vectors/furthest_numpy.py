"""The furthest vector of each by matrix products of numpy: nothing is compiled or loaded."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from samapprox.attention.vectors.near_ties import candidate_slices, furthest_of
from samapprox.support.tasks import Progress
from samapprox.vectors import require_finite

__all__ = ["search"]

Numbers = NDArray[Any]
Indices = NDArray[np.int64]


def search(
    queries: Numbers, keys: Numbers, own: bool, progress: Progress | None = None
) -> tuple[Indices, int]:
    """The furthest keys, and for how many queries they took a second look.

    Parameters
    ----------
    queries, keys : ndarray of float, shapes (m, d), (n, d)
    own : bool
        Queries and keys are the same, and none is an answer to itself.
    progress : callable, optional
        As in `samapprox.attention.vectors.furthest.furthest`.

    Raises
    ------
    InputError
        An entry is not finite.

    Notes
    -----
    2 m n d operations in float64, O(m + n) memory beside a copy of some keys. The second look is
    `samapprox.attention.vectors.near_ties.furthest_of`, as for the compiled kernels.

    Examples
    --------
    >>> line = np.array([[0.0], [1.0], [5.0]])
    >>> search(line, line, own=True)
    (array([2, 2, 0]), 0)
    """
    require_finite(queries, "vectors" if own else "queries")
    require_finite(keys, "keys")
    count = len(queries)
    answers, near_ties = np.empty(count, dtype=np.int64), 0
    for rows, place, key in candidate_slices(queries, keys, np.arange(count), own):
        answers[rows] = furthest_of(queries, keys, rows, place, key)
        near_ties += int((np.bincount(place) > 1).sum())
        if progress is not None:
            progress(int(rows[-1]) + 1, count)
    return answers, near_ties
