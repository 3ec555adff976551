"""Packages that the search for a proof needs beyond numpy; checking a proof needs none of them."""

from __future__ import annotations

from contextlib import AbstractContextManager

from samapprox.support.packages import name_missing_packages

__all__ = ["MODULES", "name_missing_solvers"]

MODULES = ("numba", "ortools", "pysat", "scipy", "threadpoolctl")
"""The packages that the strategies of the portfolio import, except `algorithm1`."""


def name_missing_solvers(purpose: str) -> AbstractContextManager[None]:
    """Say in one line which of these packages have to be installed, where one is missing.

    Parameters
    ----------
    purpose : str
        The subject of the message.

    Examples
    --------
    >>> with name_missing_solvers("deciding d = 2"):
    ...     import scipy.optimize
    """
    return name_missing_packages(purpose, MODULES)
