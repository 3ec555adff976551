"""Steps of reflections in the low ranks and in the right signs, in compiled code."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from samapprox.support.jit import compiled

Reals = NDArray[np.floating[Any]]
"""float64 or float32; the arrays of a call are of the same type."""

_compiled = partial(compiled, any_order=True)
_TINY = 1e-30  # added to squared lengths, so that none is 0


@_compiled
def follow(x: Reals, directions: Reals, image: Reals) -> None:
    """Take one step of the subspace iteration for the leading right singular vectors of X.

    4 m n r + 2 n r^2 operations.
    """
    rows, columns = x.shape
    rank = len(directions)
    zero = x.dtype.type(0.0)
    for i in range(rows):
        for k in range(rank):
            total = zero
            for j in range(columns):
                total += x[i, j] * directions[k, j]
            image[i, k] = total
    directions[:] = 0.0
    for i in range(rows):
        for k in range(rank):
            factor = image[i, k]
            for j in range(columns):
                directions[k, j] += factor * x[i, j]
    for k in range(rank):
        for earlier in range(k):
            along = zero
            for j in range(columns):
                along += directions[k, j] * directions[earlier, j]
            for j in range(columns):
                directions[k, j] -= along * directions[earlier, j]
        squared = x.dtype.type(_TINY)
        for j in range(columns):
            squared += directions[k, j] ** 2
        scale = x.dtype.type(1.0) / np.sqrt(squared)
        for j in range(columns):
            directions[k, j] *= scale


@_compiled
def advance(
    signs: Reals,
    x: Reals,
    directions: Reals,
    pace: float,
    steps: int,
    fewest: int,
    heat: Reals,
    left: Reals,
    right: Reals,
) -> tuple[int, int]:
    """Take steps of `samapprox.solvers.embeddings.projections.Approach`, until X arrives.

    8 m n r operations a step.
    """
    rows, columns = x.shape
    rank = len(directions)
    number = x.dtype.type
    image = np.empty((rows, rank), x.dtype)
    low = np.empty(columns, x.dtype)
    zero, one, two, stride = number(0.0), number(1.0), number(2.0), number(pace)
    for step in range(steps):
        follow(x, directions, image)
        wrong = 0
        for i in range(rows):
            low[:] = zero
            for k in range(rank):
                total = zero
                for j in range(columns):
                    total += x[i, j] * directions[k, j]
                image[i, k] = total
                for j in range(columns):
                    low[j] += total * directions[k, j]
            for j in range(columns):
                sign = signs[i, j]
                margin = sign * low[j]
                # Q(2 P(X) - X): as it is where it may be anything, else on its side of +-1.
                turned = max(two * margin - sign * x[i, j], one) * sign
                if sign == zero:
                    turned = two * low[j] - x[i, j]
                elif margin <= zero:
                    wrong += 1
                    heat[i, j] += one
                x[i, j] += stride * (turned - low[j])
        if wrong < fewest:
            fewest = wrong
            # Element by element: numba takes seconds to compile the copy of an array.
            for k in range(rank):
                for i in range(rows):
                    left[i, k] = image[i, k]
                for j in range(columns):
                    right[k, j] = directions[k, j]
        if wrong == 0:
            return step, 0
    return steps, fewest
