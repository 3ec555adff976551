"""Numeric search for an embedding: reflections in the low ranks and in the right signs, in turn."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from samapprox.checker import Proof
from samapprox.problem import Problem
from samapprox.solvers.lbfgs import Floats, one_blas_thread
from samapprox.solvers.logistic import (
    descended,
    homogeneous,
    in_pattern,
    told,
    widened,
    wrong_places,
)
from samapprox.solvers.scope import shared_tokens, too_large
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
    return shared_tokens(problem) or too_large(problem, _MOST_CELLS)


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
    with one_blas_thread():
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
            search.violations.append(in_pattern(wrong))
        fewest, steps = min(fewest, len(wrong)), 2 * steps
    return told(fewest)


class Approach:
    r"""Matrices X on their way to where both their projections meet.

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
    starts : int
        Matrices that go at once, each from a place of its own.

    Attributes
    ----------
    arrived : int
        How many have the right signs; these go no further.
    fewest : int
        How many entries of P(X) were wrong at best.
    nearest : tuple of ndarray of float64, shapes (m, r) and (n, r)
        The factors of P(X), then.
    heat : ndarray of float64, shape (m, n)
        How often each entry was wrong.

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
    >>> steps = approach.go(100, Search())
    >>> approach.arrived, approach.fewest
    (1, 0)
    """

    def __init__(
        self, signs: Floats, rank: int, rng: np.random.RandomState, starts: int = 1
    ) -> None:
        self._turned = signs.shape[0] < signs.shape[1]  # the shorter side is the one to factor
        self._signs = np.ascontiguousarray(signs.T) if self._turned else signs
        self._stars = self._signs == 0
        self._starred = bool(self._stars.any())
        shorter = self._signs.shape[1]
        self._rank = min(rank, shorter)
        self._missing = rank - self._rank
        self._x = self._signs + _NOISE * rng.normal(size=(starts, *self._signs.shape))
        directions = rng.normal(size=(starts, shorter, min(shorter, rank + _SPARE)))
        self._leading = self._orthogonal(self._x @ directions)
        left, right = self._factors()
        self._x = left @ right.swapaxes(1, 2)
        self._heat = np.zeros(self._signs.shape)
        self.arrived = 0
        self.fewest = signs.size + 1

    def go(self, steps: int, search: Search, enough: int = 1) -> int:
        """So many steps, unless enough have arrived before, or time is up; how many it took."""
        for step in range(steps):
            wrong = self._step()
            self._heat += wrong.sum(axis=0)
            counts = np.count_nonzero(wrong, axis=(1, 2))
            best = int(counts.argmin())
            if counts[best] < self.fewest:
                self.fewest = int(counts[best])
                self._best = self._left[best], self._right[best]
            if not counts[best]:
                going = counts > 0
                self.arrived += len(going) - int(going.sum())
                self._x, self._leading = self._x[going], self._leading[going]
            if self.arrived >= enough or search.out_of_time:
                return step
        return steps

    @property
    def nearest(self) -> tuple[Floats, Floats]:
        """The factors of the best matrix so far, equally long."""
        left, right = self._best
        lengths = (np.maximum(1e-300, np.linalg.norm(side, axis=0)) for side in (right, left))
        balance = np.sqrt(np.divide(*lengths))
        missing = ((0, 0), (0, self._missing))  # of the rank, on a side that is shorter
        left, right = np.pad(left * balance, missing), np.pad(right / balance, missing)
        return (right, left) if self._turned else (left, right)

    @property
    def heat(self) -> Floats:
        """How often each entry was wrong."""
        return self._heat.T if self._turned else self._heat

    def _step(self) -> NDArray[np.bool_]:
        """Move; which entries of P(X) are wrong."""
        self._left, self._right = self._factors()
        low = self._left @ self._right.swapaxes(1, 2)
        margins = self._signs * low
        wrong = margins <= 0
        right_sides = np.maximum(2 * margins - self._signs * self._x, 1.0) * self._signs
        if self._starred:
            wrong &= ~self._stars
            right_sides = np.where(self._stars, 2 * low - self._x, right_sides)
        self._x += _PACE * (right_sides - low)
        return wrong

    def _factors(self) -> tuple[Floats, Floats]:
        """P(X) as a product, by one step of the subspace iteration."""
        image = self._x @ self._leading
        _, vectors = np.linalg.eigh(image.swapaxes(1, 2) @ image)
        vectors = vectors[..., -self._rank :]
        left, right = image @ vectors, self._leading @ vectors
        self._leading = self._orthogonal(image)
        return left, right

    def _orthogonal(self, image: Floats) -> Floats:
        """An orthogonal basis of what X^T makes of an image."""
        return np.linalg.qr(self._x.swapaxes(1, 2) @ image)[0]
