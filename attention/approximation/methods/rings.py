"""Two nonzeros a row and column: cycles laid along a strip around the sphere, rank 3."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from samapprox.attention.approximation.request import Construction, Request, make_layer
from samapprox.attention.approximation.target import Target
from samapprox.errors import InputError
from samapprox.support.arrays import Floats

_SAFETY = 1.25  # a factor of log(1 / eps1): room for the rounding of logits
_MESH = 3.45  # times sqrt(1 / n): the width of the strip, a little less than sqrt(4 pi / n)
_CAPS = (1.5, 2.0, 2.5, 3.0, 4.0)  # meshes around each pole that may stay empty


def build(request: Request) -> Construction:
    """Build keys on the sphere so that only the two columns of a row are near each other.

    The rows, of at most two nonzeros like the columns, are the edges of a graph of the columns,
    which consists of cycles and paths. Laid two by two along a strip that winds around the sphere
    from pole to pole, all edges have about the length sqrt(4 pi / n); where that leaves less room,
    the strip runs once around the equator. The query points to the middle of the edge, from where
    both ends are nearest, and leans towards one to get their ratio. d is 3, or 6 in the theorem's
    form. O(n^2); logits are some 1.5 n log(1 / eps1) instead of O(n^2):
    `docs/theory/constructions.md`.
    """
    target = request.target
    if target.k > 2:
        raise InputError(f"rings serve rows and columns of at most 2 nonzeros, not {target.k}")
    strip = levels(target)
    layouts = [_belt(strip, target.n), *(_spiral(strip, target.n, cap) for cap in _CAPS)]
    keys = max(layouts, key=lambda keys: nearness(target, keys))
    limit = -_SAFETY * np.log(request.eps1)
    queries = np.empty((target.n, 3))
    for i in range(target.n):
        counted = i + 1 if request.causal else target.n
        queries[i] = _query(*target.row(i), keys[:counted], limit)
    return Construction(make_layer(request, queries, keys), {"levels": len(strip)})


def levels(target: Target) -> list[list[int]]:
    """Arrange the columns in levels of one or two; neighbours share a level or adjacent ones."""
    return [level for walk in _walks(target) for level in _folded(walk)]


def _walks(target: Target) -> Iterator[list[int]]:
    """Yield the columns of each cycle or path, in the order of a walk along it."""
    neighbours: list[list[int]] = [[] for _ in range(target.n)]
    for i in range(target.n):
        columns = target.row(i)[0].tolist()
        if len(columns) == 2:
            neighbours[columns[0]].append(columns[1])
            neighbours[columns[1]].append(columns[0])
    seen = [False] * target.n
    ends = [j for j in range(target.n) if len(neighbours[j]) < 2]
    for start in [*ends, *range(target.n)]:
        walk, here = [], start
        while not seen[here]:
            seen[here] = True
            walk.append(here)
            here = next((j for j in neighbours[here] if not seen[j]), here)
        if walk:
            yield walk


def _folded(walk: list[int]) -> Iterator[list[int]]:
    """Fold a sequence: first and last, second and last but one, and so on."""
    for a in range((len(walk) + 1) // 2):
        b = len(walk) - 1 - a
        yield [walk[a]] if a == b else [walk[a], walk[b]]


def nearness(target: Target, keys: Floats) -> float:
    """Return by how much a row's own keys are nearer to their middle than others, at least.

    Half a difference of squared distances; not positive if the keys do not serve.
    """
    from scipy.spatial import cKDTree

    least = np.inf
    middles = np.array([_middle(keys[target.row(i)[0]]) for i in range(target.n)])
    distances, nearest = cKDTree(keys).query(middles, k=min(3, target.n))
    for i, (away, found) in enumerate(zip(distances**2, nearest, strict=True)):
        columns = target.row(i)[0]
        others = away[~np.isin(found, columns)]
        if len(others):
            own = ((keys[columns] - middles[i]) ** 2).sum(axis=1).max()
            least = min(least, float(others.min() - own) / 2)
    return least


def _belt(strip: list[list[int]], n: int) -> Floats:
    """Place the levels once around the equator as unit vectors, pairs across it."""
    step = 2 * np.pi / len(strip)
    across = min(step / 2, np.pi / 4)
    keys = np.empty((n, 3))
    for place, level in enumerate(strip):
        for column, side in zip(level, _sides(level), strict=True):
            keys[column] = _on_sphere(np.pi / 2 + 2 * side * across, place * step)
    return keys


def _spiral(strip: list[list[int]], n: int, cap: float) -> Floats:
    """Place the levels along a spiral from pole to pole as unit vectors, pairs across it."""
    mesh = min(_MESH / np.sqrt(n), np.pi / (2 * cap + 1))
    # Turns are 2 meshes apart: the colatitude grows by 2 mesh for an angle of 2 pi.
    colatitude = np.linspace(cap * mesh, np.pi - cap * mesh, 64 * len(strip) + 2)
    curve = _on_sphere(colatitude, colatitude * np.pi / mesh)
    length = np.append(0.0, np.cumsum(np.linalg.norm(np.diff(curve, axis=0), axis=1)))
    along = np.interp(np.linspace(0, length[-1], len(strip)), length, colatitude)
    keys = np.empty((n, 3))
    for level, theta in zip(strip, along.tolist(), strict=True):
        for column, side in zip(level, _sides(level), strict=True):
            keys[column] = _on_sphere(theta + side * mesh, theta * np.pi / mesh)
    return keys


def _sides(level: list[int]) -> list[float]:
    """Place a pair on both sides of the strip, a single column in its middle."""
    return [-0.5, 0.5] if len(level) == 2 else [0.0]


def _on_sphere(colatitude: Floats | float, azimuth: Floats | float) -> Floats:
    sine = np.sin(colatitude)
    return np.stack([sine * np.cos(azimuth), sine * np.sin(azimuth), np.cos(colatitude)], axis=-1)


def _middle(own: Floats) -> Floats:
    """Return the unit vector between them."""
    total = own.sum(axis=0)
    return np.asarray(total / np.linalg.norm(total))


def _query(columns: NDArray[np.int64], values: Floats, keys: Floats, limit: float) -> Floats:
    """Return the query towards the middle of the row's columns, long enough for all other keys."""
    own = keys[columns]
    middle, lean = _middle(own), np.zeros(3)
    if len(columns) == 2:
        apart = own[1] - own[0]
        lean = apart * (np.log(values[1] / values[0]) / (apart @ apart))
    others = np.delete(keys, columns, axis=0)
    if not len(others):
        return lean
    nearer = own[0] @ middle - others @ middle
    wanted = limit + others @ lean - (own @ lean).min()
    return np.asarray(lean + middle * max(0.0, (wanted / nearer).max()))
