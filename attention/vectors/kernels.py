"""Choose between compiled loops and the same in numpy, which begins at once.

Loading compiled code takes a second, and compiling it several, on the first run. So numpy does the
work until it has done as much as takes it some tenths of a second; from then on compiled code does.
Each pair of modules offers the same functions: ``relay_kernel`` and ``relay_numpy``, say.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from samapprox.support.packages import is_missing_package
from samapprox.support.plain import compilation_pays

_KERNELS = {
    "furthest": ("furthest", 1 << 30),  # multiplications, and the like
    "orthogonal": ("orthogonal", 1 << 26),  # pairs of words, or dimensions of subsets
    "pair_count": ("relay", 1 << 22),  # pairs
    "relay": ("relay", 1 << 26),  # coordinates of edges
}
"""Kernel -> its modules, and the work that numpy does in some tenths of a second."""


def load_compiled(name: str, work: int) -> Any | None:
    """Import the compiled module of a kernel.

    None if compilation does not pay, given all work that came before, or numba is not installed.
    """
    module, most = _KERNELS[name]
    if not compilation_pays(name, work, most):
        return None
    try:
        return import_module(f"{__package__}.{module}_kernel")
    except ImportError as error:
        if not is_missing_package(error):
            raise
        return None


def load_kernel(name: str, work: int) -> Any:
    """Import the compiled module of a kernel, or the one in numpy; both give the same answers."""
    numpy_module = f"{__package__}.{_KERNELS[name][0]}_numpy"
    return load_compiled(name, work) or import_module(numpy_module)
