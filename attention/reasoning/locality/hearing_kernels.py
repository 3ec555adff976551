"""Compiled steps of `hear`: back along the paths of many needs at once, one layer at a time."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from samapprox.support.jit import compiled


@compiled
def step_back(
    indptr: NDArray[np.int64],
    indices: NDArray[np.int32],
    before: NDArray[np.uint64],
    sources: NDArray[np.int64],
    at: NDArray[np.int32],
    previous: NDArray[np.int32],
) -> None:
    """Fill `previous` with positions that passed each source on to the positions of `at`.

    Row p of `before` has the sources that reach position p before the layer, as bits. A
    position keeps what it has, so it comes first.
    """
    for need in range(len(sources)):
        word, bit = sources[need] // 64, np.uint64(1) << np.uint64(sources[need] % 64)
        here = at[need]
        previous[need] = here
        if before[here, word] & bit:
            continue
        for place in range(indptr[here], indptr[here + 1]):
            if before[indices[place], word] & bit:
                previous[need] = indices[place]
                break
