"""The compiled kernel for d = 1, loaded by a worker as quickly as that goes."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module

import numpy as np

__all__ = ["load_kernel"]

_KERNEL = "samapprox.solvers.line_kernel"
_LINEAR_ALGEBRA = "scipy.linalg"


def load_kernel() -> None:
    """From now on `decide_many` uses its kernel; it looks for the module itself.

    Notes
    -----
    Numba sets itself up with the first call of a kernel, and imports all of ``scipy.linalg`` only
    to see whether it is there: a third of the time that all takes. Our kernels multiply no
    matrices; so in a worker, whose numba serves nobody else, it is not there for that moment.

    Examples
    --------
    >>> load_kernel()  # doctest: +SKIP
    """
    if _KERNEL in sys.modules:
        return
    from samapprox.solvers.decide_many import decide_many

    with _unavailable(_LINEAR_ALGEBRA):
        import_module(_KERNEL)
        decide_many(np.ones((1, 1, 1), dtype=np.uint8))


@contextmanager
def _unavailable(name: str) -> Iterator[None]:
    """Whoever imports the module meanwhile is told that there is none, unless it is loaded."""
    if name in sys.modules:
        yield
        return
    sys.modules[name] = None  # type: ignore[assignment]  # the import system's own sign for that
    try:
        yield
    finally:
        del sys.modules[name]
