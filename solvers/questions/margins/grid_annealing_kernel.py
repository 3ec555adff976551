"""Moves of single coordinates on a grid, which an annealing accepts or refuses."""

from __future__ import annotations

from math import exp, log, sqrt

import numpy as np
from numpy.typing import NDArray

from samapprox.support.arrays import Flags, Floats, Numbers
from samapprox.support.jit import compiled

# The cost of a wrong row, and its additional cost if the row is wrong by the product of the
# lengths of its query and of the longest key.
_ROW, _WRONG = 0.05, 50.0
# The part of moves that change queries, and the part of these that is skipped for right rows,
# which gain nothing.
_QUERIES, _SPARED = 0.6, 0.7


@compiled
def _measure_excess(entries: NDArray[np.int8], logits: Floats, spare: float) -> float:
    """Return how far a row is from being right: by how much its highest zero is too high.

    `spare` is the part of a logit that its rounding may change.
    """
    low, high = np.inf, -np.inf
    for j in range(len(entries)):
        if entries[j] == 1:
            low = min(low, logits[j])
        elif entries[j] == 0:
            high = max(high, logits[j])
    return high - low + spare * max(abs(high), abs(low))


@compiled
def _measure_length(vector: Floats) -> float:
    """Return the Euclidean length: numba takes seconds to compile sums of arrays."""
    square = 0.0
    for number in vector:
        square += number**2
    return sqrt(square)


@compiled
def _cost(excess: float, size: float) -> float:
    return 0.0 if excess < 0 else _ROW + _WRONG * excess / size


@compiled
def _accept(more: float, temperature: float, random: np.random.Generator) -> bool:
    """Accept what costs no more, and rarely what does (Metropolis)."""
    return more <= 0 or random.random() < exp(-more / temperature)


@compiled
def _draw_stride(most: int, random: np.random.Generator) -> int:
    """Draw how far to move along the grid: mostly a little, at most so far, in either direction."""
    size = 1 + int(exp(random.random() * log(most)) * random.random())
    return size if random.random() < 0.5 else -size


@compiled
def move_coordinates(
    entries: NDArray[np.int8],
    values: Floats,
    queries: Numbers,
    keys: Numbers,
    fixed: tuple[Flags, Flags],
    tops: Numbers,
    spare: float,
    temperature: float,
    steps: int,
    random: np.random.Generator,
) -> int:
    """Move coordinates of queries and keys along a grid, in place; return the rows still wrong.

    `queries` and `keys` are indices of `values`, which are symmetric about 0; `fixed` flags those
    that do not move. Coordinates of keys stay between the value at `tops` and its opposite. A move
    of a query costs O(n), one of a key O(m n), and each call O(m n d) besides.
    """
    height, width = entries.shape
    d, count = queries.shape[1], len(values)
    q, k = _take(values, queries), _take(values, keys)
    logits = q @ k.T
    longest, wrong = 0.0, 0
    for j in range(width):
        longest = max(longest, _measure_length(k[j]))
    sizes, costs, changed = np.empty(height), np.empty(height), np.empty(height)
    for i in range(height):
        sizes[i] = longest * _measure_length(q[i])
        costs[i] = _cost(_measure_excess(entries[i], logits[i], spare), sizes[i])
        wrong += int(costs[i] > 0)
    moved = np.empty(width)
    most = max(1, count // 16)
    for _ in range(steps):
        if wrong == 0:
            break
        c, stride = int(random.random() * d), _draw_stride(most, random)
        if random.random() < _QUERIES:
            i = int(random.random() * height)
            new = int(queries[i, c]) + stride
            if fixed[0][i, c] or new < 0 or new >= count:
                continue
            if costs[i] == 0 and random.random() < _SPARED:
                continue
            square = values[new] ** 2
            for b in range(d):
                square += q[i, b] ** 2 if b != c else 0.0
            if square == 0:
                continue
            for j in range(width):
                moved[j] = logits[i, j] + (values[new] - q[i, c]) * k[j, c]
            size = longest * sqrt(square)
            cost = _cost(_measure_excess(entries[i], moved, spare), size)
            if _accept(cost - costs[i], temperature, random):
                wrong += int(cost > 0) - int(costs[i] > 0)
                queries[i, c], q[i, c], sizes[i], costs[i] = new, values[new], size, cost
                for j in range(width):
                    logits[i, j] = moved[j]
        else:
            j = int(random.random() * width)
            new = int(keys[j, c]) + stride
            if fixed[1][j, c] or new > tops[c] or new < count - 1 - tops[c]:
                continue
            step, more = values[new] - k[j, c], 0.0
            for i in range(height):
                logits[i, j] += q[i, c] * step
                changed[i] = _cost(_measure_excess(entries[i], logits[i], spare), sizes[i])
                more += changed[i] - costs[i]
            if _accept(more, temperature, random):
                keys[j, c], k[j, c] = new, values[new]
                for i in range(height):
                    wrong += int(changed[i] > 0) - int(costs[i] > 0)
                    costs[i] = changed[i]
            else:
                for i in range(height):
                    logits[i, j] -= q[i, c] * step
    return wrong


@compiled
def _take(values: Floats, indices: Numbers) -> Floats:
    """Return the values at some indices."""
    taken = np.empty(indices.shape)
    for i in range(indices.shape[0]):
        for c in range(indices.shape[1]):
            taken[i, c] = values[indices[i, c]]
    return taken
