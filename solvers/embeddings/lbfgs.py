"""A loss with its gradient, minimised by L-BFGS until time is up or all signs are right."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from samapprox.solvers.engine.search import Search

__all__ = ["AllRight", "Floats", "OutOfTime", "minimise"]

Floats = NDArray[np.float64]

_MEMORY = 20


class AllRight(Exception):  # no error, but the best that a loss can meet
    """Raised by a loss at a point where all signs are right, so that the descent can stop."""

    def __init__(self, x: Floats) -> None:
        self.x = x


class OutOfTime(Exception):  # no error, but the end of a turn
    """Raised by a loss that cannot be evaluated in the time left."""


def minimise(
    loss: Callable[[Floats], tuple[float, Floats]],
    x: Floats,
    steps: int,
    search: Search,
    memory: int = _MEMORY,
) -> Floats:
    """Minimise a loss from x and return the point where the descent ends."""
    from scipy.optimize import minimize

    latest = x

    def evaluate(place: Floats) -> tuple[float, Floats]:
        if search.out_of_time:
            raise OutOfTime
        return loss(place)

    def note(place: Floats) -> None:
        nonlocal latest
        latest = place.copy()

    options = {"maxiter": steps, "maxcor": memory}
    try:
        found = minimize(evaluate, x, jac=True, method="L-BFGS-B", callback=note, options=options)
    except AllRight as right:
        return right.x
    except OutOfTime:
        return latest
    return np.asarray(found.x)
