"""Files that cannot be written are refused before anything is read, those that can be are whole."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from samapprox import Pattern, data, decide, save
from samapprox.cli.main import cli

YES = str(data.path("minilm/s02_L4_H10_unif_n11.npz"))
SAMAPPROX = Path(sys.executable).with_name("samapprox")

PICTURES = [
    "plot missing.npz --dim --output {}",
    "graph draw missing.npz --output {}",
    "furthest missing.npz --graph star --plot {}",
    "approximate missing.npz --frontier --plot {}",
]
LAYERS = ["approximate missing.npz --output {}", "approximate --weak missing.npz --output {}"]
FILES = [
    "decide missing.npz --certificate {}",
    "dim missing.npz --yes {}",
    "dim missing.npz --no {}",
    "decode missing.npz missing --encoding missing --certificate {}",
    "encode missing.npz -d 1 --to dimacs --output {}",
    "reduce attention-to-pattern missing.npz --rule unif --output {}",
    "report missing.sqlite --output {}",
    "batch missing --junit {}",
    "batch missing --summary {}",
]
EXPORTS = ["batch missing --export {}"]


@pytest.mark.parametrize("command", [*PICTURES, *LAYERS, *EXPORTS])
@pytest.mark.parametrize("name", ["p.xyz", "p", ".png", "p.npz.gz"])
def test_an_unknown_ending_is_refused_before_anything_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str, name: str
) -> None:
    monkeypatch.chdir(tmp_path)
    refused(command.format(name), f"{name}: ", " are ")


@pytest.mark.parametrize(
    ("command", "ending"),
    [
        *((command, ".png") for command in PICTURES),
        *((command, ".safetensors") for command in LAYERS),
        *((command, ".csv") for command in EXPORTS),
        *((command, "") for command in FILES),
    ],
)
def test_a_place_that_is_none_is_refused_before_anything_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str, ending: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path(f"folder{ending}").mkdir()
    Path(f"one{ending}").symlink_to(f"other{ending}")
    Path(f"other{ending}").symlink_to(f"one{ending}")
    Path("file").touch()
    Path(f"away{ending}").symlink_to(f"no/such/file{ending}")
    for name, said in (
        (f"folder{ending}", "is a directory"),
        (f"no/folder{ending}", "there is no such folder"),
        (f"file/p{ending}", "there is no such folder"),
        (f"away{ending}", "there is no such folder"),
        (f"{'a' * 300}{ending}", "too long"),
    ):
        refused(command.format(name), f"{name}: ", said)
    if sys.version_info < (3, 13):  # later ones put the file in place of a link of the circle
        refused(command.format(f"one{ending}"), f"one{ending}: ", "loop")


def refused(command: str, name: str, said: str) -> None:
    before = sorted(Path().iterdir())
    result = CliRunner().invoke(cli, command.split())
    assert result.exit_code == 2, result.output
    assert result.stderr.startswith(f"samapprox: error: {name}")
    assert said in result.stderr
    assert result.stderr.count("\n") == 1
    assert result.stdout == ""
    assert sorted(Path().iterdir()) == before


def test_a_link_to_a_file_that_is_not_there_yet_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "link.json").symlink_to("new.json")
    done = CliRunner().invoke(cli, ["decide", YES, "--certificate", str(tmp_path / "link.json")])
    assert done.exit_code == 0
    assert (tmp_path / "link.json").is_symlink()
    assert json.loads((tmp_path / "new.json").read_text())["answer"] == "YES"


@pytest.mark.skipif(not Path("/dev/stdout").exists(), reason="needs /dev/stdout")
def test_standard_output_can_be_named_even_where_it_is_a_pipe() -> None:
    command = [SAMAPPROX, "decide", YES, "--json", "--certificate", "/dev/stdout"]
    done = subprocess.run(command, capture_output=True, check=True)
    _, certificate = done.stdout.splitlines()
    assert json.loads(certificate)["format"] == "samapprox-certificate"


# ---------------------------------------------------------------- a certificate in another's place


@pytest.mark.parametrize("ending", [".csv", ".npz"])
@pytest.mark.parametrize(
    "command", ["verify {} {}", "export {} {} --cnf a.cnf --proof a.drat", "verify {} {} --json"]
)
def test_swapped_arguments_are_named(
    command: str, ending: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    pattern = f"p{ending}"
    save(Pattern.from_array(np.eye(3)), pattern)
    decide([[1, 0, 0], [0, 1, 0], [0, 0, 1]]).certificate.save("no.json")
    refused(
        command.format("no.json", pattern),
        "no.json",
        f"is a certificate and {pattern} is none: the order is PATTERN CERTIFICATE, here {pattern} "
        "no.json",
    )


@pytest.mark.parametrize(
    "command",
    [
        "decide c.json",
        "dim c.json",
        "fit c.json -d 1",
        "rank c.json",
        "margin c.json",
        "show c.json",
        "plot c.json -o c.png",
        "encode c.json --to smtlib",
        "verify c.json c.json",
        "batch c.json",
    ],
)
def test_a_certificate_is_no_pattern(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    decide([[1, 0, 0], [0, 1, 0], [0, 0, 1]]).certificate.save("c.json")
    refused(command, "c.json: this is a certificate, not a pattern", "")
