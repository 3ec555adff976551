"""Packages that are not there, optional ones and dependencies."""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

import numpy as np
import pytest
from helpers.commands import refused, run
from helpers.paths import ROOT
from helpers.programs.light import run_light

from samapprox import save
from samapprox.errors import InputError, MissingPackageError
from samapprox.pattern import Pattern
from samapprox.solvers.engine.portfolio import MODULES
from samapprox.support.packages import PACKAGES, name_missing_packages, require_package

IMPORT = re.compile(r"^\s*(?:from|import) ([\w.]+)", re.MULTILINE)


def test_a_package_is_imported_whole() -> None:
    assert require_package("os.path", "none", "A path").__name__ in ("posixpath", "ntpath")


def test_a_missing_package_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("torch", "torch.nn"):
        monkeypatch.setitem(sys.modules, name, None)
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


# ---------------------------------------------------------------- dependencies

DEPENDENCIES = {
    re.match(r"[\w-]+", line)[0]  # type: ignore[index]
    for line in tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]
}


def test_every_dependency_can_be_named() -> None:
    assert set(PACKAGES.values()) == DEPENDENCIES


def test_solvers_name_all_that_they_import() -> None:
    """So that one installation is enough."""
    imported = {
        module if module.startswith("samapprox.") else module.partition(".")[0]
        for path in (ROOT / "solvers").rglob("*.py")
        if path.parent.name != "vectors" and path.stem != "algorithm1"
        for module in IMPORT.findall(path.read_text(encoding="utf-8"))
    }
    if "samapprox.support.jit" in imported:
        imported.add("numba")
    assert imported & PACKAGES.keys() - {"numpy"} == set(MODULES)


def test_all_that_are_missing_are_named_at_once(tmp_path: Path) -> None:
    pattern = Pattern.from_array(np.random.default_rng(0).integers(0, 2, (17, 17)))
    save(pattern, tmp_path / "p.npz")
    questions = (
        ["decide", "p.npz", "-d", "3"],
        ["dim", "p.npz"],
    )
    done, _ = run_light(questions, tmp_path, hidden=["numba", "llvmlite", "pysat", "scipy"])
    for one in done:
        assert one.exit_code == 2
        assert one.stderr.count("\n") == 1
        assert "needs numba, python-sat, scipy: pip install numba python-sat scipy\n" in one.stderr


def test_other_modules_are_mistakes_of_their_own() -> None:
    with pytest.raises(ModuleNotFoundError), name_missing_packages("a proof"):
        raise ModuleNotFoundError("No module named 'spam'", name="spam")


def test_no_file_is_blamed() -> None:
    error = MissingPackageError("a picture needs matplotlib: pip install matplotlib")
    assert error.within("p.npz") is error
    assert isinstance(error, ImportError)


def test_a_command_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    save(Pattern.from_array(np.eye(3, dtype=np.int8)), "p.npz")
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    refused(run("plot", "p.npz", "-o", "p.png"), "needs matplotlib: pip install matplotlib")
