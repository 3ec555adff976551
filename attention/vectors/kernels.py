"""Choose between compiled loops and the same in numpy, which begins at once.

Loading compiled code takes a second, and compiling it several, on the first run. So numpy does the
work until it has done as much as takes it some tenths of a second; from then on compiled code does.
Each pair of modules offers the same functions: ``relay_kernel`` and ``relay_numpy``, say.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from samapprox.support import plain
from samapprox.support.packages import is_missing_package

__all__ = ["compilation_pays", "load_kernel"]

_MOST_BY_NUMPY = {
    "furthest": 1 << 30,  # multiplications, and the like
    "near_ties": 1 << 25,  # coordinates of candidates
    "orthogonal": 1 << 26,  # pairs of words, or dimensions of subsets
    "pair_count": 1 << 22,  # pairs
    "relay": 1 << 26,  # coordinates of edges
}
"""Kernel -> the work that numpy does in some tenths of a second."""


def compilation_pays(name: str, work: int) -> bool:
    """Return whether compiled code should do this work, given all that came before it.

    Parameters
    ----------
    name : str
        A kernel of this package: furthest, near_ties, orthogonal, pair_count or relay.
    work : int
        In the units of the kernel.

    Examples
    --------
    >>> compilation_pays("relay", 1 << 40)
    True
    """
    return plain.compilation_pays(name, work, _MOST_BY_NUMPY[name])


def load_kernel(name: str, work: int) -> Any:
    """Import the module with a kernel's functions.

    Parameters
    ----------
    name, work
        As in `compilation_pays`.

    Returns
    -------
    module
        The one in numpy if compilation does not pay or numba is not installed, else the compiled
        one. Both give the same answers.

    Examples
    --------
    >>> load_kernel("relay", 1 << 40).__name__
    'samapprox.attention.vectors.relay_kernel'
    """
    if compilation_pays(name, work):
        try:
            return import_module(f"{__package__}.{name}_kernel")
        except ImportError as error:
            if not is_missing_package(error):
                raise
    return import_module(f"{__package__}.{name}_numpy")
