"""Certificates and pictures are written even if nobody reads the answer."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.parametrize(
    ("arguments", "names"),
    [
        (["decide", "-", "--certificate", "a"], ["a"]),
        (["dim", "-", "--yes", "a", "--no", "b"], ["a", "b"]),
        (["fit", "-", "--yes", "a", "--no", "b"], ["a", "b"]),
        (["fit", "-", "--curve", "-o", "a.svg"], ["a.svg"]),
        (["margin", "-", "--json", "--yes", "a", "--no", "b"], ["a", "b"]),
        (["rank", "-", "--yes", "a", "--no", "b"], ["a", "b"]),
    ],
)
def test_files_are_written_where_the_reader_of_the_answer_is_gone(
    arguments: list[str], names: list[str], tmp_path: Path
) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    try:
        done = subprocess.run(
            [sys.executable, "-m", "samapprox", *arguments],
            cwd=tmp_path,
            input="100\n010\n001\n",
            stdout=writer,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    finally:
        os.close(writer)
    assert done.returncode == 0, done.stderr
    assert all((tmp_path / name).stat().st_size > 100 for name in names)
