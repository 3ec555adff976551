"""Boolean vectors with one orthogonal pair, with none, and at the threshold density."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from samapprox.reductions.families.parameters import MOST_ENTRIES, Origin
from samapprox.support.arrays import Bits
from samapprox.support.parameters import random_stream, require
from samapprox.vectors import VectorSet


def orthogonal_planted(
    n: int = 100,
    d: int = 0,
    c: float = 4.0,
    density: float = 0.5,
    two_sets: bool = False,
    seed: int = 0,
) -> VectorSet:
    """Plant one orthogonal pair and no other.

    Parameters
    ----------
    n : int
        Vectors (in each set).
    d : int
        Dimensions; 0 means c log2 n.
    c : float
        Dimensions per bit of n, if d is 0.
    density : float
        Probability of a 1.
    two_sets : bool
        Two sets rather than one; a pair has one vector from each.
    seed : int
        Chooses the instance.

    Raises
    ------
    InputError
        Fewer than 2 dimensions, or a single vector in one set.

    Notes
    -----
    Two hidden dimensions guard: all vectors have a 1 in both, but of the planted pair each only in
    one of them; so each of the pair meets all others. Elsewhere the two share no 1.

    Examples
    --------
    >>> vectors = orthogonal_planted(n=4, d=5, seed=1)
    >>> i, j = vectors.known["pair"]
    >>> int(vectors.first[i] @ vectors.first[j])
    0
    """
    d = _dimensions(n, d, c)
    require(d >= 2, f"a planted pair needs at least 2 dimensions, not {d}")
    require(two_sets or n >= 2, "a pair within one set needs at least 2 vectors")
    rng = random_stream(seed)
    sets = _random(rng, n, d, density, two_sets)
    guards = rng.permutation(d)[:2]
    sets[:, :, guards] = 1
    i, j = (int(place) for place in (rng.randint(0, n, size=2, dtype=np.int64)))
    if not two_sets and i == j:
        j = (i + 1 + int(rng.randint(0, n - 1, dtype=np.int64))) % n
    if not two_sets:
        i, j = min(i, j), max(i, j)
    left, right = sets[0][i], sets[-1][j]
    right[:] &= 1 - left
    left[guards], right[guards] = [1, 0], [0, 1]
    known = {"pairs": 1, "pair": [i, j], "least": 0}
    return _make("orthogonal-planted", sets, known, density, seed)


def orthogonal_none(
    n: int = 100,
    d: int = 0,
    c: float = 4.0,
    density: float = 0.5,
    two_sets: bool = False,
    seed: int = 0,
) -> VectorSet:
    """Make vectors without an orthogonal pair: all have a 1 in one hidden dimension.

    Parameters
    ----------
    n : int
        Vectors (in each set).
    d : int
        Dimensions; 0 means c log2 n.
    c : float
        Dimensions per bit of n, if d is 0.
    density : float
        Probability of a 1 elsewhere.
    two_sets : bool
        Two sets rather than one.
    seed : int
        Chooses the instance.

    Examples
    --------
    >>> orthogonal_none(n=4, d=5).known
    {'pairs': 0}
    """
    d = _dimensions(n, d, c)
    rng = random_stream(seed)
    sets = _random(rng, n, d, density, two_sets)
    guard = int(rng.randint(0, d, dtype=np.int64))
    sets[:, :, guard] = 1
    return _make("orthogonal-none", sets, {"pairs": 0}, density, seed)


def orthogonal_random(
    n: int = 100,
    d: int = 0,
    c: float = 4.0,
    density: float = 0.0,
    two_sets: bool = False,
    seed: int = 0,
) -> VectorSet:
    """Make independent entries, by default so dense that one orthogonal pair is expected.

    Parameters
    ----------
    n : int
        Vectors (in each set).
    d : int
        Dimensions; 0 means c log2 n.
    c : float
        Dimensions per bit of n, if d is 0.
    density : float
        Probability of a 1; 0 means the threshold density.
    two_sets : bool
        Two sets rather than one.
    seed : int
        Chooses the instance.

    Examples
    --------
    >>> orthogonal_random(n=4, d=5).known
    {}
    """
    d = _dimensions(n, d, c)
    density = density or threshold_density(n * n if two_sets else n * (n - 1) // 2, d)
    rng = random_stream(seed)
    sets = _random(rng, n, d, density, two_sets)
    return _make("orthogonal-random", sets, {}, density, seed)


def threshold_density(pairs: int, d: int) -> float:
    """Return the probability p of a 1 at which pairs (1 - p^2)^d = 1.

    Examples
    --------
    >>> round(threshold_density(16, 2), 4)
    0.866
    """
    return math.sqrt(max(0.0, 1 - max(pairs, 1) ** (-1 / d)))


def _dimensions(n: int, d: int, c: float) -> int:
    """Return d, or c log2 n if it is 0; refuse values that are too large."""
    require(n >= 1 and d >= 0, f"n must be at least 1 and d at least 0, not {n}, {d}")
    require(0 < c <= 1000, f"c must be above 0 and at most 1000, not {c}")
    d = d or max(1, round(c * math.log2(n)))
    require(n * d <= MOST_ENTRIES, f"{n} vectors of dimension {d} are more than {MOST_ENTRIES}")
    return d


def _random(rng: np.random.RandomState, n: int, d: int, density: float, two_sets: bool) -> Bits:
    """Draw one set or two, shape (sets, n, d)."""
    require(0 <= density <= 1, f"the density must be in 0..1, not {density}")
    sets = np.empty((1 + two_sets, n, d), dtype=np.uint8)
    for row in sets.reshape(-1, d):  # one row of floats at a time
        row[:] = rng.random_sample(d) < density
    return sets


def _make(name: str, sets: Bits, known: dict[str, Any], density: float, seed: int) -> VectorSet:
    count, n, d = sets.shape
    origin: Origin = {"family": name, "n": n, "d": d, "density": density, "two_sets": count - 1}
    second = sets[1] if count == 2 else None
    return VectorSet(sets[0], second, known=known, origin={**origin, "seed": seed})
