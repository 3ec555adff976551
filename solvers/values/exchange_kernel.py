"""Simulated annealing of entries and thresholds, one at a time, in compiled code."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from samapprox.support.arrays import Numbers
from samapprox.support.jit import compiled


@compiled
def anneal(
    signs: Numbers,
    of_queries: Numbers,
    of_keys: Numbers,
    queries: Numbers,
    keys: Numbers,
    thresholds: Numbers,
    logits: Numbers,
    temperatures: NDArray[np.float64],
    random: np.random.Generator,
) -> int:
    """Change entries and thresholds in place, and return the last loss: 0 if all entries are right.

    `signs` (shape (m, n)): 1 for ones, -1 for zeros, 0 for don't-cares. `of_queries` and `of_keys`:
    the values of their entries. `logits`: queries times
    keys, which are kept up to date. The loss of a one is how far its logit is from exceeding the
    threshold, that of a zero how far it exceeds it. There is a sweep over all numbers for each
    temperature; it takes 2 m n (d + 1) operations.
    """
    m, n = signs.shape
    d = queries.shape[1]
    loss = 0
    for i in range(m):
        for j in range(n):
            loss += _penalty(signs[i, j], logits[i, j] - thresholds[i])
    for temperature in temperatures:
        for i in range(m):
            for k in range(d):
                change = of_queries[random.integers(0, len(of_queries))] - queries[i, k]
                if change == 0:
                    continue
                rise = 0
                for j in range(n):
                    excess = logits[i, j] - thresholds[i]
                    rise += _penalty(signs[i, j], excess + change * keys[j, k])
                    rise -= _penalty(signs[i, j], excess)
                if rise <= 0 or random.random() < np.exp(-rise / temperature):
                    queries[i, k] += change
                    loss += rise
                    for j in range(n):
                        logits[i, j] += change * keys[j, k]
            change = 2 * random.integers(0, 2) - 1
            rise = 0
            for j in range(n):
                excess = logits[i, j] - thresholds[i]
                rise += _penalty(signs[i, j], excess - change) - _penalty(signs[i, j], excess)
            if rise <= 0 or random.random() < np.exp(-rise / temperature):
                thresholds[i] += change
                loss += rise
        for j in range(n):
            for k in range(d):
                change = of_keys[random.integers(0, len(of_keys))] - keys[j, k]
                if change == 0:
                    continue
                rise = 0
                for i in range(m):
                    excess = logits[i, j] - thresholds[i]
                    rise += _penalty(signs[i, j], excess + change * queries[i, k])
                    rise -= _penalty(signs[i, j], excess)
                if rise <= 0 or random.random() < np.exp(-rise / temperature):
                    keys[j, k] += change
                    loss += rise
                    for i in range(m):
                        logits[i, j] += change * queries[i, k]
        if loss == 0:
            break
    return loss


@compiled
def _penalty(sign: int, excess: int) -> int:
    """Return how far an entry is from its side of the threshold."""
    if sign > 0:
        return max(0, 1 - excess)
    if sign < 0:
        return max(0, excess)
    return 0
