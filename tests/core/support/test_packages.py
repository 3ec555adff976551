"""Optional packages that are not there."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
from helpers.commands import refused, run

from samapprox import save
from samapprox.errors import InputError
from samapprox.pattern import Pattern
from samapprox.support.packages import require_package


def test_a_package_is_imported_whole() -> None:
    assert require_package("os.path", "none", "A path").__name__ in ("posixpath", "ntpath")


def test_a_missing_package_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    wanted = r"^a model needs the package torch: pip install 'samapprox\[models\]'$"
    with pytest.raises(InputError, match=wanted):
        require_package("torch.nn", "models", "a model")


@pytest.mark.parametrize(
    ("module", "extra", "options"),
    [
        ("pyarrow", "parquet", ["--export", "r.parquet"]),
        ("distributed", "distributed", ["--cluster"]),
        ("distributed", "distributed", ["--scheduler", "tcp://localhost:1"]),
    ],
)
def test_commands_say_it_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, module: str, extra: str, options: list[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("set").mkdir()
    save(Pattern.from_array(np.eye(3, dtype=np.int8)), "set/p.npz")
    monkeypatch.setitem(sys.modules, module, None)
    refused(run("batch", "set", *options), f"pip install 'samapprox[{extra}]'")
