"""Modules, and names of modules, that are imported on first use (SPEC 1 of Scientific Python)."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import ModuleType


def lazy_modules(
    package: str, *elsewhere: str
) -> tuple[Callable[[str], ModuleType], Callable[[], list[str]]]:
    """Make ``__getattr__`` and ``__dir__`` of a package whose modules load on first use.

    `package`: its ``__name__``. `elsewhere`: modules of the package that are not in its own folder.

    https://scientific-python.org/specs/spec-0001

    >>> import samapprox
    >>> samapprox.attention.graphs.GRAPHS["star"]
    'samapprox.attention.graphs.masks.bigbird:star'
    """

    def get(name: str) -> ModuleType:
        from importlib import import_module
        from importlib.util import find_spec

        if name.startswith("_") or find_spec(f"{package}.{name}") is None:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return import_module(f"{package}.{name}")

    def names() -> list[str]:
        module = sys.modules[package]
        return sorted({*getattr(module, "__all__", ()), *_list_modules(package), *elsewhere})

    return get, names


def _list_modules(package: str, *, packages_only: bool = False) -> list[str]:
    """Return the names of the modules in the folder of a package."""
    from pkgutil import iter_modules

    found = iter_modules(sys.modules[package].__path__)
    return [one.name for one in found if one.ispkg or not packages_only]


def lazy_names(
    package: str, *elsewhere: str, **names: tuple[str, ...]
) -> tuple[Callable[[str], object], Callable[[], list[str]]]:
    """Make ``__getattr__`` and ``__dir__`` of a package that offers names of its modules.

    Its modules can be imported, but ``dir`` lists the names and the packages inside alone.

    `package`: its ``__name__``. `elsewhere`: packages inside that are not in its own folder.
    `names`: module of the package -> the names that the package offers of it.

    >>> import samapprox
    >>> samapprox.attention.TopK.__module__
    'samapprox.attention.weights.rules'
    """
    homes = {name: module for module, offered in names.items() for name in offered}
    get_module, _ = lazy_modules(package)

    def get(name: str) -> object:
        from importlib import import_module

        if name in homes:
            return getattr(import_module(f"{package}.{homes[name]}"), name)
        return get_module(name)

    def directory() -> list[str]:
        defined = [name for name in sys.modules[package].__all__ if not name.startswith("_")]
        inside = _list_modules(package, packages_only=True)
        return sorted({*homes, *defined, *inside, *elsewhere})

    return get, directory
