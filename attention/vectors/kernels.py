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

_KERNELS = {
    "furthest": ("furthest", 1 << 30),  # multiplications, and the like
    "near_ties": ("near_ties", 1 << 25),  # coordinates of candidates
    "orthogonal": ("orthogonal", 1 << 26),  # pairs of words, or dimensions of subsets
    "pair_count": ("relay", 1 << 22),  # pairs
    "relay": ("relay", 1 << 26),  # coordinates of edges
}
"""Kernel -> its modules, and the work that numpy does in some tenths of a second."""


def compilation_pays(name: str, work: int) -> bool:
    """Return whether compiled code should do this work, given all that came before it."""
    return plain.compilation_pays(name, work, _KERNELS[name][1])


def load_kernel(name: str, work: int) -> Any:
    """Import the module with a kernel's functions.

    It is the one in numpy if compilation does not pay or numba is not installed, else the compiled
    one. Both give the same answers.
    """
    module = f"{__package__}.{_KERNELS[name][0]}"
    if compilation_pays(name, work):
        try:
            return import_module(f"{module}_kernel")
        except ImportError as error:
            if not is_missing_package(error):
                raise
    return import_module(f"{module}_numpy")
