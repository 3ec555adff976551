"""Packages that may be missing: imported on demand, named with the command that installs them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType

from samapprox.errors import InputError, MissingPackageError

__all__ = ["PACKAGES", "is_missing_package", "name_missing_packages", "require_package"]

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
