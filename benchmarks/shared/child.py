"""Commands in fresh processes: what they print, how long they take, how much memory at most."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import IO

__all__ = ["Child", "median_seconds", "run"]


@dataclass(frozen=True, slots=True)
class Child:
    """A process that has ended.

    Attributes
    ----------
    status : int
        Exit status; negative where a signal ended it.
    output, errors : str
    seconds : float
        Wall-clock time from start to end, the interpreter's included.
    processor_seconds : float
    gigabytes : float
        Peak resident memory of the process and those that it waited for.
    """

    status: int
    output: str
    errors: str
    seconds: float
    processor_seconds: float
    gigabytes: float


def run(
    arguments: Sequence[str], *, most_seconds: float, environment: Mapping[str, str] | None = None
) -> Child:
    """Run `samapprox` in a process of its own, ended after `most_seconds`.

    Parameters
    ----------
    arguments : sequence of str
        Of the command line.
    most_seconds : float
    environment : mapping of str to str, optional
        Variables to set in addition.

    Examples
    --------
    >>> run(["--version"], most_seconds=60).status
    0
    """
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        start = time.perf_counter()
        process = subprocess.Popen(
            [sys.executable, "-m", "samapprox", *arguments],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=errors,
            env={**os.environ, **(environment or {})},
        )
        watch = threading.Timer(most_seconds, process.kill)
        watch.start()
        _, status, usage = os.wait4(process.pid, 0)  # the memory of this child, not of all
        seconds = time.perf_counter() - start
        watch.cancel()
        process.returncode = os.waitstatus_to_exitcode(status)
        printed, said = (_read(stream) for stream in (output, errors))
    worked = usage.ru_utime + usage.ru_stime
    return Child(process.returncode, printed, said, seconds, worked, usage.ru_maxrss / 2**20)


def median_seconds(*arguments: str) -> tuple[float, float]:
    """Return wall-clock and processor seconds of a command, medians of three runs.

    A first run, which may compile, does not count.

    Raises
    ------
    RuntimeError
        The command fails.
    """
    runs = [run(arguments, most_seconds=600) for _ in range(4)][1:]
    for child in runs:
        if child.status:
            raise RuntimeError(f"{' '.join(arguments)}: {child.errors}")
    return median(child.seconds for child in runs), median(
        child.processor_seconds for child in runs
    )


def _read(stream: IO[bytes]) -> str:
    """All that was written to a temporary file."""
    stream.seek(0)
    return stream.read().decode()
