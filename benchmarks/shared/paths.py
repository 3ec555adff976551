"""Folders of the project, and the command that runs a benchmark in a process of its own."""

from __future__ import annotations

import sys
from pathlib import Path

__all__ = ["BENCHMARKS", "DOCS", "MEASURED", "ROOT", "command_of"]

BENCHMARKS = Path(__file__).resolve().parents[1]
MEASURED = BENCHMARKS / "measured"
ROOT = BENCHMARKS.parent
DOCS = ROOT / "docs"


def command_of(name: str, *arguments: str) -> list[str]:
    """Return the command line of the benchmark `name`."""
    return [sys.executable, str(BENCHMARKS), name, *arguments]
