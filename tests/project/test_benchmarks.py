"""Benchmarks start: each imports, and names its parts; none harms what is there."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module
from pathlib import Path

import make_data
import pytest
from helpers.paths import ROOT


@pytest.mark.parametrize("name", sorted(path.stem for path in (ROOT / "benchmarks").glob("*.py")))
def test_every_benchmark_can_be_imported(name: str) -> None:
    assert import_module(name).__doc__


@pytest.mark.parametrize("name", ["approximate", "batch", "line"])
def test_a_benchmark_names_its_parts(name: str) -> None:
    program = [sys.executable, str(ROOT / "benchmarks" / f"{name}.py"), "nothing"]
    done = subprocess.run(program, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "there is no part 'nothing'; there are: " in done.stderr


def test_shipped_data_survives_a_wrong_source(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shipped = tmp_path / "data" / "minilm" / "p.npz"
    shipped.parent.mkdir(parents=True)
    shipped.touch()
    monkeypatch.setattr(make_data, "DATA", tmp_path / "data")
    with pytest.raises(SystemExit, match="has no folder minilm/"):
        make_data.main(tmp_path)
    assert shipped.exists()
