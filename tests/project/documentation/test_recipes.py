"""CONTRIBUTING's recipes, carried out in a copy of the tree: few files, and the command knows."""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
from check_wheel import settings
from helpers.paths import ROOT

CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")

RECIPES = CONTRIBUTING.partition("\n## Recipes\n")[2].partition("\n## ")[0]
NAMES = re.findall(r"^### (.+)$", RECIPES, flags=re.MULTILINE)

MOST_FILES = dict.fromkeys(NAMES, 2) | {"A kind of refutation": 4}


@dataclass(frozen=True)
class Block:
    """A fenced block of a recipe.

    The first line says where the rest belongs: ``# path`` (of JavaScript and JSON ``// path``)
    starts a file, ``# path: NAME`` adds entries to the table that is assigned to NAME there.
    """

    language: str
    text: str

    @property
    def place(self) -> tuple[str, str | None]:
        head = self.text.partition("\n")[0].removeprefix("# ").removeprefix("// ")
        path, _, table = head.partition(": ")
        return path, table or None


def recipe(name: str) -> list[Block]:
    section = RECIPES.partition(f"\n### {name}\n")[2].partition("\n### ")[0]
    fenced = re.findall(r"^```(\w+)\n(.*?)^```$", section, flags=re.DOTALL | re.MULTILINE)
    return [Block(language, text) for language, text in fenced]


def write(block: Block, tree: Path) -> None:
    path, table = block.place
    if table is None:
        assert not (tree / path).exists(), path
        (tree / path).parent.mkdir(parents=True, exist_ok=True)
        (tree / path).write_text(block.text.partition("\n")[2], encoding="utf-8")
        return
    lines = (tree / path).read_text(encoding="utf-8").splitlines()
    at = end_of(table, lines)
    lines[at:at] = block.text.splitlines()[1:]
    (tree / path).write_text("\n".join(lines) + "\n", encoding="utf-8")


def end_of(table: str, lines: list[str]) -> int:
    """The line of the bracket that closes the table."""
    for node in ast.parse("\n".join(lines)).body:
        targets = node.targets if isinstance(node, ast.Assign) else []
        if isinstance(node, ast.AnnAssign):
            targets = [node.target]
        if any(isinstance(target, ast.Name) and target.id == table for target in targets):
            assert node.end_lineno is not None
            return node.end_lineno - 1
    raise AssertionError(f"no table {table}")


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A copy of the packages, compiled modules among them, importable as when installed."""
    folders: dict[str, str] = settings()["package-dir"]
    copy = tmp_path / "copy"
    unused = shutil.ignore_patterns("*.npz", "*.pyc.*")  # the latter are still being written
    for folder in folders.values():
        shutil.copytree(ROOT / folder, copy / folder, ignore=unused)
    for package, folder in folders.items():
        place = tmp_path / "site" / package.replace(".", "/")
        if not place.exists():
            place.parent.mkdir(parents=True, exist_ok=True)
            place.symlink_to(copy / folder)
    return copy


def run(line: str, tree: Path) -> str:
    """Return what a shell line prints, where `samapprox` is the copy's command."""
    tools, work = tree.parent / "tools", tree.parent / "work"
    tools.mkdir(exist_ok=True)
    if not work.exists():
        work.mkdir()
        (work / "core").symlink_to(tree / "core")
    for name, call in (("python", ""), ("samapprox", "-m samapprox")):
        (tools / name).write_text(f'#!/bin/sh\nexec "{sys.executable}" {call} "$@"\n')
        (tools / name).chmod(0o755)
    paths = {
        "PATH": f"{tools}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(tree.parent / "site"),
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    done = subprocess.run(
        ["sh", "-c", line],
        cwd=work,
        env={**os.environ, **paths},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, (line, done.stdout, done.stderr)
    return done.stdout


def test_the_page_counts_the_files_of_each_recipe() -> None:
    rows = re.findall(r"^\| (.+?) \| (\d+) \| (\d+) \|$", RECIPES, flags=re.MULTILINE)
    counted = []
    for name in NAMES:
        places = {block.place for block in recipe(name) if block.language != "console"}
        edited = {path for path, table in places if table is not None}
        new = {path for path, table in places if table is None}
        assert not new & edited
        assert len(new | edited) <= MOST_FILES[name]
        assert all((ROOT / path).exists() == (path in edited) for path in new | edited)
        counted.append((name.lower(), str(len(new)), str(len(edited))))
    assert counted
    assert rows == counted


@pytest.mark.parametrize("name", NAMES)
def test_recipes_do_what_they_say(name: str, tree: Path) -> None:
    blocks = recipe(name)
    written = [block for block in blocks if block.language != "console"]
    printed = [block.text for block in blocks if block.language == "console"]
    assert printed
    for block in written:
        write(block, tree)
    for step in re.split(r"^\$ ", "".join(printed), flags=re.MULTILINE)[1:]:
        command, _, expected = step.partition("\n")
        if not command.startswith("node ") or shutil.which("node"):
            assert run(command, tree).strip() == expected.strip(), command


VERIFY_STORED = """
import json, sys
from samapprox import Certificate, Pattern
for stored in json.load(open(sys.argv[1])).values():
    certificate = Certificate.from_json(json.loads(stored["document"]))
    print(certificate.verify(Pattern.from_text(chr(10).join(stored["pattern"]))).reason)
"""


def test_the_stored_document_of_the_kind_is_valid(tree: Path) -> None:
    blocks = [block for block in recipe("A kind of refutation") if block.language != "console"]
    for block in blocks:
        write(block, tree)
    (path,) = (tree / block.place[0] for block in blocks if block.language == "json")
    (tree / "verify.py").write_text(VERIFY_STORED)
    assert run(f'python "{tree}/verify.py" "{path}"', tree).strip() == "NO for d = 1"


def test_the_copy_is_what_runs(tree: Path) -> None:
    script = "import samapprox, samapprox.solvers as s; print(samapprox.__file__, s.__file__)"
    found = run(f'"{sys.executable}" -c "{script}"', tree).split()
    assert len(found) == 2
    assert all(str(tree.parent) in path for path in found)
