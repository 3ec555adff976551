"""Ctrl-C and garbage while the command `samapprox` imports its modules; a library changes nothing.

The command is ready to catch an interrupt once its modules are there, which takes a moment. Until
then, importing this module lets an interrupt end the process with status 130 and without a
traceback: nothing has begun that would have to be cleaned up. From then on, SIGTERM, which
`timeout` and job schedulers send, and SIGHUP, which a closed terminal sends, interrupt the command
as Ctrl-C does. Garbage is looked for less often, since modules stay. Child processes and programs
that import the package are left alone.
"""

from __future__ import annotations

import gc
import os
import signal
import sys
from collections.abc import Sequence
from pathlib import PurePath
from types import FrameType

_OBJECTS = 100_000
"""New objects after which garbage is looked for; 700 would look at all modules dozens of times."""


def _is_command(arguments: Sequence[str]) -> bool:
    """Return whether a process is the command `samapprox`, or ``python -m samapprox``.

    `arguments`: as in ``sys.orig_argv``, the interpreter first.

    >>> _is_command(["python3", "/usr/bin/samapprox", "dim", "p.npz"])
    True
    >>> _is_command(["python3", "-m", "samapprox"]), _is_command(["python3", "-m", "pytest"])
    (True, False)
    """
    module = list(arguments[1:3]) == ["-m", "samapprox"]
    return module or (len(arguments) > 1 and PurePath(arguments[1]).stem == "samapprox")


def leave_interrupts_to_command() -> None:
    """Let Ctrl-C, SIGTERM and SIGHUP raise KeyboardInterrupt, which the command catches."""
    if signal.getsignal(signal.SIGINT) is _end:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if _is_command(sys.orig_argv):
        for name in ("SIGTERM", "SIGHUP"):  # Windows has no SIGHUP; nohup ignores it
            number = getattr(signal, name, None)
            if number is not None and signal.getsignal(number) is signal.SIG_DFL:
                signal.signal(number, _interrupt)


def status_of_interrupt() -> int:
    """Return the exit status after an interrupt: 128 plus the number of the signal."""
    return 128 + _received


_received = signal.SIGINT


def _interrupt(number: int, _frame: FrameType | None) -> None:
    global _received
    _received = signal.Signals(number)
    if _received.name == "SIGHUP":
        # A terminal that closes may send two. The second one must not interrupt the command while
        # it collects the bounds that it has.
        signal.signal(number, signal.SIG_IGN)
    raise KeyboardInterrupt


def _end(_signal: int, _frame: FrameType | None) -> None:
    os.write(2, b"\nsamapprox: interrupted\n")
    os._exit(130)


if _is_command(sys.orig_argv):
    gc.set_threshold(_OBJECTS)
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # if ignored, it stays so
        signal.signal(signal.SIGINT, _end)
