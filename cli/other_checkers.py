"""Other checkers: programs that read a pattern and a certificate, and exit with a status."""

from __future__ import annotations

import shlex
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

from samapprox import Certificate, Pattern
from samapprox.errors import InputError

__all__ = ["NOT_COVERED", "ask_checker"]

NOT_COVERED = 3
"""The exit status of a checker that does not cover the kind of a proof."""

_STATUSES = (0, 1, 2, NOT_COVERED)


def ask_checker(command: str, pattern: Pattern, certificate: Certificate) -> tuple[int, str]:
    """Return the exit status of a checker, and what it prints."""
    with TemporaryDirectory(prefix="samapprox-") as folder:
        text, document = Path(folder, "pattern.txt"), Path(folder, "certificate.json")
        text.write_text(pattern.to_text() + "\n", encoding="utf-8")
        certificate.save(document)
        return _run(command, text, document)


def _run(command: str, text: Path, document: Path) -> tuple[int, str]:
    """Run the checker on two files."""
    program = [*shlex.split(command), str(text), str(document)]
    try:
        finished = subprocess.run(program, capture_output=True, text=True, check=False)
    except OSError as error:
        raise InputError(f"--with {command}: {error.strerror}") from None
    words = (finished.stdout or finished.stderr).strip()
    if finished.returncode not in _STATUSES:
        raise InputError(f"--with {command}: it ended with status {finished.returncode}: {words}")
    return finished.returncode, words
