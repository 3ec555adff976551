"""The installed command at a terminal of its own."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from fcntl import ioctl
from pathlib import Path
from struct import pack
from termios import TIOCSWINSZ

__all__ = ["SAMAPPROX", "run_at_terminal"]

SAMAPPROX = Path(sys.executable).with_name("samapprox")


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
