"""Verification of a construction: every grid point runs through all layers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from samapprox.attention.blocks.columns import Matrix
from samapprox.attention.universality.construction import Construction, batches

__all__ = ["Verification", "verify"]


@dataclass(frozen=True, slots=True)
class Verification:
    """The result of running every grid point; tokens are pairs (grid point, token).

    Attributes
    ----------
    points : int
        Grid points that ran.
    same_within : (int, int, int) or None
        A grid point and two of its tokens with the same id: Property 7.1 fails.
    same_between : ((int, int), (int, int)) or None
        Tokens of two grid points with the same id: Property 7.2 fails.
    wrong : (int, int) or None
        A token whose output is not the value of the function.
    """

    points: int
    same_within: tuple[int, int, int] | None
    same_between: tuple[tuple[int, int], tuple[int, int]] | None
    wrong: tuple[int, int] | None

    @property
    def holds(self) -> bool:
        """Whether 7.1 and 7.2 hold, and the transformer equals the function."""
        return self.same_within is None and self.same_between is None and self.wrong is None


def verify(
    construction: Construction, progress: Callable[[int, int], None] | None = None
) -> Verification:
    """Run every grid point through all layers, and compare ids and outputs.

    The check uses the layers, the grid and the function, but no part of the plan behind the ids.

    Parameters
    ----------
    construction : Construction
    progress : callable, optional
        Called with the number of grid points that have run, and of all.

    Notes
    -----
    O(points d n (layers + log(points))) operations on integers of `Construction.id_bits` bits.
    Attention layers run with hardmax. `ValueLayers.apply` leaves out the value layers that do not
    change a token.

    Examples
    --------
    >>> from samapprox.attention.graphs import build
    >>> from samapprox.attention.universality.construction import build_universal
    >>> swap = [[[b, a]] for a in range(2) for b in range(2)]
    >>> verify(build_universal(build("full", 2), swap, d=1, steps=2)).holds
    True
    """
    grid, mapping = construction.grid, construction.contextual
    seen: dict[Any, tuple[int, int]] = {}
    within = between = wrong = None
    for start, stop in batches(grid):
        columns = grid.points(start, stop).transpose(1, 0, 2)
        columns = columns + mapping.encoding.positions[:, None, :]
        for layer in construction.quantization:
            columns = layer.apply(columns)
        columns = mapping.apply(columns, construction.attention)
        for place, number in np.ndenumerate(_ids(columns, grid.steps)):
            here = (start + place[0], place[1])
            there = seen.setdefault(number, here)
            if there[0] == here[0] and there != here:
                within = within or (here[0], there[1], here[1])
            elif there != here:
                between = between or (there, here)
        wanted = grid.steps * construction.function[start:stop].transpose(1, 0, 2)
        differs = np.argwhere((construction.values.apply(columns) != wanted).any(axis=0))
        if wrong is None and len(differs):
            wrong = (start + int(differs[0, 0]), int(differs[0, 1]))
        if progress is not None:
            progress(stop, grid.size)
    return Verification(grid.size, within, between, wrong)


def _ids(columns: Matrix, steps: int) -> Matrix:
    """Compute u^T X with u = (1, 1/delta, ..) as Python's integers, shape (inputs, n)."""
    total = columns[-1].astype(object)
    for row in columns[-2::-1]:
        total = steps * total + row
    return np.asarray(total)
