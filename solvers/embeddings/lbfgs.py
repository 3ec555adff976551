"""A loss with its gradient, minimised by L-BFGS until time is up or all signs are right."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from samapprox.solvers.search import Search

__all__ = ["AllRight", "Floats", "minimise"]

Floats = NDArray[np.float64]

_MEMORY = 20  # steps that the curvature is learned from


class AllRight(Exception):  # noqa: N818  # no error, but the best that a loss can meet
    """Raised by a loss at a place where all signs are right: no need to go on."""

    def __init__(self, x: Floats) -> None:
        self.x = x


def minimise(
    loss: Callable[[Floats], tuple[float, Floats]], x: Floats, steps: int, search: Search
) -> Floats:
    """Where the descent from x ends.

    Parameters
    ----------
    loss : callable
        Value and gradient at a place; may raise `AllRight`.
    x : ndarray of float64, shape (k,)
    steps : int
        At most.
    search : Search
        Its deadline ends the descent after the step in which it passes.

    Returns
    -------
    ndarray of float64, shape (k,)

    Examples
    --------
    >>> minimise(lambda x: (float(x @ x), 2 * x), np.ones(3), 10, Search()).round(3).tolist()
    [0.0, 0.0, 0.0]
    """
    from scipy.optimize import minimize

    def stop(_x: Floats) -> None:
        if search.out_of_time:
            raise StopIteration

    options = {"maxiter": steps, "maxcor": _MEMORY}
    try:
        found = minimize(loss, x, jac=True, method="L-BFGS-B", callback=stop, options=options)
    except AllRight as right:
        return right.x
    return np.asarray(found.x)
