"""The soft minimum of all distances from the thresholds, and its gradient."""

from __future__ import annotations

from math import exp, log, sqrt

import numpy as np
from numpy.typing import NDArray

from samapprox.support.arrays import Floats
from samapprox.support.jit import compiled

# Exponents below this count as none: most do when the minimum is sharp, and the shares of the
# others are the same in floats.
_LEAST = -45.0


@compiled
def soft_minimum(
    entries: NDArray[np.int8], logits: Floats, sharpness: float
) -> tuple[float, Floats]:
    """Return the soft minimum of half the rows' gaps, and its gradient for the logits.

    Each row has a one and a zero. O(m n), and exponentials for entries close to the minimum alone.
    """
    height, width = entries.shape
    lowest, highest = np.empty(height), np.empty(height)  # among the ones, among the zeros
    least = np.inf
    for i in range(height):
        low, high = np.inf, -np.inf
        for j in range(width):
            if entries[i, j] == 1:
                low = min(low, logits[i, j])
            elif entries[i, j] == 0:
                high = max(high, logits[i, j])
        lowest[i], highest[i] = low, high
        least = min(least, low - high)
    weights = np.zeros((height, width))
    total = 0.0
    for i in range(height):
        low, high = lowest[i], highest[i]
        power = sharpness * (least - (low - high)) / 2
        if power < _LEAST:
            continue
        ones, zeros = 0.0, 0.0
        for j in range(width):
            if entries[i, j] == 1:
                below = sharpness * (low - logits[i, j])
                if below > _LEAST:
                    weights[i, j] = exp(below)
                    ones += weights[i, j]
            elif entries[i, j] == 0:
                below = sharpness * (logits[i, j] - high)
                if below > _LEAST:
                    weights[i, j] = -exp(below)
                    zeros -= weights[i, j]
        # With the best threshold, both sides of a row weigh as much.
        row = exp(power) * sqrt(ones * zeros)
        total += row
        for j in range(width):
            weights[i, j] *= row / (ones if weights[i, j] > 0 else zeros)
    weights /= 2 * total
    return least / 2 - log(2 * total) / sharpness, weights
