"""Every module, folder and file that a text mentions is there: no text outlives a move."""

from __future__ import annotations

import re
import tokenize
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest
from helpers.paths import ROOT

from samapprox import schemas
from samapprox.proofs import KNOWN_KINDS
from samapprox.solvers.engine.portfolio import STRATEGIES

TOPS = ("attention", "batch", "benchmarks", "cli", "core", "data", "docs")
TOPS += ("reductions", "solvers", "tests", ".ci")

TEXTS = sorted(
    path
    for pattern in (
        "*.md",
        "docs/**/*.md",
        "docs/**/*.ipynb",
        "docs/ci/*",
        "pyproject.toml",
        ".ci/*",
    )
    for path in ROOT.glob(pattern)
    if path.is_file() and path.suffix != ".pyc" and path.name != "CHANGELOG.md"
)
"""Files that describe the present tree; the changelog also names modules that have moved."""

MODULES = sorted(path for top in TOPS for path in (ROOT / top).rglob("*.py"))
FILES = {path.name for path in MODULES}

_PATH = re.compile(rf"(?<![\w./-])(?:{'|'.join(map(re.escape, TOPS))})(?:/[\w.-]+)*/[\w.-]*")
_SCHEMA = re.compile(r"`samapprox schema ([\w-]+)`")
_BENCHMARK = re.compile(r"\bpython benchmarks ([\w.]+)")
_FILE = re.compile(r"(?<![\w./-])[a-z]\w*\.py\b")
_NAME = re.compile(r"(?<![\w./])samapprox((?:\.[A-Za-z]\w*)+)(?!\w)")

RECIPES = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
TO_BE_WRITTEN = set(re.findall(r"^# ([\w/]+\.py)$", RECIPES, flags=re.MULTILINE))
"""The files that the recipes of CONTRIBUTING write."""

NAMES_TO_COME = {
    "samapprox." + path.removeprefix("core/").removesuffix(".py").replace("/", ".")
    for path in TO_BE_WRITTEN
}
INVENTED = {"samapprox.x.y", "samapprox.sqlite", "samapprox.solvers.nothing"}
INVENTED |= {
    "serving.py",
    "collecting.py",
    "parent.py",
    "late.py",
    "own.py",
    "numpy.py",
}  # written by tests
"""Names that look like modules of the tree and are none."""


def is_there(path: str) -> bool:
    """Whether a path from the root leads to something, now or after a recipe."""
    path = path.rstrip(".")
    return path in TO_BE_WRITTEN or (ROOT / path).exists()


@cache
def is_defined(name: str) -> bool:
    """Whether a dotted name leads to a module or to what a module has."""
    if name in NAMES_TO_COME:
        return True
    parts = name.split(".")
    known = 1
    while known < len(parts) and _is_module(".".join(parts[: known + 1])):
        known += 1
    found = import_module(".".join(parts[:known]))
    for part in parts[known:]:
        if not hasattr(found, part):
            return part in getattr(found, "__slots__", ())
        found = getattr(found, part)
    return True


def _is_module(name: str) -> bool:
    try:
        return find_spec(name) is not None
    except ModuleNotFoundError:
        return False


def prose(path: Path) -> str:
    """The comments and strings of a module, docstrings among them; all of any other text."""
    if path.suffix != ".py":
        return path.read_text(encoding="utf-8")
    with path.open("rb") as stream:
        kinds = (tokenize.COMMENT, tokenize.STRING)
        return "\n".join(
            token.string for token in tokenize.tokenize(stream.readline) if token.type in kinds
        )


def stale(text: str) -> list[str]:
    """The references in a text that lead nowhere."""
    found = [
        path
        for path in _PATH.findall(text)
        if path.endswith((".py", ".md", "/")) and not is_there(path)
    ]
    found += [
        name
        for name in _BENCHMARK.findall(text)
        if not (ROOT / "benchmarks" / f"{name.replace('.', '/')}.py").exists()
    ]
    found += [
        file
        for file in _FILE.findall(text)
        if file not in FILES | INVENTED | {Path(path).name for path in TO_BE_WRITTEN}
    ]
    found += [
        f"schema {name}"
        for name in _SCHEMA.findall(text)
        if name not in ("KIND", "NAME", *schemas.names())
    ]
    names = {f"samapprox{rest}" for rest in _NAME.findall(text)} - INVENTED
    return found + sorted(name for name in names if not is_defined(name))


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_texts_mention_what_is_there(path: Path) -> None:
    assert stale(prose(path)) == []


@pytest.mark.parametrize("top", TOPS)
def test_docstrings_and_comments_mention_what_is_there(top: str) -> None:
    found = {
        str(path.relative_to(ROOT)): missing
        for path in MODULES
        if path.is_relative_to(ROOT / top) and path != Path(__file__)
        # Few modules are read token by token: those whose code or prose has such a reference.
        if stale(path.read_text(encoding="utf-8")) and (missing := stale(prose(path)))
    }
    assert found == {}


@pytest.mark.parametrize(
    "text",
    [
        "see `core/weak_dimension.py`",
        "in table.py",
        "`python benchmarks dimensions.nothing --page`",
        "below `core/nowhere/`",
        "as `samapprox.pattern.as_nothing` has it",
        "`samapprox.proofs.nowhere`",
        "`samapprox schema nothing`",
    ],
)
def test_what_leads_nowhere_is_found(text: str) -> None:
    assert stale(text)


def first_column(page: str, head: str) -> list[str]:
    """The names in the first column of a page's table with this head."""
    text = (ROOT / "docs" / page).read_text(encoding="utf-8").partition(f"\n| {head} |")[2]
    rows = text.partition("\n\n")[0].splitlines()[2:]
    return [re.findall("`([^`]+)`", row)[0] for row in rows]


def test_the_strategies_are_documented_in_their_order() -> None:
    pages = "theory/strategies.md", "theory/similarities.md", "theory/values.md"
    documented = [name for page in pages for name in first_column(page, "strategy")]
    names = [record.name for record in STRATEGIES if record.default]
    assert [name for name in documented if name in names] == names
    assert set(documented) <= {record.name for record in STRATEGIES}


def test_the_kinds_of_proof_are_documented() -> None:
    assert set(first_column("theory/certificates.md", "kind")) == set(KNOWN_KINDS)
