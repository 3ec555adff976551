"""Simulated annealing on the grid of a number format, where gradients lead no further.

In a format of few bits, a step of a gradient mostly changes no coordinate, or too many. Annealing
moves single coordinates to other numbers of the format instead, and counts the rows that are wrong.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from samapprox.precision import ARITHMETICS, count_fraction_bits
from samapprox.proofs.embeddings.embedding import Embedding
from samapprox.solvers.engine.search import Search
from samapprox.solvers.questions.margins.ascent import Vectors
from samapprox.solvers.questions.margins.grid_annealing_kernel import move_coordinates
from samapprox.solvers.questions.margins.rounding import embed
from samapprox.solvers.questions.margins.straight_through import center, scale_to_whole
from samapprox.support.arrays import Floats, Numbers

# Powers of two that a grid of floats covers, besides 0: rescaling by a few powers of two leads to
# no number that the format rounds.
_OCTAVES = 12
# The largest number of an integer format: int8 without -128.
_LARGEST = 127
# Formats with more bits have grids so fine that gradients do as well.
_MOST_BITS = 10
# Moves of an annealing, in parts of one temperature each, from the first to the last.
_PARTS, _STEPS, _HOT, _COLD = 100, 4000, 0.05, 0.002


def has_grid(arithmetic: str) -> bool:
    """Return whether a format has so few bits that `anneal` helps."""
    return arithmetic == "int8" or count_fraction_bits(arithmetic) <= _MOST_BITS


def anneal(
    entries: NDArray[np.int8],
    start: Vectors,
    arithmetic: str,
    search: Search,
    random: np.random.Generator,
) -> Embedding | None:
    """Move vectors on the grid of a format until no row is wrong, or return None.

    Sums are exact here, so the order of the format's sums is left to be tested. The format scales
    queries and keys anew: keys keep the range of each coordinate, and in int8 queries keep their
    largest coordinate, so that nothing is rounded again. 400,000 moves, of which those of keys cost
    O(m n).
    """
    values = list_values(arithmetic)
    vectors = center(start.queries, start.keys)
    queries, keys = (
        _round(part, _largest(part, axis, arithmetic), values)
        for part, axis in zip(vectors, (1, None), strict=True)
    )
    fixed = np.zeros(queries.shape, dtype=np.bool_), np.zeros(keys.shape, dtype=np.bool_)
    if arithmetic == "int8":
        sizes = np.abs(queries - len(values) // 2)
        fixed[0][np.arange(len(queries)), sizes.argmax(axis=1)] = True
    coordinates = np.arange(keys.shape[1])
    fixed[1][keys.argmax(axis=0), coordinates] = True
    fixed[1][keys.argmin(axis=0), coordinates] = True
    tops, spare = keys.max(axis=0), 0.0
    if arithmetic in ARITHMETICS:  # logits are rounded to the format, too
        spare = 2.0 ** -count_fraction_bits(arithmetic)
    for temperature in np.geomspace(_HOT, _COLD, _PARTS):
        if search.out_of_time:
            return None
        wrong = move_coordinates(
            entries, values, queries, keys, fixed, tops, spare, temperature, _STEPS, random
        )
        if not wrong:
            whole = scale_to_whole(values[queries], 1), scale_to_whole(values[keys], None)
            return embed(entries, *whole)
    return None


def list_values(arithmetic: str) -> Floats:
    """List the numbers of a format in ascending order: integers, or floats between -1 and 1."""
    if arithmetic == "int8":
        return np.arange(-_LARGEST, _LARGEST + 1, dtype=np.float64)
    significands = np.arange(1 << (bits := count_fraction_bits(arithmetic)), 2 << bits)
    positive = np.ldexp(significands, np.arange(1 - _OCTAVES, 1)[:, None] - bits - 1).ravel()
    return np.concatenate([-positive[::-1], [0.0], positive])


def _largest(numbers: Floats, axis: int | None, arithmetic: str) -> Floats:
    """Return what the format divides each row (axis 1) or all numbers by."""
    largest = np.abs(numbers).max(axis=axis, keepdims=True)
    largest = np.where(largest > 0, largest, 1.0)
    return largest / _LARGEST if arithmetic == "int8" else np.ldexp(1.0, np.frexp(largest)[1])


def _round(numbers: Floats, unit: Floats, values: Floats) -> Numbers:
    """Return the indices of the nearest values, with opposite ones for opposite numbers."""
    center = len(values) // 2
    middles = (values[center + 1 :] + values[center:-1]) / 2
    scaled = numbers / unit
    sizes = np.searchsorted(middles, np.abs(scaled))
    return np.asarray(center + np.sign(scaled).astype(np.int64) * sizes)
