"""The squared hinge loss of cosines at a margin, minimised on the entries close to it."""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import NDArray

from samapprox.solvers.embeddings.lbfgs import AllRight, Floats, OutOfTime, minimise
from samapprox.solvers.engine.search import Search

__all__ = ["Cosines", "normalise", "pass_seconds"]

_MEMORY = 10  # steps that the curvature is learned from
_FEW = 0.2  # share of the entries up to which they are worth a list
_AT_ONCE = 200_000_000  # operations between two looks at the clock, some hundredths of a second
_OWN = 40  # operations that take as long as what an entry needs besides the products
_PACE = 2e10  # operations a second


class Cosines:
    """Signs, and the search for unit vectors whose cosines have them."""

    def __init__(self, signs: NDArray[np.int8], rank: int, search: Search) -> None:
        self._signs = signs
        self._rank = rank
        self._search = search
        rows, columns = signs.shape
        height = max(64, _AT_ONCE // (columns * (6 * rank + _OWN)))
        self._parts = [(start, min(rows, start + height)) for start in range(0, rows, height)]
        self._indptr = np.zeros(rows + 1, dtype=np.int64)
        self._columns = np.empty(int(_FEW * signs.size) + columns, dtype=np.int32)

    def fit(
        self,
        U: Floats,
        V: Floats,
        margin: float,
        steps: int,
        rounds: int = 2,
        reach: float = 2.0,
    ) -> tuple[Floats, Floats, int]:
        """Descend until all signs are right, the steps are taken, or time is up.

        While more than a fifth of the entries is near, a step is a pass over all of them: 6 r m n
        operations, some 3 ns an entry for r = 9. Then it takes some 10 ns for each entry that is
        near. Memory: a byte an entry for the signs, and 4 bytes for a fifth of them.
        """
        x = np.concatenate([normalise(U)[0].ravel(), normalise(V)[0].ravel()])
        wrong = self._signs.size
        try:
            wrong, few = self._collect(x, reach * margin)
            for _ in range(rounds):
                if not wrong:
                    break
                loss = partial(self._of_near if few else self._of_all, margin=margin)
                share = steps // rounds if few else steps // 2  # a rough arrangement will do
                x = minimise(loss, x, share, self._search, _MEMORY)
                was_few = few
                wrong, few = self._collect(x, reach * margin)
                if not (was_few and few):
                    break
        except OutOfTime:
            pass
        left, right = self._split(x)
        return normalise(left)[0], normalise(right)[0], wrong

    def _split(self, x: Floats) -> tuple[Floats, Floats]:
        cut = len(self._signs) * self._rank
        return x[:cut].reshape(-1, self._rank), x[cut:].reshape(-1, self._rank)

    def _collect(self, x: Floats, reach: float) -> tuple[int, bool]:
        """Count the wrong entries at x, and list those within reach; False if they are too many."""
        from samapprox.solvers.embeddings.hinge_kernel import near_entries

        u, v = (normalise(side)[0].astype(np.float32) for side in self._split(x))
        wrong, few = 0, True
        for part in self._parts:
            if self._search.out_of_time and len(self._parts) > 1:
                raise OutOfTime
            more, room = near_entries(self._signs, u, v, reach, part, self._indptr, self._columns)
            wrong, few = wrong + more, few and room
        return wrong, few

    def _of_all(self, x: Floats, margin: float) -> tuple[float, Floats]:
        """Compute loss and gradient from all entries."""
        from samapprox.solvers.embeddings.hinge_kernel import all_entries

        (u, u_length), (v, v_length) = (normalise(side) for side in self._split(x))
        left, right = u.astype(np.float32), v.astype(np.float32)
        du, dv = np.empty_like(left), np.zeros_like(right)
        total, wrong = 0.0, 0
        for part in self._parts:
            if self._search.out_of_time:
                raise OutOfTime
            loss, more = all_entries(self._signs, left, right, margin, part, du, dv)
            total, wrong = total + loss, wrong + more
        if not wrong:
            raise AllRight(x.copy())
        gradient = _pull_back((u, u_length, du), (v, v_length, dv))
        return total / margin, gradient * (2.0 / margin)

    def _of_near(self, x: Floats, margin: float) -> tuple[float, Floats]:
        """Compute loss and gradient from the entries of the list."""
        from samapprox.solvers.embeddings.hinge_kernel import chosen_entries

        (u, u_length), (v, v_length) = (normalise(side) for side in self._split(x))
        left, right = u.astype(np.float32), v.astype(np.float32)
        du, dv = np.empty_like(left), np.zeros_like(right)
        total = chosen_entries(
            self._signs, left, right, margin, self._indptr, self._columns, du, dv
        )
        gradient = _pull_back((u, u_length, du), (v, v_length, dv))
        return total / margin, gradient * (2.0 / margin)


def normalise(vectors: Floats) -> tuple[Floats, Floats]:
    """Scale vectors to length 1; return them and their lengths."""
    lengths = np.sqrt(np.einsum("ij,ij->i", vectors, vectors))[:, None]
    lengths = np.maximum(1e-300, lengths)
    return vectors / lengths, lengths


def pass_seconds(entries: int, rank: int) -> float:
    """Estimate the seconds that a pass over all entries takes."""
    return entries * (6 * rank + _OWN) / _PACE


def _pull_back(*sides: tuple[Floats, Floats, NDArray[np.float32]]) -> Floats:
    """Return the gradient by vectors of any length, from that by the unit vectors."""
    gradients = (
        (slope - np.einsum("ij,ij->i", slope, unit)[:, None] * unit) / length
        for unit, length, slope in sides
    )
    return np.concatenate([gradient.ravel() for gradient in gradients])
