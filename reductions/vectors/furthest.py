"""Vectors for Task 1: known furthest vectors, clusters, and as many ties as possible."""

from __future__ import annotations

import numpy as np

from samapprox.reductions.families.parameters import MOST_ENTRIES, Origin
from samapprox.support.arrays import Floats, Numbers
from samapprox.support.parameters import random_stream, require
from samapprox.vectors import VectorSet

_RANGE = 1 << 16  # whole coordinates before normalisation
_TRIALS = 100  # candidates for each vector that is accepted
_BATCH = 1024
_LEAST_GAP = 1e-5  # well above what rounding to float32 does to inner products


def furthest_planted(
    n: int = 100, d: int = 16, gap: float = 0.1, double: bool = False, seed: int = 0
) -> VectorSet:
    """Make pairs of unit vectors u and -u, each furthest from the other by the gap.

    Parameters
    ----------
    n : int
        Vectors, an even number.
    d : int
        Dimensions.
    gap : float
        Least difference of inner products between the furthest vector, at -1, and the next; from
        0.00001 to 1.
    double : bool
        float64 rather than float32.
    seed : int
        Chooses the instance.

    Raises
    ------
    InputError
        So many vectors with such a gap were not found in d dimensions.

    Notes
    -----
    Random directions are taken in turn when |u . w| <= 1 - gap for all w before: O(n^2 d).

    Examples
    --------
    >>> furthest_planted(n=6, d=3, seed=1).furthest.tolist()
    [3, 4, 5, 0, 1, 2]
    """
    _require_size(n, d)
    require(n % 2 == 0, f"n must be even, not {n}: vectors come in pairs")
    require(_LEAST_GAP <= gap <= 1, f"the gap must be in {_LEAST_GAP:g}..1, not {gap}")
    rng = random_stream(seed)
    half = n // 2
    chosen = np.empty((half, d))
    count = 0
    for _ in range(0, _TRIALS * half, _BATCH):
        for candidate in _units(_whole_directions(rng, _BATCH, d)):
            if count < half and np.abs(chosen[:count] @ candidate).max(initial=0) <= 1 - gap - 1e-6:
                chosen[count] = candidate
                count += 1
        if count == half:
            break
    require(
        count == half, f"only {2 * count} vectors with a gap of {gap} found; lower the gap or n"
    )
    order = np.roll(np.arange(n), half)
    vectors = np.concatenate([chosen, -chosen]).astype(_kind(double))
    origin: Origin = {"family": "furthest-planted", "n": n, "d": d, "gap": gap}
    origin |= {"double": int(double), "seed": seed}
    return VectorSet(vectors, None, order, {"gap": gap}, origin)


def furthest_clustered(
    n: int = 100,
    d: int = 16,
    clusters: int = 5,
    spread: float = 0.01,
    double: bool = False,
    seed: int = 0,
) -> VectorSet:
    """Make unit vectors close to a few random ones, so that many are nearly furthest.

    Parameters
    ----------
    n : int
        Vectors.
    d : int
        Dimensions.
    clusters : int
        Centres.
    spread : float
        Length of the random vector that is added to a centre, relative to that of the centre.
    double : bool
        float64 rather than float32.
    seed : int
        Chooses the instance.

    Examples
    --------
    >>> furthest_clustered(n=5, d=3).first.shape
    (5, 3)
    """
    _require_size(n, d)
    require(1 <= clusters <= n, f"clusters must be in 1..{n}, not {clusters}")
    require(0 <= spread <= 100, f"the spread must be in 0..100, not {spread}")
    rng = random_stream(seed)
    centres = _whole_directions(rng, clusters, d)
    around = centres[rng.randint(0, clusters, size=n, dtype=np.int64)]
    moved = around + np.rint(spread * _whole_directions(rng, n, d)).astype(np.int64)
    origin: Origin = {"family": "furthest-clustered", "n": n, "d": d, "clusters": clusters}
    origin |= {"spread": spread, "double": int(double), "seed": seed}
    return VectorSet(_units(moved).astype(_kind(double)), origin=origin)


def furthest_simplex(n: int = 100, m: int = 10, double: bool = False, seed: int = 0) -> VectorSet:
    """Make an orthogonal frame in which one pair is further apart than all others, which tie.

    Without comparing this very pair, no algorithm can distinguish it from the others.

    Parameters
    ----------
    n : int
        Vectors, and dimensions; at least 3.
    m : int
        At least 2: the pair has inner product -2 m / (m^2 + 1) if the norms are 1.
    double : bool
        float64 rather than float32.
    seed : int
        Chooses the instance.

    Notes
    -----
    All are of norm m^2 + 1, in whole numbers: (m^2 + 1) e_k, but the one of the pair is
    (m^2 - 1) e_j - 2 m e_i. Distances are computed exactly.

    Examples
    --------
    >>> vectors = furthest_simplex(n=4, m=2, seed=3)
    >>> vectors.known["pair"], vectors.furthest.tolist()
    ([1, 3], [1, 3, 0, 1])
    """
    _require_size(n, n)
    require(n >= 3, f"n must be at least 3, not {n}")
    require(2 <= m <= 1000, f"m must be in 2..1000, not {m}")
    rng = random_stream(seed)
    i, j = (int(place) for place in np.sort(rng.permutation(n)[:2]))
    vectors = np.zeros((n, n), dtype=_kind(double))
    np.fill_diagonal(vectors, m * m + 1)
    vectors[j, j], vectors[j, i] = m * m - 1, -2 * m
    furthest = np.zeros(n, dtype=np.int64)
    furthest[0] = 1
    furthest[[i, j]] = j, i
    return VectorSet(
        vectors,
        None,
        furthest,
        {"pair": [i, j], "gap": 2 * m / (m * m + 1)},
        {"family": "furthest-simplex", "n": n, "m": m, "double": int(double), "seed": seed},
    )


def _kind(double: bool) -> type[np.floating]:
    return np.float64 if double else np.float32


def _require_size(n: int, d: int) -> None:
    require(n >= 2 and d >= 1, f"n must be at least 2 and d at least 1, not {n}, {d}")
    require(n * d <= MOST_ENTRIES, f"{n} vectors of dimension {d} are more than {MOST_ENTRIES}")


def _whole_directions(rng: np.random.RandomState, n: int, d: int) -> Numbers:
    """Random vectors, nearly normal: each coordinate is a sum of four uniform whole numbers."""
    whole = np.zeros((n, d), dtype=np.int64)
    for _ in range(4):
        whole += rng.randint(-_RANGE, _RANGE + 1, size=(n, d), dtype=np.int64)
    return whole


def _units(whole: Numbers) -> Floats:
    """Divide integer vectors by their norms, independently of the order of summation."""
    zero = np.flatnonzero(~whole.any(axis=1))
    whole[zero] = 1  # a zero vector has no direction: (1, .., 1) has
    return np.asarray(whole / np.sqrt(np.einsum("nd,nd->n", whole, whole))[:, None])
