"""Vectors whose furthest ones tokens relay on a graph: a set as it is, or Boolean vectors."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from samapprox.attention.vectors.layers import Layers, furthest_layers
from samapprox.attention.vectors.relay import Graphs
from samapprox.errors import InputError
from samapprox.reductions.orthogonal_to_furthest import OrthogonalToFurthest
from samapprox.support.progress import OnProgress
from samapprox.vectors import VectorSet

__all__ = ["UnitVectors"]

Indices = NDArray[np.int64]


class UnitVectors:
    """One set of vectors, or Boolean vectors as unit vectors, among which pairs are sought.

    >>> found = UnitVectors(VectorSet(np.eye(3, dtype=np.uint8)))
    >>> found.is_reduced, found.rows.shape, found.pair(np.array([-1, 0, 0]))
    (True, (3, 3), (1, 0))
    """

    def __init__(self, vectors: VectorSet) -> None:
        self._reduction = OrthogonalToFurthest()
        self.is_reduced = vectors.is_boolean
        if self.is_reduced:
            vectors, self._back = self._reduction.apply(vectors)
        elif vectors.second is not None:
            raise InputError("a graph needs one set of vectors; the file holds two")
        self.rows: NDArray[Any] = vectors.first
        self.known: Indices | None = vectors.furthest

    def pair(self, held: Indices) -> tuple[int, int] | None:
        """Return an orthogonal pair among candidates (-1: none yet), if one is sought and there."""
        if not self.is_reduced:
            return None
        return self._reduction.lift(np.where(held < 0, np.arange(len(held)), held), self._back)

    def relay(
        self,
        graphs: Graphs,
        layers: int,
        answers: Indices | None,
        *,
        threads: int | None = None,
        progress: OnProgress | None = None,
    ) -> Layers:
        """Run this many layers on graphs; recall is measured against the answers, if given."""
        return furthest_layers(
            self.rows,
            graphs,
            layers=layers,
            answers=answers,
            against_full=False,
            goal=(lambda held: self.pair(held) is not None) if self.is_reduced else None,
            threads=threads,
            progress=progress,
        )
