"""Modules, and names of modules, that are imported on first use (SPEC 1 of Scientific Python)."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import ModuleType

__all__ = ["lazy_modules", "lazy_names"]


def lazy_modules(
    package: str, *elsewhere: str
) -> tuple[Callable[[str], ModuleType], Callable[[], list[str]]]:
    """Make ``__getattr__`` and ``__dir__`` of a package whose modules load on first use.

    Parameters
    ----------
    package : str
        Its ``__name__``.
    *elsewhere : str
        Modules of the package that are not in its own folder.

    Returns
    -------
    getattr, dir : callable

    References
    ----------
    https://scientific-python.org/specs/spec-0001

    Examples
    --------
    >>> import samapprox
    >>> samapprox.attention.graphs.GRAPHS["star"]
    'samapprox.attention.graphs.masks.hubs:star'
    """

    def get(name: str) -> ModuleType:
        from importlib import import_module
        from importlib.util import find_spec

        if name.startswith("_") or find_spec(f"{package}.{name}") is None:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return import_module(f"{package}.{name}")

    def names() -> list[str]:
        from pkgutil import iter_modules

        module = sys.modules[package]
        own = (found.name for found in iter_modules(module.__path__))
        return sorted({*getattr(module, "__all__", ()), *own, *elsewhere})

    return get, names


def lazy_names(
    package: str, **names: tuple[str, ...]
) -> tuple[Callable[[str], object], Callable[[], list[str]]]:
    """Make ``__getattr__`` and ``__dir__`` of a package that offers names of its modules.

    Parameters
    ----------
    package : str
        Its ``__name__``.
    **names : tuple of str
        Module of the package -> the names that the package offers of it.

    Returns
    -------
    getattr, dir : callable

    Examples
    --------
    >>> import samapprox
    >>> samapprox.attention.TopK.__module__
    'samapprox.attention.weights.rules'
    """
    homes = {name: module for module, offered in names.items() for name in offered}
    get_module, directory = lazy_modules(package)

    def get(name: str) -> object:
        if name in homes:
            return getattr(get_module(homes[name]), name)
        return get_module(name)

    return get, directory
