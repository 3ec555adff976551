"""The linear algebra library below numpy and scipy."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from threadpoolctl import threadpool_limits

__all__ = ["one_blas_thread"]


def one_blas_thread() -> threadpool_limits:
    """Make a context in which numpy's and scipy's products run in one thread.

    The products of the numeric searches are long and thin: threads only get into each other's way.

    Examples
    --------
    >>> import numpy as np
    >>> with one_blas_thread():
    ...     np.eye(2) @ np.ones(2)
    array([1., 1.])
    """
    import scipy.optimize  # noqa: F401  # its BLAS is limited only if it is there
    from threadpoolctl import threadpool_limits

    return threadpool_limits(1, user_api="blas")
