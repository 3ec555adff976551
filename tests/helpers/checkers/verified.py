"""The verified checker, built from the committed extraction: many certificates in one process."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import pytest

from helpers.checkers.second_checker import Answer, Case
from helpers.paths import ROOT

__all__ = ["NOT_COVERED", "verified_answers", "verified_checker"]

NOT_COVERED = 3
FOLDER = ROOT / "verified"


@cache
def _build() -> Path | None:
    """Return the path of the program, or None where OCaml or zarith is missing."""
    ocamlfind = shutil.which("ocamlfind")
    query = [str(ocamlfind), "query", "-qe", "zarith"]
    if ocamlfind is None or subprocess.run(query, capture_output=True, check=False).returncode != 0:
        return None
    made = subprocess.run(["make", "-C", FOLDER], capture_output=True, text=True, check=False)
    assert made.returncode == 0, made.stderr[-2000:]
    return FOLDER / "samapprox-check"


def verified_checker() -> str:
    """Return the path of the program; where OCaml or zarith is missing, the test is skipped."""
    found = _build()
    if found is None:
        pytest.skip("no ocamlfind or zarith here: the verified checker is not built")
    return str(found)


def verified_answers(cases: Sequence[Case]) -> list[Answer]:
    """Check certificates by the verified checker; status 3 says that it does not cover the kind."""
    requests = [{"pattern": case.pattern, "certificate": case.certificate} for case in cases]
    finished = subprocess.run(
        [verified_checker(), "--requests"],
        input="".join(json.dumps(request) + "\n" for request in requests),
        capture_output=True,
        text=True,
        timeout=570,
        check=False,
    )
    assert finished.returncode == 0, finished.stderr[-2000:]
    lines = finished.stdout.removesuffix("\n").split("\n")
    assert len(lines) == len(cases)
    return [Answer(int(line[0]), line[2:]) for line in lines]
