"""Values that shells complete, as click's own completion finds them."""

from __future__ import annotations

import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from click.shell_completion import ShellComplete

from samapprox import schemas
from samapprox.attention.approximation.known_methods import METHODS
from samapprox.attention.graphs import GRAPHS
from samapprox.attention.transformers.maps import MAPS
from samapprox.attention.vectors.furthest_vectors import KERNELS
from samapprox.batch import TASKS
from samapprox.cli.main import COMMANDS, cli
from samapprox.cli.values import PATTERN_ENDINGS
from samapprox.formats import FORMATS
from samapprox.precision import EMBEDDING_FORMATS
from samapprox.reductions import REDUCTIONS, vectors
from samapprox.reductions.encodings import ENCODINGS
from samapprox.reductions.families import FAMILIES
from samapprox.similarities import VALUE_SETS
from samapprox.solvers.engine.portfolio import STRATEGIES

FILES = ("p.npz", "p.txt", "p.csv.gz", "c.json", "r.sqlite", "layer.safetensors", "fig.png", "x.md")


def complete(line: str) -> list[str]:
    """The values for the end of a command line."""
    words = shlex.split(line)
    begun = "" if not line or line.endswith(" ") else words.pop()
    completion = ShellComplete(cli, {}, "samapprox", "_SAMAPPROX_COMPLETE")
    return [item.value for item in completion.get_completions(words, begun)]


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in FILES:
        (tmp_path / name).touch()
    for folder in ("sub/deep", ".hidden"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "sub/deep/q.npz").touch()
    (tmp_path / "sub/deep/r.npz").touch()
    monkeypatch.chdir(tmp_path)


NAMES = [record.name for record in STRATEGIES]
"""The strategies for all similarities."""


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("", COMMANDS),
        ("generate ", [*FAMILIES, *vectors.FAMILIES]),
        ("reduce ", REDUCTIONS),
        ("graph ", ["info", "draw", "check", "verify", "build", "copy", "copy-tables"]),
        ("decide p.npz --only ", NAMES),
        ("dim p.npz --without ", NAMES),
        ("show p.npz --format ", [known.name for known in FORMATS]),
        ("decide p.npz --arithmetic ", (*EMBEDDING_FORMATS, *VALUE_SETS)),
        ("decide p.npz --unjudged ", ["zero", "unspecified"]),
        ("schema ", schemas.names()),
        ("encode p.npz --to ", ENCODINGS),
        ("approximate --method ", METHODS),
        ("graph check star --map ", MAPS),
        ("furthest --family ", vectors.FAMILIES),
        ("furthest v.npy --kernel ", KERNELS),
        ("batch --task ", TASKS),
        ("reduce attention-to-pattern a.npy --rule ", ["top5", "min0.1", "unif", "mass90"]),
        ("report r.sqlite --verdict U", ["UNBOUNDED", "UNKNOWN"]),
        ("decide p.npz --only li", ["line"]),
        ("dec", ["decide", "decode"]),
    ],
)
def test_names(line: str, names: object) -> None:
    found = complete(line)
    assert sorted(found) == sorted(names)  # type: ignore[call-overload]


@pytest.mark.parametrize(
    ("line", "files"),
    [
        ("decide ", ["p.csv.gz", "p.npz", "p.txt", "sub/"]),
        ("decide p.n", ["p.npz"]),
        ("decide s", ["sub/deep/q.npz", "sub/deep/r.npz"]),
        ("decide ./p.n", ["./p.npz"]),
        ("decide nowhere/", []),
        ("decide p.npz --certificate ", ["c.json", "sub/"]),
        ("verify p.npz ", ["c.json", "sub/"]),
        ("verify p.npz c.json --embedding ", ["c.json", "p.npz", "sub/"]),
        ("plot p.npz --certificate ", ["c.json", "sub/"]),
        ("plot p.npz --output ", ["fig.png", "sub/"]),
        ("approximate ", ["layer.safetensors", "p.npz", "sub/"]),
        ("approximate --weak ", ["p.csv.gz", "p.npz", "p.txt", "sub/"]),
        ("approximate --sample 8,2,1 --output ", ["layer.safetensors", "p.npz", "sub/"]),
        ("orthogonal ", ["p.npz", "p.txt", "sub/"]),
        ("furthest ", ["p.npz", "p.txt", "sub/"]),
        ("report ", ["r.sqlite", "sub/"]),
        ("batch x --expect ", ["c.json", "r.sqlite", "sub/"]),
        ("batch x --results ", ["r.sqlite", "sub/"]),
        ("reduce orthogonal-to-furthest p.npz --answer ", ["c.json", "sub/"]),
    ],
)
def test_files_have_the_right_endings(line: str, files: list[str]) -> None:
    assert complete(line) == files


def test_names_and_files_together() -> None:
    masks = [*GRAPHS, "p.csv.gz", "p.npz", "p.txt", "sub/"]
    assert complete("graph info ") == masks
    assert complete("furthest v.npy --graph ") == masks
    assert complete("batch line-") == ["line-broken", "line-coupled"]
    assert complete("batch co") == ["coupled"]
    assert complete("batch c.") == ["c.json"]


def test_every_format_is_completed() -> None:
    for known in FORMATS:
        assert set(known.extensions) <= set(PATTERN_ENDINGS)


IMPORTS = """
import sys
from click.shell_completion import ShellComplete
from samapprox.cli.main import cli
ShellComplete(cli, {}, "samapprox", "_SAMAPPROX_COMPLETE").get_completions([], "d")
rooms = ("exchange", "instances", "papers", "pattern")
begin = tuple(f"samapprox.cli.{room}." for room in rooms)
sys.exit(", ".join(name for name in sys.modules if name.startswith(begin)) or 0)
"""


def test_commands_are_completed_without_imports() -> None:
    done = subprocess.run([sys.executable, "-c", IMPORTS], capture_output=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_scripts_for_shells(shell: str) -> None:
    command = Path(sys.executable).with_name("samapprox")
    environment = {"_SAMAPPROX_COMPLETE": f"{shell}_source", "PATH": "/usr/bin:/bin"}
    done = subprocess.run([command], capture_output=True, env=environment, text=True, check=False)
    assert "_SAMAPPROX_COMPLETE" in done.stdout
