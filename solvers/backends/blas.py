"""The linear algebra library below numpy and scipy."""

from __future__ import annotations

from contextlib import AbstractContextManager
from functools import lru_cache
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from threadpoolctl import ThreadpoolController

__all__ = ["one_blas_thread", "one_numpy_thread"]


def one_blas_thread() -> AbstractContextManager[object]:
    """Make a context in which numpy's and scipy's products run in one thread.

    The products of the numeric searches are long and thin: threads only get into each other's way.

    Examples
    --------
    >>> import numpy as np
    >>> with one_blas_thread():
    ...     np.eye(2) @ np.ones(2)
    array([1., 1.])
    """
    return _libraries("scipy.optimize").limit(limits=1, user_api="blas")


def one_numpy_thread() -> AbstractContextManager[object]:
    """Make a context in which numpy's products run in one thread, without importing scipy.

    Examples
    --------
    >>> import numpy as np
    >>> with one_numpy_thread():
    ...     np.linalg.svd(np.eye(2))[1]
    array([1., 1.])
    """
    return _libraries("numpy.linalg").limit(limits=1, user_api="blas")


@lru_cache(maxsize=2)  # finding the libraries takes a millisecond
def _libraries(module: str) -> ThreadpoolController:
    """Return the libraries that are loaded once a module is imported."""
    from threadpoolctl import ThreadpoolController

    import_module(module)
    return ThreadpoolController()
