"""Imports by name: tables of import strings, and packages that may be missing.

Mistyped names get suggestions; missing packages are named with the command that installs them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import Any

from samapprox.errors import InputError, MissingPackageError

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


def look_up(name: str, table: Mapping[str, str], what: str) -> Any:
    """Import the object behind a name.

    `name`: a key of the table. `table`: name -> ``module:attribute``. `what`: the noun for such an
    item in messages. Returned: the function or class; its caller knows of which type. Raises
    InputError: no such name; suggests the nearest and lists those there are.

    >>> look_up("eye", {"eye": "numpy:eye"}, "matrix")(1).tolist()
    [[1.0]]
    """
    if name not in table:
        raise unknown_name(what, name, table)
    return load_object(table[name])


def load_object(path: str) -> Any:
    """Import what ``module:attribute`` names."""
    module, _, attribute = path.partition(":")
    return getattr(import_module(module), attribute)


def is_missing_package(error: BaseException) -> bool:
    """Whether an error says that one of the dependencies is not installed.

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
