"""Imports by name or on first use: tables of import strings, and packages that may be missing.

Mistyped names get suggestions; missing packages are named with the command that installs them.
Packages import their modules when these are used (SPEC 1 of Scientific Python).
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import Any

from samapprox.errors import InputError, MissingPackageError, require_type

PACKAGES = {
    "click": "click",
    "junitparser": "junitparser",
    "llvmlite": "numba",  # its compiler
    "matplotlib": "matplotlib",
    "ml_dtypes": "ml-dtypes",
    "mpmath": "mpmath",
    "networkx": "networkx",
    "numba": "numba",
    "numpy": "numpy",
    "ortools": "ortools",
    "psutil": "psutil",
    "pysat": "python-sat",
    "rich": "rich",
    "safetensors": "safetensors",
    "scipy": "scipy",
    "threadpoolctl": "threadpoolctl",
}
"""Module -> the package that brings it, for all dependencies; a light install has only some."""


def nearest(name: str, known: Iterable[str]) -> str | None:
    """Return the known name closest to a mistyped one; None if none is close.

    >>> nearest("decid", ["decide", "dim"])
    'decide'
    """
    from difflib import get_close_matches

    return next(iter(get_close_matches(name[:100], known, 1)), None)


def suggestion(name: str, known: Iterable[str]) -> str:
    """Suggest the known name closest to a mistyped one; empty if none is close.

    Returned: in brackets, with a space before them.

    >>> suggestion("decid", ["decide", "dim"])
    " (did you mean 'decide'?)"
    >>> suggestion("fly", ["decide", "dim"])
    ''
    """
    meant = nearest(name, known)
    return "" if meant is None else f" (did you mean {meant!r}?)"


def unknown_name(what: str, name: str, known: Iterable[str]) -> InputError:
    """Return the error for a name that is in no table: it suggests the nearest name and lists all.

    `what`: the noun for such an item in messages. `known`: the known names.

    >>> print(unknown_name("strategy", "lime", ["line", "rank"]))
    unknown strategy 'lime' (did you mean 'line'?); there are: line, rank
    """
    known = list(known)
    there = f"there are: {', '.join(known)}"
    return InputError(f"unknown {what} {name[:40]!r}{suggestion(name, known)}; {there}")


def require_name(what: str, name: str, known: Collection[str]) -> None:
    """Refuse a name that is not known: see `unknown_name`."""
    require_type(f"the name of a {what}", name, str, "a text")
    if name not in known:
        raise unknown_name(what, name, known)


def look_up(name: str, table: Mapping[str, str], what: str) -> Any:
    """Import the object behind a name.

    `name`: a key of the table. `table`: name -> ``module:attribute``. `what`: the noun for such an
    item in messages. Returned: the function or class; its caller knows of which type. Raises
    InputError: no such name; suggests the nearest and lists those there are.

    >>> look_up("eye", {"eye": "numpy:eye"}, "matrix")(1).tolist()
    [[1.0]]
    """
    require_name(what, name, table)
    return load_object(table[name])


def load_object(path: str) -> Any:
    """Import what ``module:attribute`` names."""
    module, _, attribute = path.partition(":")
    return getattr(import_module(module), attribute)


def is_missing_package(error: BaseException) -> bool:
    """Return whether an error says that one of the dependencies is not installed.

    >>> is_missing_package(ModuleNotFoundError("No module named 'pysat'", name="pysat.solvers"))
    True
    >>> is_missing_package(ModuleNotFoundError("No module named 'spam'", name="spam"))
    False
    """
    if isinstance(error, MissingPackageError):
        return True
    return isinstance(error, ModuleNotFoundError) and _top(error.name or "") in PACKAGES


@contextmanager
def name_missing_packages(purpose: str, modules: Iterable[str] = ()) -> Iterator[None]:
    """Turn a failed import of a dependency into one line that says what to install.

    `purpose`: what needs the package, as the subject of the message. `modules`: modules that the
    same purpose may need later; the message names those that are missing, so that one installation
    is enough. Raises MissingPackageError: the code inside imports a dependency that is not
    installed.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        if not is_missing_package(error):
            raise
        missing = [_top(error.name or ""), *filter(_is_missing, modules)]
        packages = sorted({PACKAGES[module] for module in missing})
        message = f"{purpose} needs {', '.join(packages)}: pip install {' '.join(packages)}"
        raise MissingPackageError(message) from error


def _top(module: str) -> str:
    return module.partition(".")[0]


def _is_missing(module: str) -> bool:
    try:
        return find_spec(module) is None
    except (ImportError, ValueError):  # it is hidden, by sys.modules say
        return True


def require_package(module: str, extra: str, purpose: str) -> ModuleType:
    """Import an optional package, or name the extra of samapprox that installs it.

    `module`: the name to import. `extra`: the extra of samapprox that brings the package.
    `purpose`: the feature that needs it, as the subject of the message. Raises InputError: the
    package cannot be imported.
    """
    try:
        return import_module(module)
    except ImportError:
        package = _top(module)
        raise InputError(
            f"{purpose} needs the package {package}: pip install 'samapprox[{extra}]'"
        ) from None


def lazy_modules(
    package: str, *elsewhere: str
) -> tuple[Callable[[str], ModuleType], Callable[[], list[str]]]:
    """Make ``__getattr__`` and ``__dir__`` of a package whose modules load on first use.

    `package`: its ``__name__``. `elsewhere`: modules of the package that are not in its own folder.

    https://scientific-python.org/specs/spec-0001

    >>> import samapprox
    >>> samapprox.attention.graphs.GRAPHS["star"]
    'samapprox.attention.graphs.masks:star'
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
        inside = _list_modules(package, packages_only=True)
        listed = {*homes, *sys.modules[package].__all__, *inside, *elsewhere}
        return sorted(name for name in listed if not name.startswith("_"))

    return get, directory
