"""The queries of the largest margin for given keys."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from samapprox.solvers.questions.margins.ascent import Vectors

# Products of the largest problem: nonnegative least squares for each row take a second.
_MOST_PRODUCTS = 1 << 23
# The threshold's factor: the larger it is, the less its square counts beside that of the query.
_THRESHOLD = 100.0


def widen(entries: NDArray[np.int8], vectors: Vectors) -> Vectors:
    """Return the same keys with the queries of the largest margin for them, row by row.

    The shortest x with s_j (x . k_j - t) >= 1 for all keys is a least distance problem, which
    nonnegative least squares solve. Rows for which they fail keep their query. Too large patterns
    keep all of them.

    Lawson, Hanson (1974), "Solving Least Squares Problems", chapter 23.

    >>> wide = widen(np.array([[1, 0]], dtype=np.int8), Vectors(np.array([[0.6, 0.8]]), np.eye(2)))
    >>> wide.queries.round(3).tolist()
    [[0.707, -0.707]]
    """
    from scipy.optimize import nnls

    if entries.size * vectors.dimension > _MOST_PRODUCTS:
        return vectors
    queries = vectors.queries.copy()
    points = np.column_stack([vectors.keys, np.full(len(vectors.keys), _THRESHOLD)])
    target = np.zeros(points.shape[1] + 1)
    target[-1] = 1
    for row, line in enumerate(entries):
        there = line >= 0
        signed = points[there] * np.where(line[there] == 1, 1, -1)[:, None]
        system = np.vstack([signed.T, np.ones(len(signed))])
        try:
            weights, _ = nnls(system, target)
        except RuntimeError:  # too many iterations
            continue
        rest = system @ weights - target
        length = np.linalg.norm(rest[:-2])
        if rest[-1] < 0 < length:
            queries[row] = rest[:-2] / length
    return Vectors(queries, vectors.keys)
