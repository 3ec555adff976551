"""Numeric search for an embedding: Newton steps for the queries and for the keys in turn.

While the keys stay, the squared hinge loss of `samapprox.solvers.embeddings.hinge` is a sum of
losses of one query each, in few dimensions; so a Newton step costs hardly more than the gradient.
A few steps of each side are enough for a margin, where L-BFGS takes a hundred, as long as most
lines have more entries near the margin than dimensions, of both signs.
"""

from __future__ import annotations

import numpy as np

from samapprox.solvers.embeddings.descent import normalise
from samapprox.solvers.engine.search import Search
from samapprox.support.arrays import Floats, Signs, Singles
from samapprox.support.parallel import cores, run_tasks

_AT_ONCE = 1_000_000  # entries between two looks at the clock: some hundredths of a second
_FEW_TASKS = 4  # fewer are not worth a second thread
_FALL = 2.0  # factor by which the margin falls
_NARROWEST = 1e-5  # the search ends at this margin
_STEPS = 6  # steps of both sides for a margin, at most
_PROGRESS = 0.7  # a step that leaves more than this share of the wrong entries is the last one
_HOPE = 0.9  # a margin that leaves more than this share is in vain,
_IN_VAIN = 2  # and after so many of them in a row the search ends
_PLACING = (0.15, 0.08, 0.04, 0.02)  # margins of the steps that place a vector


class Alternation:
    """Signs, and the search for unit vectors whose cosines have them.

    Memory: two bytes an entry, for the signs by row and by column.
    """

    def __init__(self, signs: Signs, search: Search) -> None:
        self._by_row = signs
        self._by_column = np.ascontiguousarray(signs.T)
        self._search = search
        self._best = np.empty((0, 0), np.float32), np.empty((0, 0), np.float32)
        self._fewest = 0

    def lower(self, U: Floats, V: Floats, margin: float) -> tuple[Floats, Floats, int]:
        """Lower the margin until all signs are right, that is in vain, or time is up.

        Return the unit vectors with the fewest wrong entries, and how many these are. A step of
        both sides takes some 6 ns an entry for r = 9, and some 20 ns for each that is near.
        """
        u, v = _to_singles(U), _to_singles(V)
        self._best, self._fewest = (u, v), self._by_row.size
        before, vain = self._fewest, 0
        while vain < _IN_VAIN and margin > _NARROWEST and not self._is_over:
            u, v = self._descend(u, v, margin)
            vain = vain + 1 if self._fewest > _HOPE * before else 0
            before, margin = self._fewest, margin / _FALL
        u, v = self._best
        return u.astype(np.float64), v.astype(np.float64), self._fewest

    @property
    def _is_over(self) -> bool:
        return not self._fewest or self._search.out_of_time

    def _descend(self, u: Singles, v: Singles, margin: float) -> tuple[Singles, Singles]:
        """Step with both sides in turn for as long as that rights many of the wrong entries."""
        latest = self._by_row.size
        for _ in range(_STEPS):
            moved, wrong = step(self._by_row, u, v, margin, self._search)
            self._note(u, v, wrong)
            u = moved
            moved, wrong = step(self._by_column, v, u, margin, self._search)
            self._note(u, v, wrong)
            v = moved
            if self._is_over or wrong > _PROGRESS * latest:
                break
            latest = wrong
        return u, v

    def _note(self, u: Singles, v: Singles, wrong: int) -> None:
        if wrong < self._fewest:
            self._best, self._fewest = (u, v), wrong


def place(signs: Signs, start: Floats, known: Floats, search: Search) -> Floats:
    """Move a vector for each row from a start, so that products with known ones have the signs."""
    u, v = _to_singles(start), _to_singles(known)
    for margin in _PLACING:
        u, _ = step(signs, u, v, margin, search)
    return u.astype(np.float64)


def step(
    signs: Signs, u: Singles, v: Singles, margin: float, search: Search
) -> tuple[Singles, int]:
    """Move each row's unit vector by a Newton step; return them, and the wrong entries before.

    Once time is up, the other vectors stay as they are, and all of their entries count as wrong.
    """
    from samapprox.solvers.embeddings.hinge_kernel import step_rows

    rows, columns = signs.shape
    height = max(1, _AT_ONCE // columns)
    bounds = [(start, min(rows, start + height)) for start in range(0, rows, height)]
    moved, wrong = u.copy(), np.full(len(bounds), signs.size)

    def work(_thread: int, task: int) -> None:
        if not search.out_of_time:
            wrong[task] = step_rows(signs, u, v, margin, bounds[task], moved)

    run_tasks(len(bounds), work, threads=1 if len(bounds) < _FEW_TASKS else cores())
    return moved, int(wrong.sum())


def _to_singles(vectors: Floats) -> Singles:
    """Scale vectors to length 1, in float32."""
    return np.ascontiguousarray(normalise(vectors)[0], dtype=np.float32)
