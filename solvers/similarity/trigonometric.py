"""Keys on the trigonometric moment curve: orders around a circle along which rows change rarely.

The points (cos t, sin t, .., cos kt, sin kt) / sqrt(k) lie on the unit sphere of R^(2k). A
trigonometric polynomial of degree k is a hyperplane there, and it may have 2k zeros. So a row that
changes its value at most 2k times around the circle is a cap. A key that no row contains, between
two others, is a pole from which the sphere projects to R^(2k - 1): then the caps are balls.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from samapprox.pattern import UNSPECIFIED
from samapprox.problem import Problem
from samapprox.proofs.base import Proof
from samapprox.proofs.embeddings.covectors import Covectors
from samapprox.solvers.embeddings.orders import candidate_orders
from samapprox.solvers.engine.search import Search, too_large
from samapprox.solvers.similarity.rounding import round_balls, round_caps
from samapprox.support.arrays import Floats, Signs
from samapprox.support.text import plural

NAME = "trigonometric"

_MOST_CELLS = 4_000_000
"""Entries of a pattern that is reordered as a dense array in well under a second."""


def applies(problem: Problem) -> str | None:
    """Return the reason why the strategy does not apply, or None."""
    return too_large(problem, _MOST_CELLS)


def find_proof(problem: Problem, search: Search) -> Proof | str:
    r"""Look for an order of the keys around a circle along which rows change few times.

    All k-subsets of n keys change at most 2k times in any order, so 2k dimensions suffice with
    cosines, and 2k - 1 with distances (docs/theory/similarities.md). O(m n) for an order.

    Examples
    --------
    >>> from samapprox.reductions.families import generate
    >>> pairs = generate("all-subsets", n=8, k=2).pattern
    >>> find_proof(Problem(pairs, 4, similarity="cosine"), Search()).dimension
    4
    >>> find_proof(Problem(pairs, 3, similarity="l2"), Search()).dimension
    3
    """
    has_pole = bool(problem.similarity.below)
    covectors = Covectors(problem.pattern, "columns")
    entries = problem.pattern.to_array().astype(np.int8)
    best: tuple[int, NDArray[np.int64], Signs] | None = None
    for candidate in candidate_orders(covectors, search):
        order, signs = _arrange(entries, candidate, has_pole=has_pole)
        changes = int(_count_changes(signs).max())
        if best is None or changes < best[0]:
            best = changes, order, signs
            if changes - has_pole <= problem.d:
                break
        if search.out_of_time:
            break
    assert best is not None
    changes, order, signs = best
    needed = max(2, changes) - has_pole
    if needed >= max(1, min(entries.shape[0], entries.shape[1] - 1)):
        return f"around the best circle found, some row changes {plural(changes, 'time')}"
    vectors = _embed(signs, max(1, changes // 2), search)
    if vectors is None:
        return f"out of time while rows with {plural(changes, 'change')} became caps"
    queries, thresholds, keys = vectors
    placed = np.empty((len(order) + has_pole, keys.shape[1]))
    placed[order] = keys[: len(order)]
    placed[len(order) :] = keys[len(order) :]
    proof: Proof | None = (
        round_balls(problem.pattern, queries, thresholds, placed)
        if has_pole
        else round_caps(problem.pattern, queries, placed)
    )
    return proof or f"the curve needs finer numbers for {plural(changes, 'change')} of a row"


def _arrange(
    entries: Signs, order: NDArray[np.int64], *, has_pole: bool
) -> tuple[NDArray[np.int64], Signs]:
    """Return an order and its signs; with a pole, rotated such that the pole comes last.

    A don't-care takes the sign of the key before it, and adds no change. The pole stands where it
    splits the fewest runs of ones of the rows that change most.
    """
    signs = _fill(np.where(entries == UNSPECIFIED, 0, np.where(entries == 1, 1, -1))[:, order])
    if not has_pole:
        return order, signs
    splits = (signs > 0) & (np.roll(signs, -1, axis=1) > 0)  # between a key and the next one
    worst = (_count_changes(signs)[:, None] + 2 * splits).max(axis=0)
    first = (int(worst.argmin()) + 1) % len(order)
    rotated = np.roll(signs, -first, axis=1)
    pole = np.full((len(signs), 1), -1, dtype=np.int8)
    return np.roll(order, -first), np.hstack([rotated, pole])


def _fill(signs: NDArray[np.int64]) -> Signs:
    """Give every don't-care the last sign before it around the circle; all + if there is none."""
    columns = signs.shape[1]
    place = np.where(signs != 0, np.arange(columns), -1)
    place[:, 0] = np.where(place[:, 0] < 0, place.max(axis=1) - columns, place[:, 0])
    last = np.maximum.accumulate(place, axis=1)
    filled = np.take_along_axis(signs, last % columns, axis=1)
    return np.where(filled == 0, 1, filled).astype(np.int8)


def _count_changes(signs: Signs) -> NDArray[np.int64]:
    """Count the changes of each row around the circle: an even number."""
    changes: NDArray[np.int64] = np.count_nonzero(signs != np.roll(signs, -1, axis=1), axis=1)
    return changes


def _embed(signs: Signs, k: int, search: Search) -> tuple[Floats, Floats, Floats] | None:
    """Return unit queries, thresholds and unit keys in R^(2k) for signs around a circle.

    O(m k^2), which takes longer than the orders where rows change often. None if the time is up.
    """
    rows, columns = signs.shape
    angles = 2 * np.pi * np.arange(columns) / columns
    powers = angles[:, None] * np.arange(1, k + 1)
    keys = np.stack([np.cos(powers), np.sin(powers)], axis=2).reshape(columns, 2 * k) / k**0.5
    queries, thresholds = np.zeros((rows, 2 * k)), np.zeros(rows)
    for row, values in enumerate(signs):
        if not search.whole_remaining:  # the orders may have taken all of a turn
            return None
        polynomial = _interpolate(values, angles, k)
        waves = polynomial[k + 1 :]  # of exp(ijt), j = 1 .. k
        queries[row] = np.column_stack([waves.real, -waves.imag]).ravel() * 2 * k**0.5
        thresholds[row] = -polynomial[k].real
    lengths = np.linalg.norm(queries, axis=1)
    lengths[lengths == 0] = 1.0  # rows that are all ones, which any query below its threshold has
    return queries / lengths[:, None], thresholds / lengths, keys


def _interpolate(signs: Signs, angles: Floats, k: int) -> NDArray[np.complex128]:
    """Return the coefficients of a trigonometric polynomial with these signs, for exp(-ikt) first.

    Its zeros lie in the middle between keys of different signs. Two of them give the factor
    cos((a - b) / 2) - cos(t - (a + b) / 2), which is negative between a and b.
    """
    step = np.pi / len(angles)
    zeros = angles[signs != np.roll(signs, -1)] + step
    polynomial = np.array([1.0 + 0.0j])
    for a, b in zeros.reshape(-1, 2):
        wave = -np.exp(-0.5j * (a + b)) / 2
        polynomial = np.convolve(polynomial, [wave.conjugate(), np.cos((a - b) / 2), wave])
    polynomial = np.pad(polynomial, k - len(polynomial) // 2)
    value = (polynomial * np.exp(1j * np.arange(-k, k + 1) * angles[0])).sum().real
    return polynomial if (value > 0) == (signs[0] > 0) else -polynomial
