"""No command writes over what it reads, nor twice to one file."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from samapprox.batch import Question, run
from samapprox.cli.main import cli


@pytest.fixture(scope="module")
def answered(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a set of patterns and a result file about them, to be copied."""
    folder = tmp_path_factory.mktemp("answered")
    (folder / "set").mkdir()
    (folder / "set" / "p.txt").write_text("10\n01\n")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        run(["set"], Question("decide", d=1), "r.sqlite", jobs=1)
    return folder


@pytest.mark.parametrize(
    "command",
    [
        "report r.sqlite -o r.sqlite",
        "report r.sqlite -o link.sqlite",
        "report r.sqlite -o ./set/../r.sqlite",
        "approximate a.npz --output a.npz",
        "approximate --weak s.npz --output s.npz",
        "approximate a.npz --frontier --ranks none --plot a.png",
        "batch set --results new.xml --junit new.xml",
        "batch set --results r.sqlite --summary r.sqlite",
        "batch set --results new.sqlite --expect r.sqlite --junit r.sqlite",
        "batch s.npz --results s.npz",
        "binarize a.npz --uniform --output a.npz",
        "plot s.npz --output s.png",
        "decide s.npz --certificate s.npz",
        "dim s.npz --yes s.npz",
        "dim s.npz --no ./set/../s.npz",
        "dim s.npz --yes new.json --no ./set/../new.json",
        "batch set --results new.sqlite --junit new.xml --summary new.xml",
        "encode s.npz --to dimacs --output s.npz",
        "reduce attention-to-pattern a.npz --rule unif --output a.npz",
        "decode s.npz a.npz --encoding r.sqlite --certificate s.npz",
        "furthest s.npz --graph star --plot s.png",
    ],
)
def test_what_is_read_is_not_written_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answered: Path, command: str
) -> None:
    shutil.copytree(answered, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    np.savez("a.npz", A=np.full((3, 3), 1 / 3))
    np.savez("s.npz", S=np.eye(3, dtype=np.int64))
    for file, link in (("r.sqlite", "link.sqlite"), ("a.npz", "a.png"), ("s.npz", "s.png")):
        os.link(file, link)
    before = {path: path.read_bytes() for path in Path().rglob("*") if path.is_file()}
    result = CliRunner().invoke(cli, command.split())
    assert result.exit_code == 2, result.output
    assert "name another file" in result.stderr
    assert {path: path.read_bytes() for path in Path().rglob("*") if path.is_file()} == before


def test_a_device_takes_several_things() -> None:
    arguments = ["dim", "-", "--yes", os.devnull, "--no", os.devnull]
    assert CliRunner().invoke(cli, arguments, input="100\n010\n001\n").exit_code == 0
