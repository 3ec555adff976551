"""Numeric search for an embedding: alternating reflections in low ranks and right signs.

`Approach` holds a matrix X. It moves X by the nearest matrix of rank d + 1 and by the nearest
matrix with the right signs, in turn, until both agree: then the factors of X are an embedding.

Elser, Rankenburg, Thibault (2007), "Searching with iterated maps"; Elser (2018), "The complexity of
bit retrieval", for reflections with a pace.
"""

from __future__ import annotations

import numpy as np

from samapprox.problem import Problem
from samapprox.proofs.base import Proof
from samapprox.proofs.embeddings.embedding import Embedding
from samapprox.solvers.embeddings.descent import descend, describe_best, homogeneous, settle
from samapprox.solvers.engine.backends import one_blas_thread
from samapprox.solvers.engine.search import Search, shared_tokens, too_large, too_slow
from samapprox.support.arrays import Floats

NAME = "projections"

_MOST_CELLS = 20_000_000  # an entry takes 40 bytes, so larger patterns would take more than 800 MB
_STEPS = 500  # steps from the first start
_GROWTH = 1.5  # factor by which they grow with each start, since long runs may be stuck
# Factors of a step, drawn for each start: 1 is the average of two reflections, 2 their product.
_CALM = (1.3, 1.7)
_HASTY = (1.7, 1.98)  # three quarters of the steps for most embeddings, more for narrow ones
_NOISE = 0.5  # size of the noise that is added to the signs for a start
_FOLLOWING = 3  # steps of the subspace iteration before the first step
_LONG = 8_000  # so many steps take as long as a descent, which rarely succeeds where they fail
_WIDE = 10_000  # from so many entries on, starts are few, and a descent follows each
# If at most this share of the entries is then wrong, further steps follow instead of a descent.
_FEW = 0.01
_ON_ITS_WAY = 4  # further steps, as a multiple of those of the start
_FIRST = 20  # a turn that is too short for so many steps is not begun
_PACE = 1e10  # operations a second, measured
_WORK = 10_000_000  # multiplications between two looks at the clock: some hundredths of a second


def applies(problem: Problem) -> str | None:
    """Return the reason why the strategy does not apply, or None."""
    return shared_tokens(problem) or too_large(problem, _MOST_CELLS)


@one_blas_thread()
def find_proof(problem: Problem, search: Search) -> Proof | str:
    """Look for a matrix of rank d + 1 whose entries have the pattern's signs.

    Unlike a descent, it does not stay in local minima. After long runs and for large patterns, the
    logistic loss then repairs the few entries that are still wrong. A step takes 6 m n (d + 1)
    operations, and some 0.5 ns an entry. `search.work` keeps the number of steps, so that a turn
    begins with a start as long as the last one of the turn before.
    """
    reason = too_slow(_FIRST * 6 * problem.pattern.size * (problem.d + 1) / _PACE, search)
    if reason is not None:
        return reason
    signs = homogeneous(problem.pattern)
    rng = np.random.RandomState(search.seed)
    few = _FEW * signs.size if signs.size >= _WIDE else 0
    kept = search.work.get(NAME)
    fewest, steps = signs.size, kept if isinstance(kept, int) else _STEPS
    while not search.out_of_time:
        paces = _HASTY if steps < _LONG else _CALM
        approach = Approach(signs, problem.d + 1, rng, paces=paces)
        arrived = approach.go(steps, search)
        if approach.fewest <= few:  # it is on its way, and a descent takes longer
            arrived = approach.go(_ON_ITS_WAY * steps, search)
        U, V = approach.nearest
        if not arrived and (steps >= _LONG or signs.size >= _WIDE):
            U, V = descend(signs, U, V, search)
        found = settle(problem, signs, U, V, search)
        if isinstance(found, Embedding):
            return found
        fewest, search.work[NAME] = min(fewest, found), steps
        steps = int(_GROWTH * steps)
    return describe_best(fewest)


class Approach:
    """A matrix X that approaches the intersection of two sets by projections.

    P(X) is the nearest matrix of rank r; Q(X) the nearest one with all entries on their side and of
    absolute value 1 at least. A step moves X by a multiple of Q(2 P(X) - X) - P(X), so that it
    stands still only where P(X) has the right signs.

    P is computed by subspace iteration: X moves little, so that one multiplication a step follows
    its leading singular vectors.

    `paces`: the least and the greatest factor of a step, of which one is drawn. `counts_wrong`:
    whether `heat` is wanted.
    """

    def __init__(
        self,
        signs: Floats,
        rank: int,
        rng: np.random.RandomState,
        *,
        paces: tuple[float, float] = _CALM,
        counts_wrong: bool = False,
    ) -> None:
        from samapprox.solvers.embeddings.projections_kernel import follow

        self._turned = signs.shape[0] < signs.shape[1]  # the shorter side is the one to factor
        self._signs = np.ascontiguousarray(signs.T if self._turned else signs, dtype=np.float32)
        rows, columns = self._signs.shape
        self._rank = min(rank, columns)
        self._missing = rank - self._rank
        self._pace = rng.uniform(*paces)
        fast = np.random.default_rng(rng.randint(1 << 31))  # three times as fast as `rng`
        noise = fast.standard_normal((rows, columns), dtype=np.float32)
        noise *= _NOISE
        noise += self._signs
        self._x = noise
        self._directions = rng.normal(size=(self._rank, columns)).astype(np.float32)
        self._left = np.zeros((rows, self._rank), dtype=np.float32)
        self._right = np.zeros((self._rank, columns), dtype=np.float32)
        image = np.empty((self._rank, rows), dtype=np.float32)
        for _ in range(_FOLLOWING):
            follow(self._x, self._directions, image)
        self._heat = np.zeros((rows, columns) if counts_wrong else (0, 0), dtype=np.float32)
        self.steps = 0
        self.fewest = signs.size + 1

    def go(self, steps: int, search: Search) -> bool:
        """Take so many steps unless it converges or time is up; return whether it converged."""
        from samapprox.solvers.embeddings.projections_kernel import advance

        at_once = 1 + _WORK // (6 * self._signs.size * self._rank)
        last = self.steps + steps
        while self.fewest and self.steps < last and not search.out_of_time:
            taken, self.fewest = advance(
                self._signs,
                self._x,
                self._directions,
                self._pace,
                min(at_once, last - self.steps),
                self.fewest,
                self._heat,
                self._left,
                self._right,
            )
            self.steps += taken
        return not self.fewest

    @property
    def nearest(self) -> tuple[Floats, Floats]:
        """Return the factors of the best P(X) so far, balanced in length."""
        left, right = self._left.astype(np.float64), self._right.T.astype(np.float64)
        lengths = (np.maximum(1e-300, np.linalg.norm(side, axis=0)) for side in (right, left))
        balance = np.sqrt(np.divide(*lengths))
        missing = ((0, 0), (0, self._missing))  # of the rank, on a side that is shorter
        left, right = np.pad(left * balance, missing), np.pad(right / balance, missing)
        return (right, left) if self._turned else (left, right)

    @property
    def heat(self) -> Floats:
        """Tell how often each entry was wrong, if `counts_wrong` was asked for."""
        heat = self._heat.T if self._turned else self._heat
        return heat.astype(np.float64)
