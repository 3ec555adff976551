"""Descriptions of strategies' errors for the trail."""

from __future__ import annotations

import os

from samapprox.errors import CertificateError
from samapprox.support.packages import is_missing_package

__all__ = ["describe_fault", "join_lines"]


def describe_fault(error: Exception) -> str:
    """Describe a strategy's exception as its outcome; it costs that strategy, not the answer.

    Parameters
    ----------
    error : Exception
        Raised by a strategy, or by the exact check of its proof.

    Raises
    ------
    Exception
        The error itself where the environment variable SAMAPPROX_TRACEBACK is set, as in tests;
        a lack of memory is no mistake and never raised. Also where a package is not installed:
        the answer would depend on what is.
    KeyboardInterrupt
        The error is what a library made of an interrupt: its initialization failed, say.

    Examples
    --------
    >>> describe_fault(MemoryError())
    'not enough memory'
    """
    if _is_interrupt(error):
        raise KeyboardInterrupt from error
    if isinstance(error, MemoryError):
        return "not enough memory"
    if is_missing_package(error) or os.environ.get("SAMAPPROX_TRACEBACK"):
        raise error
    words = _describe(error)
    if isinstance(error, CertificateError):
        return f"please report it: {words}"
    return f"failed, please report it: {type(error).__name__}: {words}"


def _is_interrupt(error: BaseException | None) -> bool:
    """Return whether an interrupt caused an error, or arrived while another one was handled."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        if isinstance(error, KeyboardInterrupt):
            return True
        seen.add(id(error))
        error = error.__cause__ or error.__context__
    return False


def _describe(error: Exception) -> str:
    """Return the message of an exception in one line, whatever class raised it."""
    try:
        return join_lines(str(error))
    except Exception:
        return "(its message cannot be read)"


def join_lines(text: str) -> str:
    r"""Join the lines of a text into one.

    Examples
    --------
    >>> join_lines("a proof\nfails ")
    'a proof fails'
    """
    return " ".join(text.split())
