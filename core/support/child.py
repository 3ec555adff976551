"""A child process that takes tasks, returns results, and can be stopped at any time."""

from __future__ import annotations

import contextlib
import ctypes
import gc
import os
import select
import signal
import subprocess
import sys
import threading
import traceback
import warnings
from importlib import import_module
from multiprocessing.connection import Connection, Pipe
from pathlib import Path
from typing import Any, NoReturn, TextIO

from samapprox.errors import InputError

_ROOM = 1 << 20
"""Bytes in a pipe: the most that Linux allows without privileges."""


class Child:
    """A child process, as its parent sees it.

    Each has pipes of its own: no lock is shared, so the end of one, at whatever moment, leaves the
    others alone.

    `module`: imported in the new process; its function ``serve()`` begins with `channel`. `anew`:
    start an interpreter of its own in any case; else a small parent without threads forks, which
    takes milliseconds instead of a quarter of a second. `connection`: the messages of the process.
    Raises InputError: Windows, whose pipes and signals are others; or the system allows no further
    process.
    """

    def __init__(self, module: str, *, anew: bool = False) -> None:
        if os.name != "posix":
            raise InputError("limits on processes need Linux or macOS; leave the memory limit out")
        try:
            task, self._tasks = Pipe(duplex=False)
            self.connection, result = Pipe(duplex=False)
            ends = task.fileno(), result.fileno()
            start = _spawned if anew or not may_fork(*ends) else Forked
            self._process = start(module, *ends)
        except OSError as error:
            raise InputError(
                f"no process can be started: {error.strerror or error}; "
                "take fewer at a time, or allow more of them and more open files"
            ) from None
        task.close()
        result.close()
        _enlarge(self.connection.fileno())
        self._watch: Any = None
        self._sender: threading.Thread | None = None

    def send(self, task: object) -> None:
        """Hand a task over. If the process is gone, the end of `connection` says so."""
        with contextlib.suppress(OSError):
            self._tasks.send(task)

    def send_aside(self, task: object) -> None:
        """Send a task in a thread, since a large task takes a while or the process may be busy.

        Tasks arrive in the order in which they were sent aside.
        """
        before = self._sender

        def send() -> None:
            if before is not None:
                before.join()
            self.send(task)

        self._sender = threading.Thread(target=send, daemon=True)
        self._sender.start()

    def resident(self) -> int:
        """Return the bytes of memory that it and its children hold; 0 once it has ended."""
        import psutil

        try:
            if self._watch is None:
                self._watch = psutil.Process(self._process.pid)
            return int(self._watch.memory_info().rss) + _resident_children(self._process.pid)
        except psutil.Error:
            return 0

    def end(self) -> int:
        """Stop the process; return its exit status, negative for a signal's number."""
        if self._process.poll() is None:
            for kill in (os.killpg, os.kill):  # a copy of us has no group yet when it begins
                with contextlib.suppress(ProcessLookupError):  # it ended by itself just now
                    kill(self._process.pid, signal.SIGKILL)
        status = self._process.wait()
        if self._sender is not None:  # without a reader, it gives up at once
            self._sender.join()
        self._tasks.close()
        self.connection.close()
        return status


def _resident_children(pid: int) -> int:
    """Return the bytes that the children of a process hold (Linux; elsewhere 0).

    psutil would look at all processes of the machine, fifty times a second.
    """
    pages = 0
    for of_thread in Path(f"/proc/{pid}/task").glob("*/children"):
        with contextlib.suppress(OSError):  # the thread ended just now
            for child in of_thread.read_text().split():
                with contextlib.suppress(OSError):  # or the child
                    pages += int(Path(f"/proc/{child}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def _spawned(module: str, task: int, result: int) -> subprocess.Popen[bytes]:
    """Start a new interpreter."""
    return subprocess.Popen(
        [sys.executable, "-c", f"from {module} import serve; serve()"],
        stdin=task,
        stdout=result,
        start_new_session=True,  # an interrupt of the terminal is for the parent alone
    )


def _enlarge(pipe: int) -> None:
    """Let a process write much at once and continue while its parent is busy (Linux)."""
    if sys.platform == "linux":
        import fcntl

        with contextlib.suppress(OSError):  # the user has too many large ones
            fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, _ROOM)


class _Results(Connection):
    """Messages of this process, which any of its threads may send."""

    def __init__(self, handle: int) -> None:
        super().__init__(handle, readable=False)
        self._sending = threading.Lock()

    def send(self, message: object) -> None:
        with self._sending:
            super().send(message)


def channel() -> tuple[Connection, Connection]:
    """Open the child's side: the source of its tasks and the target of its results.

    Any thread may send results. Output of libraries goes to standard error. The process ends when
    its parent does (Linux; else when it next speaks to it).
    """
    if sys.platform == "linux":
        die_with_parent = 1  # PR_SET_PDEATHSIG
        ctypes.CDLL(None).prctl(die_with_parent, signal.SIGKILL)
        results_pipe = select.poll()
        results_pipe.register(1, 0)
        if results_pipe.poll(0):  # no reader is left: the parent ended before, without a signal
            sys.exit(0)
    nothing = os.open(os.devnull, os.O_RDWR)  # becomes standard error, if there is none
    tasks, results = Connection(os.dup(0), writable=False), _Results(os.dup(1))
    os.dup2(STANDARD_ERROR, 1)
    os.dup2(nothing, 0)
    return tasks, results


STANDARD_ERROR = 2
"""The last of the descriptors that every process has."""

_SMALL = 64 << 20
"""Bytes of memory of ours, at most, that a copy may begin with."""


def may_fork(*pipe: int) -> bool:
    """Return whether a copy of this process would be small, single-threaded and sound (Linux).

    `pipe`: descriptors that are to become the copy's standard streams.

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

    `module`: its function ``serve()`` is all that the copy does. `task`, `result`: descriptors that
    become the copy's standard input and output.
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
            except ChildProcessError:  # other code has waited for it; its status is lost
                pid, status = self.pid, 0
            if pid:
                self._status = os.waitstatus_to_exitcode(status)
        return self._status


def _serve(module: str, task: int, result: int, mask: set[int | signal.Signals]) -> NoReturn:
    """Run in the copy: use and clean up nothing of the parent's."""
    status = 1
    _theirs = sys.stdout, sys.stderr  # kept, because dropping them would write their buffers
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
        _kept = error  # keeps its frames, whose pipes close last: the parent then finds our status
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
    """Close the parent's files in the child, so that the end of either is seen at once."""
    for entry in list(Path("/proc/self/fd").iterdir()):
        if int(entry.name) > STANDARD_ERROR:
            with contextlib.suppress(OSError):  # the list itself was read through one
                os.close(int(entry.name))


def _reset_signals() -> None:
    """Handle signals as a new interpreter does, and ignore those that were sent to the parent."""
    signal.set_wakeup_fd(-1)
    for number in signal.valid_signals():
        if callable(signal.getsignal(number)):
            signal.signal(number, signal.SIG_IGN)
            interrupt = number == signal.SIGINT
            signal.signal(number, signal.default_int_handler if interrupt else signal.SIG_DFL)
