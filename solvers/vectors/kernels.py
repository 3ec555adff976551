"""Choose between compiled loops and the same in numpy, which begins at once.

Loading compiled code takes a second, and compiling it several, on the first run. Each pair of
modules offers the same functions: ``relay_kernel`` and ``relay_numpy``, say.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from samapprox.support.packages import is_missing_package

__all__ = ["load_kernel"]


def load_kernel(name: str, *, small: bool) -> Any:
    """Import the module with a kernel's functions.

    Parameters
    ----------
    name : str
        A kernel of this package: near_ties, orthogonal, pair_count or relay.
    small : bool
        Whether numpy is done before compiled code would be loaded.

    Returns
    -------
    module
        The one in numpy if the work is small or numba is not installed, else the compiled one.

    Examples
    --------
    >>> load_kernel("near_ties", small=True).__name__
    'samapprox.solvers.vectors.near_ties_numpy'
    """
    if not small:
        try:
            return import_module(f"{__package__}.{name}_kernel")
        except ImportError as error:
            if not is_missing_package(error):
                raise
    return import_module(f"{__package__}.{name}_numpy")
