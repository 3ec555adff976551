"""Patterns of small rank: their own rows as coordinates."""

from __future__ import annotations

from fractions import Fraction
from math import lcm

import numpy as np
from numpy.typing import NDArray

from samapprox.pattern import UNSPECIFIED
from samapprox.problem import Problem, trivial_dimension
from samapprox.proofs.base import Proof
from samapprox.proofs.embeddings.embedding import Embedding
from samapprox.proofs.exact import ExactArray, exact, exact_matmul
from samapprox.solvers.embeddings.whole_numbers import trivial_witness
from samapprox.solvers.engine.search import Search, shared_tokens, too_large

NAME = "rank"

# Ranks are computed modulo the first of these; the others follow if a minor is a multiple of it.
_PRIMES = (2147483647, 2147483629, 2147483587)
# Determinants of 0/1 matrices up to this order are below these primes, by Hadamard's bound.
_MOST_SMALL = 22
_AT_ONCE = 1 << 18  # entries of a product at the same time, since they may be integers of any size
# Each step of the elimination takes a fifth of a second for so many entries.
_MOST_ENTRIES = 10_000_000
_SMALL_RANK = 12  # a rank up to this is worth knowing even if it is above d + 1
_SPARE = 8  # a sample with so many lines more than the rank is likely to have it


def applies(problem: Problem) -> str | None:
    """Return the reason why the strategy does not apply, or None."""
    return shared_tokens(problem) or too_large(problem, _MOST_ENTRIES)


def find_proof(problem: Problem, search: Search) -> Proof | str:
    """Use rows that span all others, with the row of ones, as the coordinates of the keys.

    The dimension is R - 1, where R is the rank of the pattern with a row of ones; don't-cares count
    as 0. A sample of rows and columns mostly shows in O(d^3) that the rank is too large. Otherwise,
    the basis is found modulo a prime in O(m n d), and R x R numbers are inverted exactly. A minor
    may be a multiple of the prime, so that the rank is larger than it seems: then exact products
    confirm the combinations, or another prime follows.
    """
    trivial = trivial_dimension(problem.pattern.shape)
    if problem.d >= trivial > _MOST_SMALL:
        return trivial_witness(problem.pattern)
    most = max(problem.d + 1, _SMALL_RANK)
    too_high = f"its rank, with a row of ones added, exceeds {most}"
    if not _is_low_on_sample(problem, most, search):
        return "no time left" if search.out_of_time else too_high
    entries = problem.pattern.to_array()
    entries[entries == UNSPECIFIED] = 0
    stacked = np.vstack([np.ones((1, entries.shape[1]), dtype=np.int64), entries])
    for prime in _PRIMES:
        basis = _find_basis(stacked, most, prime, search)
        if basis is None:
            return "no time left" if search.out_of_time else too_high
        rows, columns = basis
        if len(rows) == 1:
            return "no row has a 0"
        if problem.d < len(rows) - 1 == trivial:
            return f"its rank, with a row of ones added, is {len(rows)}"
        inverse, scale = _invert(stacked[np.ix_(rows, columns)])
        # Row i is a combination of the basis; times a positive scale, which the signs survive.
        coefficients = exact(stacked[1:, columns].astype(object) @ inverse, 2, "coefficients")
        if len(rows) < _MOST_SMALL or _combine(coefficients, stacked, rows, scale):
            return Embedding(coefficients[:, 1:], stacked[rows[1:]].T, -coefficients[:, 0])
    return "its rank is lower modulo each prime that was tried"


def _is_low_on_sample(problem: Problem, most: int, search: Search) -> bool:
    """Return whether some rows and columns, with the row of ones, have rank at most `most`."""
    rng = np.random.RandomState(search.seed)
    rows, columns = (
        np.sort(rng.permutation(size)[: most + _SPARE]).tolist() for size in problem.pattern.shape
    )
    sample = (problem.pattern.submatrix(rows, columns) == 1).astype(np.int64)
    stacked = np.vstack([np.ones((1, len(columns)), dtype=np.int64), sample])
    return _find_basis(stacked, most, _PRIMES[0], search) is not None


def _combine(
    coefficients: ExactArray, stacked: NDArray[np.int64], rows: list[int], scale: int
) -> bool:
    """Return whether the combinations of the basis give the other rows, times the scale."""
    step = max(1, _AT_ONCE // stacked.shape[1])
    for start in range(0, len(coefficients), step):
        combined = exact_matmul(coefficients[start : start + step], stacked[rows])
        wanted = stacked[1 + start : 1 + start + step]
        if not (combined == np.where(wanted == 1, scale, 0)).all():
            return False
    return True


def _find_basis(
    matrix: NDArray[np.int64], most: int, prime: int, search: Search
) -> tuple[list[int], list[int]] | None:
    """Return rows and columns of a regular submatrix of full rank modulo a prime, row 0 first.

    None if the rank exceeds `most`: it is then no less over the rational numbers.
    """
    rest = matrix.copy()
    rows: list[int] = []
    columns: list[int] = []
    while True:
        left = (rest != 0).reshape(-1)
        first = int(left.argmax())
        if not left[first]:
            return rows, columns
        if len(rows) == most or search.out_of_time:
            return None
        row, column = divmod(first, rest.shape[1])
        rows.append(row)
        columns.append(column)
        factors = rest[:, column] * pow(int(rest[row, column]), -1, prime) % prime
        touched = np.flatnonzero(factors)
        rest[touched] = (rest[touched] - factors[touched, None] * rest[row] % prime) % prime


def _invert(matrix: NDArray[np.int64]) -> tuple[NDArray[np.object_], int]:
    """Return the inverse times the least positive number that makes it whole, and that number."""
    size = len(matrix)
    work = np.hstack([matrix, np.eye(size, dtype=np.int64)]).astype(object) * Fraction(1)
    for column in range(size):
        pivot = column + int((work[column:, column] != 0).argmax())
        work[[column, pivot]] = work[[pivot, column]]
        work[column] /= work[column, column]
        others = np.flatnonzero(work[:, column])
        others = others[others != column]
        work[others] -= work[others, column, None] * work[column]
    inverse = work[:, size:]
    scale = lcm(*(value.denominator for value in inverse.flat))
    return np.vectorize(int, otypes=[object])(inverse * scale), scale
