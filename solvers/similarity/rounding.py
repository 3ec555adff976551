"""Rounding of caps and balls to whole numbers."""

from __future__ import annotations

import numpy as np

from samapprox.pattern import Pattern
from samapprox.proofs.exact import ExactArray, exact_matmul, squared_norms
from samapprox.proofs.similarities.balls import Balls
from samapprox.proofs.similarities.caps import Caps
from samapprox.support.arrays import Floats

_BITS = (6, 10, 14, 20, 26, 34)  # of a key; fewer make shorter certificates, so they come first
_MORE = 8  # bits of a query, beyond those of a key
_BEYOND = 1e-9  # the largest share of its length by which a product in float64 may be off


def round_caps(pattern: Pattern, queries: Floats, keys: Floats) -> Caps | None:
    r"""Round queries and keys of length 1 to few bits that keep all entries right.

    Parameters
    ----------
    pattern : Pattern, shape (m, n)
        The pattern that they should represent.
    queries, keys : ndarray of float64, shapes (m, d) and (n, d)
        Vectors of length 1.

    Returns
    -------
    Caps or None
        None where no number of bits is enough.

    Examples
    --------
    >>> caps = round_caps(Pattern.from_text("10"), np.array([[0.8, 0.6]]), np.eye(2))
    >>> caps.keys.tolist()
    [[64, 0], [0, 64]]
    """
    for bits in _BITS:
        whole_keys = np.rint(keys * (1 << bits))
        lengths = np.linalg.norm(whole_keys, axis=1)
        if not lengths.all():
            continue
        whole_queries = np.rint(queries * (1 << bits + _MORE))
        products = whole_queries @ (whole_keys / lengths[:, None]).T
        slack = _BEYOND * (1 << bits + _MORE)
        thresholds = _between(pattern, products, 1.0 if bits < _BITS[-1] else slack)
        if thresholds is not None:
            return Caps(_integers(whole_queries), _integers(whole_keys), _integers(thresholds))
    return None


def round_balls(
    pattern: Pattern, queries: Floats, thresholds: Floats, keys: Floats
) -> Balls | None:
    r"""Project caps that miss the last key stereographically, and round them.

    Parameters
    ----------
    pattern : Pattern, shape (m, n)
        The pattern that they should represent.
    queries, thresholds : ndarray of float64, shapes (m, d + 1) and (m,)
        The caps: queries of length 1, and the least products of their keys.
    keys : ndarray of float64, shape (n + 1, d + 1)
        Of length 1; the last one is the pole.

    Returns
    -------
    Balls or None
        None where no number of bits is enough, or the pole lies in a cap.

    Examples
    --------
    >>> circle = np.array([[1.0, 0.0], [0.0, -1.0], [0.0, 1.0]])
    >>> balls = round_balls(Pattern.from_text("10"), circle[:1], np.array([0.5]), circle)
    >>> balls.dimension, len(balls.keys)
    (1, 2)
    """
    pole = keys[-1]
    basis, _ = np.linalg.qr(np.column_stack([pole, np.eye(len(pole))]))
    basis = np.roll(basis, -1, axis=1)
    basis[:, -1] = pole
    queries, keys = queries @ basis, keys[:-1] @ basis
    weights = thresholds - queries[:, -1]
    if (weights <= 0).any() or (keys[:, -1] >= 1.0).any():
        return None
    points = keys[:, :-1] / (1.0 - keys[:, -1:])
    middle = (points.max(axis=0) + points.min(axis=0)) / 2
    points -= middle
    centers = queries[:, :-1] - weights[:, None] * middle
    size = max(1e-300, float(np.abs(points).max()))
    points, centers = points / size, centers / size  # now 2 c . k - w |k|^2, up to a factor
    scale = np.maximum(np.abs(centers).max(axis=1, initial=0.0), weights)
    centers, weights = centers / scale[:, None], weights / scale
    for bits in _BITS:
        whole_keys = _integers(np.rint(points * (1 << bits)))
        whole_centers = _integers(np.rint(centers * 2.0 ** (2 * bits)))
        whole_weights = _integers(np.maximum(1.0, np.rint(weights * 2.0**bits)))
        products = exact_matmul(
            np.column_stack([whole_centers.astype(object) * 2, -whole_weights]),
            np.column_stack([whole_keys, squared_norms(whole_keys)]).T,
        )
        whole = _between(pattern, products, 1)
        if whole is not None:
            return Balls(whole_centers, whole_weights, whole_keys, whole)
    return None


def _between(pattern: Pattern, products: ExactArray, gap: float) -> ExactArray | None:
    """Return thresholds between the zeros and the ones of each row, if they are this far apart."""
    thresholds = []
    for entries, values in zip(pattern.to_array(), products, strict=True):
        least = values[entries == 1].min()
        zeros = values[entries == 0]
        if not zeros.size:
            thresholds.append(least - 2 * gap)
        elif least - zeros.max() < gap:
            return None
        else:
            thresholds.append((least + zeros.max()) // 2)
    return np.array(thresholds, dtype=products.dtype)


def _integers(numbers: ExactArray) -> ExactArray:
    """Convert whole numbers in float64 to Python's integers."""
    if numbers.dtype == object or numbers.dtype.kind == "i":
        return numbers
    return np.array([int(number) for number in numbers.flat], dtype=object).reshape(numbers.shape)
