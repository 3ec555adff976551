"""The rank modulo a prime, where it is not the rank."""

from __future__ import annotations

from itertools import product

import numpy as np
from helpers.durations import ended_within
from numpy.typing import NDArray

from samapprox import Embedding, Pattern, Problem
from samapprox.proofs.checker import check
from samapprox.proofs.embeddings.moment_curve import MomentCurve
from samapprox.solvers.embeddings import rank
from samapprox.solvers.engine.search import Search


def determinant(matrix: NDArray[np.int64]) -> int:
    """By Bareiss's elimination, in whole numbers."""
    rows, last = [[int(value) for value in row] for row in matrix], 1
    sign, size = 1, len(matrix)
    for k in range(size - 1):
        pivot = next((i for i in range(k, size) if rows[i][k]), None)
        if pivot is None:
            return 0
        if pivot != k:
            rows[k], rows[pivot], sign = rows[pivot], rows[k], -sign
        for i, j in product(range(k + 1, size), repeat=2):
            rows[i][j] = (rows[i][j] * rows[k][k] - rows[i][k] * rows[k][j]) // last
        last = rows[k][k]
    return sign * rows[-1][-1]


def with_determinant(value: int) -> NDArray[np.int64]:
    """A 0/1 matrix of determinant -value.

    A unit triangular matrix T whose solution x of T x = e_0 is 1, -1, 1, -2, 3, -5, ..: Fibonacci's
    numbers with signs that alternate, in which every whole number is a sum of different ones. With
    e_0 for a last column and the choice c for a last row, the determinant is -c x.
    """
    x, triangle = [1, -1], [[1], [1, 1]]
    while abs(x[-1]) <= 2 * value:
        row = [int(one * x[-1] > 0) for one in x]
        triangle.append([*row, 1])
        x.append(-sum(a * b for a, b in zip(row, x, strict=True)))
    size = len(x)
    matrix = np.zeros((size + 1, size + 1), dtype=np.int64)
    for i, row in enumerate(triangle):
        matrix[i, : len(row)] = row
    matrix[0, size] = 1
    matrix[size, :size] = choose(x, value)
    return matrix


def choose(x: list[int], value: int) -> list[int]:
    """Which of the numbers have the value as their sum: the last, or not, and so on."""
    if not x:
        assert value == 0
        return []
    rest = x[:-1]
    least, most = (sum(one for one in rest if one * sign > 0) for sign in (-1, 1))
    take = int(not least <= value <= most)
    return [*choose(rest, value - take * x[-1]), take]


def test_a_determinant_that_is_the_prime() -> None:
    """The last row seems to be a combination of the others, and is none."""
    prime = rank._PRIMES[0]
    matrix = with_determinant(prime)
    assert determinant(matrix) == -prime
    pattern = Pattern.from_array(np.hstack([matrix, np.zeros((len(matrix), 1), dtype=np.int64)]))
    size = len(matrix)  # with the row of ones, the rank is one more
    found = rank.find_proof(Problem(pattern, size), Search())
    assert isinstance(found, Embedding)
    assert check(Problem(pattern, size), found) is None
    said = rank.find_proof(Problem(pattern, size - 1), Search())
    assert said == f"its rank, with a row of ones added, exceeds {size}"


def test_small_minors_are_no_multiples_of_the_primes() -> None:
    """Hadamard: a 0/1 matrix of order n has a determinant of at most (n + 1)^((n+1)/2) / 2^n."""

    def bound_squared(n: int) -> float:
        return float((n + 1) ** (n + 1)) / 4.0**n

    assert bound_squared(rank._MOST_SMALL) < min(rank._PRIMES) ** 2
    assert bound_squared(rank._MOST_SMALL + 1) > max(rank._PRIMES) ** 2


def test_the_primes_are_primes() -> None:
    for number in rank._PRIMES:
        divisors = np.arange(2, int(number**0.5) + 1)
        assert (number % divisors).all()


def test_a_low_rank_is_a_bound() -> None:
    """Blocks of equal rows and columns; small d are asked about, and large patterns sampled."""
    rng = np.random.RandomState(0)
    blocks = np.eye(6, dtype=np.int8)[rng.randint(0, 6, 900)][:, rng.randint(0, 6, 800)]
    problem = Problem(Pattern.from_array(blocks), 2)
    found = rank.find_proof(problem, Search())
    assert isinstance(found, Embedding)
    assert found.dimension == 5
    assert check(Problem(problem.pattern, 5), found) is None


def test_combinations_of_a_large_basis_are_confirmed() -> None:
    """Rows and their complements: with the row of ones, the rank is that of the rows alone."""
    size = rank._MOST_SMALL + 1
    rows = np.tri(size, dtype=np.int8)  # the last row holds all keys
    problem = Problem(Pattern.from_array(np.vstack([rows, 1 - rows[:-1]])), size - 1)
    found = rank.find_proof(problem, Search())
    assert isinstance(found, Embedding)
    assert found.dimension == size - 1
    assert check(problem, found) is None


def test_no_bound_is_trivial() -> None:
    problem = Problem(Pattern.from_array(np.eye(6)), 2)
    assert rank.find_proof(problem, Search()) == "its rank, with a row of ones added, is 6"


def test_large_patterns_are_refused_at_once() -> None:
    entries = np.random.RandomState(0).random_sample((3000, 3000)) < 0.5
    problem = Problem(Pattern.from_array(entries), 8)
    said = ended_within(0.3, lambda: rank.find_proof(problem, Search()))
    assert said == "its rank, with a row of ones added, exceeds 12"


def test_the_trivial_dimension_of_a_large_pattern_takes_no_numbers() -> None:
    """3,000 x 3,000 logits in d = 2,999 would take a minute to multiply out."""
    entries = np.random.RandomState(0).rand(900, 901) < 0.5
    for pattern in (Pattern(entries), Pattern(entries.T)):
        problem = Problem(pattern, 900)
        proof = rank.find_proof(problem, Search())
        assert isinstance(proof, MomentCurve)
        assert check(problem, proof) is None
