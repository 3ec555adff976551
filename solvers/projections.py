"""Numeric search for an embedding: reflections in the low ranks and in the right signs, in turn."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from samapprox.checker import Proof
from samapprox.problem import Problem
from samapprox.solvers.logistic import Floats, descended, homogeneous, widened, wrong_places
from samapprox.solvers.search import Search
from samapprox.solvers.whole_numbers import whole_numbers

__all__ = ["NAME", "Approach", "applies", "find_proof", "first_turn"]

NAME = "projections"

_MOST_CELLS = 4_000_000
_STEPS = 500  # from the first start; each later one gets twice as many
_PACE = 0.8  # of a step; 1 is the average of two reflections
_NOISE = 0.5  # that is added to the signs for a start
_SPARE = 4  # directions more than the rank, so that the leading ones are found soon


def applies(problem: Problem) -> str | None:
    """Why this strategy has nothing to say about the problem; None when it applies."""
    if problem.coupled:
        return "queries and keys share X"
    rows, columns = problem.pattern.shape
    if rows * columns > _MOST_CELLS:
        return f"{rows} x {columns} is too large for it"
    return None


def first_turn(problem: Problem) -> float:
    """Seconds that are worth a try: some hundred steps, after the first ones down the gradient."""
    rows, columns = problem.pattern.shape
    return max(0.02, 1e-5 * rows * columns)


def find_proof(problem: Problem, search: Search) -> Proof | str:
    r"""Look for a matrix of rank d + 1 whose entries have the pattern's signs.

    Parameters
    ----------
    problem : Problem
    search : Search
        Entries that stay wrong are noted in `violations`.

    Returns
    -------
    Proof or str
        An integer embedding that the checker's own test accepts, or how near it came.

    Notes
    -----
    Unlike a descent it does not stay in local minima. What it misses by little, the logistic loss
    mends from there. O(m n d) a step.

    Examples
    --------
    >>> from samapprox.reductions.families import generate
    >>> pattern = generate("halfspaces", rows=20, columns=20, d=3).pattern
    >>> find_proof(Problem(pattern, 3), Search()).dimension
    3
    """
    import scipy.optimize  # noqa: F401  # its BLAS is limited only if it is there
    from threadpoolctl import threadpool_limits

    with threadpool_limits(1, user_api="blas"):
        return _search(problem, search)


def _search(problem: Problem, search: Search) -> Proof | str:
    signs = homogeneous(problem.pattern)
    rng = np.random.RandomState(search.seed % (1 << 32))
    fewest, steps = signs.size, _STEPS
    while not search.out_of_time:
        approach = Approach(signs, problem.d + 1, rng)
        approach.go(steps, search)
        U, V = approach.nearest
        if approach.fewest:
            U, V = descended(signs, U, V, search)
        wrong = wrong_places(signs, U, V)
        if not len(wrong):
            embedding = whole_numbers(problem.pattern, *widened(signs, U, V, search))
            if embedding is not None:
                return embedding
        else:
            search.violations.append((wrong[wrong[:, 0] > 0] - [1, 0]).astype(np.int64))
        fewest, steps = min(fewest, len(wrong)), 2 * steps
    return f"its best embedding misses {fewest} entries" if fewest else "no whole numbers found"


class Approach:
    r"""A matrix X on its way to where both its projections meet.

    P(X) is the nearest matrix of rank r; Q(X) the nearest one with all entries on their side and of
    absolute value 1 at least. A step moves X by a multiple of Q(2 P(X) - X) - P(X), so that it
    stands still only where P(X) has the right signs.

    Parameters
    ----------
    signs : ndarray of float64, shape (m, n)
        +1, -1, and 0 for *.
    rank : int
        r.
    rng : RandomState

    Attributes
    ----------
    fewest : int
        How many entries of P(X) were wrong, when it was best.
    nearest : tuple of ndarray of float64, shapes (m, r) and (n, r)
        The factors of P(X), then.
    heat : ndarray of float64, shape (m, n)
        How often each entry was wrong in the second half of the last steps.

    Notes
    -----
    P by subspace iteration: X moves little, so one multiplication a step follows its leading
    singular vectors.

    References
    ----------
    Elser, Rankenburg, Thibault (2007), "Searching with iterated maps"; Elser (2018), "The
    complexity of bit retrieval", for reflections with a pace.

    Examples
    --------
    >>> signs = np.array([[1.0, 1, 1], [1, -1, -1], [-1, 1, -1], [-1, -1, 1]])
    >>> approach = Approach(signs, 3, np.random.RandomState(0))
    >>> approach.go(100, Search())
    >>> approach.fewest
    0
    """

    def __init__(self, signs: Floats, rank: int, rng: np.random.RandomState) -> None:
        self._turned = signs.shape[0] < signs.shape[1]  # the shorter side is the one to factor
        self._signs = np.ascontiguousarray(signs.T) if self._turned else signs
        self._stars = self._signs == 0
        self._starred = bool(self._stars.any())
        self._rank = min(rank, self._signs.shape[1])
        self._x = self._signs + _NOISE * rng.normal(size=self._signs.shape)
        size = min(self._signs.shape[1], rank + _SPARE)
        start = self._x.T @ (self._x @ rng.normal(size=(self._signs.shape[1], size)))
        self._leading = np.linalg.qr(start)[0]
        self._left, self._right = self._factors()
        self._x = self._left @ self._right.T
        self._heat = np.zeros(self._signs.shape)
        self.fewest = signs.size + 1

    def go(self, steps: int, search: Search) -> None:
        """So many steps, unless all signs are right before, or time is up."""
        self._heat[:] = 0
        for step in range(steps):
            wrong = self._step()
            count = int(np.count_nonzero(wrong))
            if count < self.fewest:
                self.fewest, self._best = count, (self._left, self._right)
            if not count or search.out_of_time:
                return
            if 2 * step >= steps:
                self._heat += wrong

    @property
    def nearest(self) -> tuple[Floats, Floats]:
        """The factors of the best matrix so far, equally long."""
        left, right = self._best
        lengths = np.linalg.norm(left, axis=0), np.linalg.norm(right, axis=0)
        balance = np.sqrt(np.maximum(1e-300, lengths[1]) / np.maximum(1e-300, lengths[0]))
        left, right = left * balance, right / balance
        return (right, left) if self._turned else (left, right)

    @property
    def heat(self) -> Floats:
        """How often each entry was wrong."""
        return self._heat.T if self._turned else self._heat

    def _step(self) -> NDArray[np.bool_]:
        """Move; which entries of P(X) are wrong."""
        self._left, self._right = self._factors()
        low = self._left @ self._right.T
        margins = self._signs * low
        wrong = margins <= 0
        right_sides = np.maximum(2 * margins - self._signs * self._x, 1.0) * self._signs
        if self._starred:
            wrong &= ~self._stars
            right_sides[self._stars] = (2 * low - self._x)[self._stars]
        self._x += _PACE * (right_sides - low)
        return wrong

    def _factors(self) -> tuple[Floats, Floats]:
        """P(X) as a product, by one step of the subspace iteration."""
        image = self._x @ self._leading
        _, vectors = np.linalg.eigh(image.T @ image)
        vectors = vectors[:, -self._rank :]
        left, right = image @ vectors, self._leading @ vectors
        self._leading = np.linalg.qr(self._x.T @ image)[0]
        return left, right
