"""The linear algebra library below numpy and scipy."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import lru_cache
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from threadpoolctl import ThreadpoolController

__all__ = ["one_blas_thread", "one_numpy_thread"]


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Make a context, or decorate a function, so that numpy's and scipy's products use one thread.

    The products of the numeric searches are long and thin: threads only get into each other's way.
    """
    with _one_thread("scipy.optimize"):
        yield


def one_numpy_thread() -> AbstractContextManager[object]:
    """Make a context in which numpy's products run in one thread, without importing scipy."""
    return _one_thread("numpy.linalg")


def _one_thread(module: str) -> AbstractContextManager[object]:
    limit: AbstractContextManager[object] = _libraries(module).limit(limits=1, user_api="blas")
    return limit


@lru_cache(maxsize=2)  # finding the libraries takes a millisecond
def _libraries(module: str) -> ThreadpoolController:
    """Return the libraries that are loaded once a module is imported."""
    from threadpoolctl import ThreadpoolController

    import_module(module)
    return ThreadpoolController()
