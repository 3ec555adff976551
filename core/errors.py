"""The exceptions that `samapprox` raises on purpose."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Generic, TypeVar

Result_co = TypeVar("Result_co", covariant=True)


class SamapproxError(Exception):
    """Base of all errors of this package."""


class InputError(SamapproxError, ValueError):
    """The caller's input cannot be used; the message says what, where and how to fix it.

    Parameters
    ----------
    message : str
        One line that names the place (row, column, line) and the mend.

    Examples
    --------
    >>> from samapprox import Pattern
    >>> Pattern.from_array([[1, 0], [0, 0]])
    Traceback (most recent call last):
    ...
    samapprox.errors.InputError: row 1 has no 1: every query must attend to at least one key; ...
    """

    def within(self, place: str) -> InputError:
        """Return the same error, prefixed by the file or object where it occurred."""
        return InputError(f"{place}: {self}")


@contextmanager
def errors_within(place: str | None) -> Iterator[None]:
    """Prefix every `InputError` by the file or object where it occurs; None adds nothing.

    >>> with errors_within("a.csv"):
    ...     raise InputError("row 1 has no 1")
    Traceback (most recent call last):
    ...
    samapprox.errors.InputError: a.csv: row 1 has no 1
    """
    try:
        yield
    except InputError as error:
        raise error if place is None else error.within(place) from None


@contextmanager
def file_errors(path: object) -> Iterator[None]:
    """Turn an error of the operating system into an `InputError` about a file or folder.

    >>> with file_errors("a.csv"):
    ...     raise FileNotFoundError(2, "No such file or directory")
    Traceback (most recent call last):
    ...
    samapprox.errors.InputError: a.csv: No such file or directory
    """
    try:
        yield
    except OSError as error:
        raise InputError(f"{path}: {error.strerror or error}") from None


class EntryError(InputError):
    """An entry is not 0, 1 or *.

    `found`: the place and the entry. `fault`: the rest of the message: the rule for patterns, which
    sign matrices replace by theirs. It is empty in an error that comes from another process.
    """

    def __init__(self, found: str, fault: str = "") -> None:
        super().__init__(f"{found}{fault}")
        self.found, self.fault = found, fault

    def within(self, place: str) -> EntryError:
        """Return the same error, prefixed by the file or object where it occurred."""
        return type(self)(f"{place}: {self.found}", self.fault)


class SignsError(EntryError):
    """The entries are signs, + and - or 1 and -1, where a pattern of 0 and 1 is needed."""


class MissingPackageError(InputError, ImportError):
    """A package that the question needs is not installed; the message names it.

    It is an `InputError` because the user mends it, by one ``pip install``.
    """

    def within(self, place: str) -> InputError:
        """The same error: no file is at fault."""
        return self


class InputWarning(UserWarning):
    """The input was used, but not all of it; the message says what was left out."""


class CertificateError(SamapproxError, RuntimeError):
    """A solver's own proof failed the exact checker: a bug in this package, not in the input."""


class Interrupted(KeyboardInterrupt, Generic[Result_co]):
    """Ctrl-C during a computation that has partial results.

    It is a `KeyboardInterrupt`, so that programs that know nothing of it end as usual.

    Parameters
    ----------
    so_far : object
        A result of the type that the interrupted function returns, with the bounds and proofs that
        were found; for functions that return several results, those that were ready.

    Examples
    --------
    >>> from samapprox import decide
    >>> try:
    ...     raise Interrupted(decide([[1, 0], [0, 1]]))
    ... except KeyboardInterrupt as interrupt:
    ...     print(interrupt.so_far.status)
    YES
    """

    def __init__(self, so_far: Result_co) -> None:
        super().__init__()
        self.so_far = so_far


@contextmanager
def interrupts_hold(result: Callable[[], object]) -> Iterator[None]:
    """Turn Ctrl-C into an `Interrupted` with the result so far, which is made only then."""
    try:
        yield
    except KeyboardInterrupt:
        raise Interrupted(result()) from None
