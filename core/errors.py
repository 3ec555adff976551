"""The exceptions that `samapprox` raises on purpose, and checks of arguments that raise them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from numbers import Integral, Real
from os import PathLike
from reprlib import repr as short_repr
from types import UnionType
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

    def __init__(self, message: str) -> None:
        super().__init__(message.replace("\r", "\\r").replace("\n", "\\n"))  # names may have some

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


_MOST_LETTERS = 40


def abridge(value: object) -> str:
    """Show a value in a message: in one line, and not all of a long one.

    >>> abridge("x"), abridge([[1, 0], [0, 1]]), abridge("x" * 1000)
    ("'x'", '[[1, 0], [0, 1]]', "'xxxxxxxxxxxx...xxxxxxxxxxxxx'")
    """
    try:
        shown = " ".join(short_repr(value).split())
    except Exception:  # of any class of the user's; ints of over 4300 digits have none, either
        shown = f"a value of type {type(value).__name__}"
    return shown if len(shown) <= _MOST_LETTERS else shown[: _MOST_LETTERS - 3] + "..."


def require_type(name: str, value: object, types: type | UnionType, description: str) -> None:
    """Refuse an argument of another type.

    >>> require_type("the text", 3, str, "a text")
    Traceback (most recent call last):
    ...
    samapprox.errors.InputError: the text must be a text, not 3
    """
    if not isinstance(value, types):
        raise InputError(f"{name} must be {description}, not {abridge(value)}")


def require_whole(name: str, value: object, least: int | None = None) -> None:
    """Refuse what is no whole number, or one that is too small; True and False are none.

    >>> require_whole("threads", 0, 1)
    Traceback (most recent call last):
    ...
    samapprox.errors.InputError: threads must be a whole number of at least 1, not 0
    """
    is_whole = isinstance(value, Integral) and not isinstance(value, bool)
    if not is_whole or (least is not None and value < least):  # type: ignore[operator]
        limit = "" if least is None else f" of at least {least}"
        raise InputError(f"{name} must be a whole number{limit}, not {abridge(value)}")


def require_number(name: str, value: object) -> None:
    """Refuse what is no real number, or one that is too large for floats.

    >>> require_number("eps1", "0.1")
    Traceback (most recent call last):
    ...
    samapprox.errors.InputError: eps1 must be a number, not '0.1'
    """
    if not isinstance(value, bool) and isinstance(value, Real):
        with suppress(OverflowError):
            float(value)
            return
    raise InputError(f"{name} must be a number, not {abridge(value)}")


def require_flag(name: str, value: object) -> None:
    """Refuse what is neither True nor False; numpy's count, and 0 and 1.

    A word such as "no" is true for Python, so it would change the question without a message.

    >>> require_flag("causal", "no")
    Traceback (most recent call last):
    ...
    samapprox.errors.InputError: causal must be True or False, not 'no'
    """
    is_flag = type(value).__name__ in ("bool", "bool_") or (type(value) is int and value in (0, 1))
    if not is_flag:
        raise InputError(f"{name} must be True or False, not {abridge(value)}")


def require_callback(name: str, value: object) -> None:
    """Refuse what is neither None nor can be called.

    >>> require_callback("progress", print)
    """
    if value is not None and not callable(value):
        raise InputError(f"{name} must be a function or None, not {abridge(value)}")


def require_list(name: str, value: object, items: str) -> None:
    """Refuse what is no list: a text is none, nor is an array of no axis or of several.

    `items`: what it must hold, in the plural.

    >>> require_list("ids", "q1", "ids")
    Traceback (most recent call last):
    ...
    samapprox.errors.InputError: ids must be a list of ids, not 'q1'
    """
    is_text = isinstance(value, str | bytes)
    if is_text or not isinstance(value, Iterable) or getattr(value, "ndim", 1) != 1:
        raise InputError(f"{name} must be a list of {items}, not {abridge(value)}")


def require_items(name: str, value: object, items: str) -> None:
    """Refuse what has no items; unlike `require_list`, this takes texts and arrays of many axes.

    >>> require_items("lemmas", None, "clauses")
    Traceback (most recent call last):
    ...
    samapprox.errors.InputError: lemmas must be a list of clauses, not None
    """
    if not isinstance(value, Iterable) or getattr(value, "ndim", 1) == 0:
        raise InputError(f"{name} must be a list of {items}, not {abridge(value)}")


def require_path(name: str, value: object) -> None:
    """Refuse what is no path: a text, which is not empty, or an object for it.

    >>> require_path("results", "")
    Traceback (most recent call last):
    ...
    samapprox.errors.InputError: results must be the path of a file, not ''
    """
    if not isinstance(value, str | PathLike) or value == "":
        raise InputError(f"{name} must be the path of a file, not {abridge(value)}")
