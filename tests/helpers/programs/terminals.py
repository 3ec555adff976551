"""The installed command at a terminal of its own."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from collections.abc import Sequence
from fcntl import ioctl
from pathlib import Path
from struct import pack
from termios import TIOCSWINSZ

__all__ = ["SAMAPPROX", "run_at_terminal", "run_each_at_terminal"]

SAMAPPROX = Path(sys.executable).with_name("samapprox")

_EACH = """
import json, sys
from samapprox.cli.main import main
for arguments in json.loads(sys.argv[1]):
    sys.argv[1:] = arguments
    try:
        main()
    except SystemExit:
        pass
    print("\\f", flush=True)
"""


def run_at_terminal(
    *arguments: str, command: Path = SAMAPPROX, columns: int = 80, **environment: str
) -> str:
    """Return what a command leaves at a terminal of so many columns: both outputs, no progress.

    Variables of the environment that concern terminals are only those that are given.
    """
    leader, follower = pty.openpty()
    ioctl(follower, TIOCSWINSZ, pack("HHHH", 24, columns, 0, 0))
    ours = ("NO_COLOR", "FORCE_COLOR", "CLICOLOR_FORCE", "COLUMNS", "LINES")
    inherited = {name: value for name, value in os.environ.items() if name not in ours}
    process = subprocess.Popen(
        [command, *arguments],
        stdin=subprocess.DEVNULL,
        stdout=follower,
        stderr=follower,
        env={**inherited, "TERM": "xterm-256color", **environment},
    )
    os.close(follower)
    printed = b""
    while True:
        try:
            part = os.read(leader, 1 << 16)
        except OSError:  # Linux: the other end is closed
            break
        if not part:
            break
        printed += part
    os.close(leader)
    process.wait(timeout=60)
    lines = printed.decode().replace("\r\n", "\n").split("\n")
    return "\n".join(line.rpartition("\r")[2] for line in lines)


def run_each_at_terminal(commands: Sequence[Sequence[str]], **environment: str) -> list[str]:
    """Return what each command leaves at a terminal: all run in one process, one after another."""
    arguments = "-c", _EACH, json.dumps(commands)
    printed = run_at_terminal(*arguments, command=Path(sys.executable), **environment)
    *each, rest = printed.split("\f\n")
    assert (len(each), rest) == (len(commands), ""), printed
    return each
