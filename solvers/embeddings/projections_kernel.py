"""Steps of reflections in the low ranks and in the right signs, in compiled code."""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import NDArray

from samapprox.support.jit import compiled

Reals = NDArray[np.float32]
"""Single precision: enough for signs, and faster."""

_compiled = partial(compiled, any_order=True)
_TINY = 1e-30  # added to squared lengths, so that none is 0


@_compiled
def follow(x: Reals, directions: Reals, image: Reals) -> None:
    """Take one step of the subspace iteration for the leading singular vectors of X.

    The rows of `image` become an orthonormal basis Q of the image of `directions`, and those of
    `directions` the coordinates Q X. 4 m n r + 2 m r^2 operations.
    """
    np.dot(directions, x.T, image)
    _orthonormalise(image)
    np.dot(image, x, directions)


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

    6 m n r operations a step, by BLAS. `heat` is empty where nobody asks for it.
    """
    rows, columns = x.shape
    rank = len(directions)
    image = np.empty((rank, rows), x.dtype)
    low = np.empty((rows, columns), x.dtype)
    # Views are made here, since each takes as long as a step of a small matrix.
    right_signs, near, moved = signs.reshape(-1), low.reshape(-1), x.reshape(-1)
    turned = image.T
    for step in range(steps):
        follow(x, directions, image)
        np.dot(turned, directions, low)
        if heat.size:
            _count_wrong(signs, low, heat)
        wrong = _reflect(right_signs, near, pace, moved)
        if wrong < fewest:
            fewest = wrong
            # Element by element: numba takes seconds to compile the copy of an array.
            for k in range(rank):
                for i in range(rows):
                    left[i, k] = image[k, i]
                for j in range(columns):
                    right[k, j] = directions[k, j]
        if wrong == 0:
            return step, 0
    return steps, fewest


@_compiled
def _reflect(signs: Reals, low: Reals, pace: float, x: Reals) -> int:
    """Move X by a multiple of Q(2 P(X) - X) - P(X), for P(X) in `low`; count its wrong entries."""
    number = x.dtype.type
    zero, one, two, stride = number(0.0), number(1.0), number(2.0), number(pace)
    # Without branches, and in the type of the entries, so that several are computed at once.
    wrong = zero
    for j in range(x.size):
        sign, near = signs[j], low[j]
        margin = sign * near
        # Q(2 P(X) - X): as it is where it may be anything, else on its side of +-1.
        turned = max(two * margin - sign * x[j], one) * sign
        turned = turned if sign != zero else two * near - x[j]
        wrong += one if (margin <= zero) & (sign != zero) else zero
        x[j] += stride * (turned - near)
    return int(wrong)


@_compiled
def _count_wrong(signs: Reals, low: Reals, heat: Reals) -> None:
    """Add one to each entry that is on the wrong side."""
    zero, one = signs.dtype.type(0.0), signs.dtype.type(1.0)
    for i in range(signs.shape[0]):
        for j in range(signs.shape[1]):
            is_wrong = (signs[i, j] * low[i, j] <= zero) & (signs[i, j] != zero)
            heat[i, j] += one if is_wrong else zero


@_compiled
def _orthonormalise(vectors: Reals) -> None:
    """Orthonormalise the rows by Gram and Schmidt's method."""
    count, size = vectors.shape
    zero, one = vectors.dtype.type(0.0), vectors.dtype.type(1.0)
    for k in range(count):
        for earlier in range(k):
            along = zero
            for j in range(size):
                along += vectors[k, j] * vectors[earlier, j]
            for j in range(size):
                vectors[k, j] -= along * vectors[earlier, j]
        squared = vectors.dtype.type(_TINY)
        for j in range(size):
            squared += vectors[k, j] ** 2
        scale = one / np.sqrt(squared)
        for j in range(size):
            vectors[k, j] *= scale
