"""A child forked from a small process: started in milliseconds, independent of its parent."""

from __future__ import annotations

import contextlib
import gc
import os
import signal
import sys
import threading
import traceback
import warnings
from importlib import import_module
from pathlib import Path
from typing import NoReturn, TextIO

__all__ = ["STANDARD_ERROR", "Forked", "may_fork"]

STANDARD_ERROR = 2
"""The last of the descriptors that every process has."""

_SMALL = 64 << 20
"""Bytes of memory of ours, at most, that a copy may begin with."""


def may_fork(*pipe: int) -> bool:
    """Return whether a copy of this process would be small, single-threaded and sound (Linux).

    Parameters
    ----------
    pipe : int
        Descriptors that are to become the copy's standard streams.

    Notes
    -----
    Of other threads a fork keeps the locks but not the threads; and our memory would count as
    the child's. BLAS libraries end their idle threads on a fork and start them again.
    """
    if sys.platform != "linux" or threading.active_count() > 1 or min(pipe) <= STANDARD_ERROR:
        return False
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
    except OSError:  # not mounted
        return False
    return pages * os.sysconf("SC_PAGE_SIZE") <= _SMALL


class Forked:
    """A copy of this process that serves; it ends as a `subprocess.Popen` does.

    Parameters
    ----------
    module : str
        Its function ``serve()`` is all that the copy does.
    task, result : int
        Descriptors that become the copy's standard input and output.

    Attributes
    ----------
    pid : int
    """

    def __init__(self, module: str, task: int, result: int) -> None:
        self._status: int | None = None
        mask = signal.pthread_sigmask(signal.SIG_BLOCK, ())
        try:  # an interrupt in the copy would have it clean up, on its way out, what is ours
            signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", DeprecationWarning)  # a BLAS library's idle threads
                self.pid = os.fork()
            if self.pid == 0:
                _serve(module, task, result, mask)
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)

    def poll(self) -> int | None:
        """Return its exit status; None while it runs."""
        return self._waited(os.WNOHANG)

    def wait(self) -> int:
        """Wait for its end and return its exit status."""
        status = self._waited(0)
        assert status is not None
        return status

    def _waited(self, options: int) -> int | None:
        if self._status is None:
            try:
                pid, status = os.waitpid(self.pid, options)
            except ChildProcessError:  # it is gone, and somebody else was told how
                pid, status = self.pid, 0
            if pid:
                self._status = os.waitstatus_to_exitcode(status)
        return self._status


def _serve(module: str, task: int, result: int, mask: set[int | signal.Signals]) -> NoReturn:
    """Run in the copy: use and clean up nothing of the parent's."""
    status = 1
    _theirs = sys.stdout, sys.stderr  # kept: whoever drops them writes what still waits in them
    try:
        gc.freeze()  # what the parent is about to drop is its own to clean up
        os.setsid()
        os.dup2(task, 0)
        os.dup2(result, 1)
        _close_all_others()
        sys.stdout = sys.stderr = _standard_error()
        _reset_signals()
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        import_module(module).serve()
        status = 0
    except BaseException as error:
        _kept = error  # with its frames, whose pipes close last: who sees that finds our status
        if isinstance(error, SystemExit):
            status = error.code if isinstance(error.code, int) else int(error.code is not None)
        else:
            traceback.print_exc()
    finally:
        os._exit(status)


def _standard_error() -> TextIO:
    """Open a standard error stream as a new interpreter does."""
    return os.fdopen(STANDARD_ERROR, "w", 1, errors="backslashreplace", closefd=False)


def _close_all_others() -> None:
    """Leave to the parent what it has open; so the end of either is seen at once."""
    for entry in list(Path("/proc/self/fd").iterdir()):
        if int(entry.name) > STANDARD_ERROR:
            with contextlib.suppress(OSError):  # the list itself was read through one
                os.close(int(entry.name))


def _reset_signals() -> None:
    """Handle signals as a new interpreter does; what has come by now was for the parent."""
    signal.set_wakeup_fd(-1)
    for number in signal.valid_signals():
        if callable(signal.getsignal(number)):
            signal.signal(number, signal.SIG_IGN)
            interrupt = number == signal.SIGINT
            signal.signal(number, signal.default_int_handler if interrupt else signal.SIG_DFL)
