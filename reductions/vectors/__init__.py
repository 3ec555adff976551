"""Families of vector sets: orthogonal vectors and Task 1 with known answers.

A new family is a function in one of the modules beside this one, and one line in `FAMILIES`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

from samapprox.support.packages import lazy_modules, look_up
from samapprox.vectors import VectorSet

__all__ = ["FAMILIES", "generate"]

__getattr__, __dir__ = lazy_modules(__name__)

_HERE = "samapprox.reductions.vectors"

FAMILIES = {
    "orthogonal-planted": f"{_HERE}.orthogonal:orthogonal_planted",
    "orthogonal-none": f"{_HERE}.orthogonal:orthogonal_none",
    "orthogonal-random": f"{_HERE}.orthogonal:orthogonal_random",
    "furthest-planted": f"{_HERE}.furthest:furthest_planted",
    "furthest-clustered": f"{_HERE}.furthest:furthest_clustered",
    "furthest-simplex": f"{_HERE}.furthest:furthest_simplex",
}
"""Family name -> module and function, imported when used."""


def family(name: str) -> Callable[..., VectorSet]:
    """Return the function of a family."""
    return cast(Callable[..., VectorSet], look_up(name, FAMILIES, "family of vectors"))


def generate(name: str, **parameters: int | float | str | bool) -> VectorSet:
    """Generate a vector set of a family by name.

    Parameters
    ----------
    name : str
        One of `FAMILIES`.
    **parameters
        Those of the family's function.

    Returns
    -------
    VectorSet
        One or two sets of vectors, with what is known of them.

    Raises
    ------
    InputError
        No such family, or parameters out of range.

    Examples
    --------
    >>> generate("orthogonal-planted", n=5, d=6, seed=1).known["pairs"]
    1
    """
    return family(name)(**parameters)
