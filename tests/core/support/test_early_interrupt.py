"""Interrupts and garbage while the command still imports its modules."""

from __future__ import annotations

import subprocess
import sys

import pytest

SCRIPT = """
import gc, signal, sys
signal.signal(signal.SIGINT, getattr(signal, sys.argv[1]))
sys.orig_argv = sys.argv[2:]
import samapprox.support.early_interrupt as early
handlers = {signal.SIG_IGN: "ignored", signal.default_int_handler: "raised", early._end: "ended"}
before = handlers[signal.getsignal(signal.SIGINT)]
early.leave_interrupts_to_command()
print(before, handlers[signal.getsignal(signal.SIGINT)], gc.get_threshold()[0] > 2_000)
"""


@pytest.mark.parametrize(
    ("handler", "arguments", "expected"),
    [
        ("default_int_handler", ["python3", "-m", "samapprox"], "ended raised True"),
        ("default_int_handler", ["python3", "benchmarks"], "raised raised False"),
        ("SIG_IGN", ["python3", "-m", "samapprox"], "ignored ignored True"),
    ],
    ids=["command", "library", "nohup"],
)
def test_only_the_command_changes_the_process(
    handler: str, arguments: list[str], expected: str
) -> None:
    command = [sys.executable, "-c", SCRIPT, handler, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == expected


HUNG_UP = """
import os, signal, sys
signal.signal(signal.SIGHUP, signal.SIG_DFL)  # tests may run under nohup
sys.orig_argv = ["python3", "-m", "samapprox"]
from samapprox.support.early_interrupt import leave_interrupts_to_command, status_of_interrupt
leave_interrupts_to_command()
try:
    os.kill(os.getpid(), signal.SIGHUP)
except KeyboardInterrupt:
    os.kill(os.getpid(), signal.SIGHUP)
    print("bounds so far", status_of_interrupt())
"""


def test_a_terminal_may_hang_up_twice() -> None:
    command = [sys.executable, "-c", HUNG_UP]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == "bounds so far 129\n"
