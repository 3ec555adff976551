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
