"""The installed package has the tree's modules, and imports nothing heavier than it must."""

from __future__ import annotations

import ast
import tomllib
from importlib import import_module
from importlib.metadata import version

import pytest
from check_wheel import packages
from helpers.paths import ROOT

import samapprox
from samapprox.attention.graphs import GRAPHS
from samapprox.attention.transformers.maps import MAPS
from samapprox.cli.main import PLACES
from samapprox.reductions.encodings import ENCODINGS
from samapprox.reductions.encodings.header import Encoding
from samapprox.solvers.engine.portfolio import STRATEGIES

SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text())
SHIPPED = packages()
NOT_SHIPPED = {"tests", "benchmarks", "docs"}


def test_every_package_is_listed() -> None:
    """A package that setuptools is not told of is missing from the wheel."""
    folders = {
        path.parent.relative_to(ROOT).as_posix()
        for path in ROOT.glob("*/**/__init__.py")
        if not any(part.startswith(".") or part == "build" for part in path.parts[:-1])
    }
    shipped = {path.relative_to(ROOT).as_posix() for path in SHIPPED.values()}
    scripts = ("tests/", "benchmarks/")
    assert shipped == {folder for folder in folders if not folder.startswith(scripts)}


def test_every_folder_is_shipped_or_known_not_to_be() -> None:
    with_code = {
        path.relative_to(ROOT).parts[0]
        for path in ROOT.glob("*/**/*.py")
        if not path.relative_to(ROOT).parts[0].startswith(".")
    }
    top = {path.relative_to(ROOT).parts[0] for path in SHIPPED.values()}
    assert with_code - {"build", "dist"} <= top | NOT_SHIPPED


def test_the_version_is_one() -> None:
    assert version("samapprox") == samapprox.__version__
    assert f"version: {samapprox.__version__}\n" in (ROOT / "CITATION.cff").read_text()


@pytest.mark.parametrize(
    "place",
    [
        *(f"{record.module}:find_proof" for record in STRATEGIES),
        *GRAPHS.values(),
        *MAPS.values(),
        *PLACES.values(),
    ],
)
def test_import_strings_lead_somewhere(place: str) -> None:
    module, _, name = place.partition(":")
    assert callable(getattr(import_module(module), name))


@pytest.mark.parametrize("place", ENCODINGS.values())
def test_encodings_lead_somewhere(place: str) -> None:
    module, _, name = place.partition(":")
    assert isinstance(getattr(import_module(module), name), Encoding)


LAYERS = {
    "samapprox": set(),
    "samapprox.formats": {"samapprox"},
    "samapprox.solvers": {"samapprox", "samapprox.formats"},
    "samapprox.attention": {"samapprox", "samapprox.formats"},
    "samapprox.data": {"samapprox"},
    "samapprox.reductions": {
        "samapprox",
        "samapprox.formats",
        "samapprox.attention",
        "samapprox.solvers",
    },
    "samapprox.batch.results": {"samapprox"},
    "samapprox.batch.sets": {
        "samapprox",
        "samapprox.formats",
        "samapprox.reductions",
        "samapprox.batch.results",
    },
    "samapprox.batch.workers": {
        "samapprox",
        "samapprox.attention",
        "samapprox.reductions",
        "samapprox.solvers",
        "samapprox.batch.results",
        "samapprox.batch.sets",
    },
    "samapprox.batch.report": {"samapprox", "samapprox.batch.results"},
    "samapprox.batch.heads": {
        "samapprox",
        "samapprox.attention",
        "samapprox.batch",
        "samapprox.batch.report",
        "samapprox.batch.results",
        "samapprox.batch.sets",
    },
    "samapprox.batch": {
        "samapprox",
        "samapprox.batch.results",
        "samapprox.batch.sets",
        "samapprox.batch.workers",
    },
    "samapprox.cli": set(SHIPPED),
}
"""Package -> the packages that it may import from."""

OFFERS = {"core/__init__.py", "core/__main__.py", "core/verification.py"}
"""Files that put the public interface together from packages above core, or start the command."""


def layer(module: str) -> str:
    return max((name for name in LAYERS if f"{module}.".startswith(f"{name}.")), key=len)


def test_imports_point_one_way() -> None:
    for package, folder in SHIPPED.items():
        for path in folder.glob("*.py"):
            if path.relative_to(ROOT).as_posix() in OFFERS:
                continue
            for node in ast.walk(ast.parse(path.read_text())):
                if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("samapprox"):
                    source, own = layer(str(node.module)), layer(package)
                    assert source == own or source in LAYERS[own], (path, node.module)
