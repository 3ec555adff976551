"""Factors of the matrix of a given rank nearest to the signs."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from samapprox.solvers.embeddings.lbfgs import Floats

__all__ = ["iterate_subspace"]

_FOLLOWING = 6  # multiplications from both sides


def iterate_subspace(
    signs: NDArray[np.int8] | Floats, rank: int, rng: np.random.RandomState
) -> tuple[Floats, Floats, Floats]:
    """Approximate the greatest singular values and vectors by subspace iteration in float32.

    26 m n rank operations, and 4 m n bytes.
    """
    matrix = signs.astype(np.float32)
    directions = rng.normal(size=(signs.shape[1], rank)).astype(np.float32)
    for _ in range(_FOLLOWING):
        image = np.linalg.qr(matrix @ directions)[0]
        directions = np.linalg.qr(matrix.T @ image)[0]
    image = (matrix @ directions).astype(np.float64)
    left, values, turned = np.linalg.svd(image, full_matrices=False)
    return left, values, turned @ directions.T.astype(np.float64)
