"""How long the first turn of a strategy is, known before its module is imported.

The shortest turn is next. So a length is the time of the first useful work, or a longer one where
other strategies are more promising.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

from samapprox.problem import Problem

_LARGE = 50_000
"""Entries from which on small dense blocks of a pattern come first."""

HINGE_PASSES = 30
"""Passes over all entries for which a turn of `hinge` must be long enough; Newton steps take as
many."""

_MANY = 9_000_000
"""Entries from which on `hinge` embeds a part first."""

_MOST_RELATIONS = 10**12
"""Relations that are counted: in many dimensions, their number exceeds every float."""

_VERY_LARGE = 1_000_000
"""Entries from which on searches for embeddings come before whole refutations."""


@dataclass(frozen=True, slots=True)
class PerEntry:
    """Seconds in proportion to the entries of the pattern, between a least and a largest length."""

    seconds: float
    least: float
    most: float = inf

    def __call__(self, problem: Problem) -> float:
        """Return the length for a problem."""
        return min(self.most, max(self.least, self.seconds * problem.pattern.size))


def _relations(problem: Problem) -> int:
    """Count the three-term relations of the orientations of all rows or columns, up to a limit."""
    from samapprox.proofs.refutations.orientation_clauses import count_relations  # for d >= 2

    rows, columns = problem.pattern.shape
    return min(_MOST_RELATIONS, count_relations(min(columns, rows + 1), problem.d + 1))


# ---------------------------------------------------------------- searches for embeddings


def annealing(problem: Problem) -> float:
    """Return time for some hundred steps."""
    entries = problem.pattern.size
    return max(0.02, min(6e-5 * entries, 3.0 + 3e-6 * entries))


def gradient(problem: Problem) -> float:
    """Return time for some hundred steps; if the pattern is large, other searches are faster."""
    entries = problem.pattern.size
    seconds = max(0.01, min(1e-5 * entries, 1.0 + 1e-6 * entries))
    return seconds if entries < _LARGE else 4 * seconds


def projections(problem: Problem) -> float:
    """Return time for some hundred steps; `hinge` is faster if both sides are long."""
    entries = problem.pattern.size
    seconds = max(0.02, min(1e-5 * entries, 1.0 + 2e-6 * entries))
    return 3 * seconds if min(problem.pattern.shape) >= 1000 else seconds


def hinge(problem: Problem) -> float:
    """Return time for Newton steps, which are quick, or for L-BFGS where they are not taken."""
    entries, rank = problem.pattern.size, problem.d + 1
    if entries <= _MANY and takes_newton(entries, rank):
        return max(0.05, HINGE_PASSES * hinge_pass(entries, rank))
    return hinge_descent(problem)


def hinge_descent(problem: Problem) -> float:
    """Return time in which the margin falls once; large patterns get more than their turn.

    For very large patterns other searches are too slow, and a coarse start is quick. With fewer
    than 100 rows or columns, `projections` is faster.
    """
    entries = problem.pattern.size
    if entries > _MANY:
        return 3.0
    least = 0.5 if min(problem.pattern.shape) >= 100 else 1.0
    return max(least, hinge_fall(entries, problem.d + 1))


def takes_newton(entries: int, rank: int) -> bool:
    """Return whether Newton steps of queries and keys in turn come before L-BFGS.

    L-BFGS embeds small patterns in some hundredths of a second; in large ranks it is faster.
    """
    return entries >= 20_000 and rank <= 24


def hinge_fall(entries: int, rank: int) -> float:
    """Estimate the seconds in which the margin of `hinge` falls once: some 160 passes."""
    return 160 * hinge_pass(entries, rank)


def hinge_pass(entries: int, rank: int) -> float:
    """Estimate the seconds that `hinge` takes for a pass over all entries.

    An entry takes 6 operations for each dimension, and as long as 40 others. Each thread computes
    2e10 operations a second, measured.
    """
    return entries * (6 * rank + 40) / 2e10


def sphere(problem: Problem) -> float:
    """Return time for the first margins."""
    return 0.3 + 3e-7 * problem.pattern.size * problem.d


coupled = PerEntry(3e-5, least=0.1)
best_order = PerEntry(1.2e-5, least=0.2)
exchange = PerEntry(1e-4, least=0.1)


# ---------------------------------------------------------------- searches for refutations


def detours(problem: Problem) -> float:
    """Return time for some dozens of sets of elements; large patterns are not written out."""
    entries = problem.pattern.size
    if entries > 70_000:
        return 0.5 + 5e-6 * problem.pattern.count
    return max(0.014, 1.4e-5 * entries)


def topological(problem: Problem) -> float:
    """Return a time after SAT on few elements; first steps in large patterns take seconds."""
    entries = problem.pattern.size
    if entries > _VERY_LARGE and not problem.pattern.ones.is_sparse:
        return 3.5
    return min(0.3, max(0.02, 1.6e-5 * entries))


def chirotope(problem: Problem) -> float:
    """Return time for some ten elements, after a numeric search.

    For d >= 4, its refutations have thousands of steps, and making them minimal takes a second. So
    `topological` comes first.
    """
    entries = problem.pattern.size
    if entries > _LARGE:
        return 4.0
    return max(0.015, 1.5e-5 * entries) if problem.d < 4 else max(0.07, 5e-5 * entries)


def hard_part(problem: Problem) -> float:
    """Return time for some ten searches for an embedding."""
    entries = problem.pattern.size
    return max(0.15, (4e-5 if entries < _LARGE else 1e-4) * entries)


def blocks(problem: Problem) -> float:
    """Return time for some blocks; if the ones are many, few blocks are denser than others."""
    entries, count = problem.pattern.size, problem.pattern.count
    seconds = 0.8 if entries < _LARGE else 1.5
    return seconds + 3e-7 * count + (1.5 if 10 * count >= entries >= _VERY_LARGE else 0.0)


def forster(problem: Problem) -> float:
    """Return time for some hundred steps."""
    entries = problem.pattern.size
    return 4.0 if entries >= _VERY_LARGE else min(2.0, max(0.3, 2e-5 * entries))


def polynomials(problem: Problem) -> float:
    """Return time for a few linear programs; long if only parts are small enough.

    With as many lines as cells, there is only one orientation, and one program decides.
    """
    rows, columns = problem.pattern.shape
    d = problem.d
    half, odd = divmod(columns, 2)
    if _are_all_cells(1 + rows, columns, d) or (not odd and _are_all_cells(half, rows + 1, d)):
        return 0.016
    return 0.5 if _relations(problem) <= 16_000 else 8.0


def _are_all_cells(count: int, vectors: int, d: int) -> bool:
    """Whether halfspaces have so many sign vectors, up to sign, on vectors in R^(d+1).

    In general position, they are the sum of C(vectors - 1, i) for i <= d. It has thousands of
    digits in many dimensions, so it ends where it exceeds the count.
    """
    cells, term = 0, 1
    for i in range(min(d + 1, vectors)):
        cells += term
        if cells > count:
            return False
        term = term * (vectors - 1 - i) // (i + 1)
    return cells == count


def symmetric(problem: Problem) -> float:
    """Return time for the automorphisms, some models, and some 30,000 relations a second."""
    return 0.25 + _relations(problem) / 30_000


tokens = PerEntry(6e-5, least=0.2, most=2.0)
few_values = PerEntry(5e-4, least=0.1)


def candidates(problem: Problem) -> float:
    """Return time for a few candidates, and for the clauses of some 20,000 relations a second."""
    return max(0.03, 1.5 * _relations(problem) / 20_000)
