"""Optional packages, imported on demand."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType

from samapprox.errors import InputError

__all__ = ["require_package"]


def require_package(module: str, extra: str, purpose: str) -> ModuleType:
    """Import an optional package, or name the extra of samapprox that installs it.

    Parameters
    ----------
    module : str
        The name to import.
    extra : str
        The extra of samapprox that brings the package.
    purpose : str
        The feature that needs it, as the subject of the message.

    Returns
    -------
    module

    Raises
    ------
    InputError
        The package cannot be imported.

    Examples
    --------
    >>> require_package("math", "none", "A circle").pi < 4
    True
    >>> require_package("no_such_package", "spirals", "A spiral")
    Traceback (most recent call last):
    ...
    samapprox.errors.InputError: A spiral needs the package no_such_package: pip install ...
    """
    try:
        return import_module(module)
    except ImportError:
        package = module.partition(".")[0]
        raise InputError(
            f"{purpose} needs the package {package}: pip install 'samapprox[{extra}]'"
        ) from None
