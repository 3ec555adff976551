"""Matrices of signs at the commands: some read them, the others say in one line which do."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from helpers.commands import refused, run
from jsonschema import Draft202012Validator

from samapprox import schemas

pytestmark = pytest.mark.usefixtures("_in_process")

SHOWN = "+-+-\n-++*\n----"
ENTRIES = np.array([[1, -1, 1, -1], [-1, 1, 1, 1], [-1, -1, -1, -1]], dtype=np.int8)
CARE = np.array([[1, 1, 1, 1], [1, 1, 1, 0], [1, 1, 1, 1]])


def write(folder: Path, ending: str) -> str:
    path = folder / f"signs.{ending}"
    if ending == "npz":
        np.savez(path, S=ENTRIES, care=CARE, row_names=np.array(["x", "y", "z"]))
    elif ending == "csv":
        path.write_text("1,-1,1,-1\n-1,1,1,*\n-1,-1,-1,-1\n")
    elif ending == "tsv":
        path.write_text("+1\t-1\t+1\t-1\n-1\t+1\t+1\t*\n-1\t-1\t-1\t-1\n")
    else:  # four cells a line, as judgements of TREC have
        path.write_text("1 -1 1 -1\n-1 1 1 *\n-1 -1 -1 -1\n" if ending == "dat" else SHOWN + "\n")
    return str(path)


ENDINGS = ["txt", "csv", "dat", "tsv", "npz"]


@pytest.mark.parametrize("ending", ENDINGS)
def test_show_prints_signs(tmp_path: Path, ending: str) -> None:
    path = write(tmp_path, ending)
    lines = run("show", path).stdout.splitlines()
    assert lines[-3:] == SHOWN.split()
    assert "ones a row: 0..2" in lines
    document = json.loads(run("show", path, "--json").stdout)
    Draft202012Validator(schemas.load("show")).validate(document)
    assert (document["ones"], document["unspecified"]) == (4, 1)
    assert document["merged"] is document["parts"] is None


@pytest.mark.parametrize("command", [["show"], ["plot", "-o", "p.png"], ["decide"]])
def test_a_row_without_a_one_is_left_to_rank(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: list[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("p.txt").write_text("10\n00\n")
    refused(run(*command, "p.txt"), "row 1 has no 1")
    assert "(`samapprox rank` takes such rows)" in run(*command, "p.txt").stderr
    assert run("rank", "p.txt").stdout.startswith("The sign-rank of this 2 x 2 matrix is 2.")


def test_all_ways_of_writing_are_one_matrix(tmp_path: Path) -> None:
    shown = [run("show", write(tmp_path, ending), "--json").stdout for ending in ENDINGS]
    assert len({json.loads(text)["sha256"] for text in shown}) == 1


def test_standard_input() -> None:
    assert run("show", "-", stdin=SHOWN).stdout.endswith(SHOWN + "\n")


def test_nothing_but_stars() -> None:
    document = json.loads(run("show", "-", "--json", stdin="-*\n**\n").stdout)
    assert (document["ones"], document["density"]) == (0, 0)


def test_plot_draws_signs_and_the_proofs_of_ranks(tmp_path: Path) -> None:
    path, picture = write(tmp_path, "npz"), str(tmp_path / "p.svg")
    assert run("plot", path, "-o", picture).exit_code == 0
    drawn = Path(picture).read_text()
    assert drawn.count("<!-- + -->") + drawn.count("<!-- \N{MINUS SIGN} -->") >= 2
    assert "<!-- 3 rows x 4 columns -->" in drawn
    for side in ("yes", "no"):
        certificate = str(tmp_path / f"{side}.json")
        assert run("rank", path, f"--{side}", certificate).exit_code == 0
        assert run("plot", path, "--certificate", certificate, "-o", picture).exit_code == 0
        assert f"{side.upper()} for sign-rank" in Path(picture).read_text()


@pytest.mark.parametrize("option", [["-d", "1"], ["--dim"]])
def test_plot_decides_no_dimension_of_signs(tmp_path: Path, option: list[str]) -> None:
    path = write(tmp_path, "csv")
    refused(run("plot", path, *option, "-o", str(tmp_path / "p.png")), "this is a matrix of signs")


def test_zeros_are_no_signs_unless_a_mask_says_that_they_do_not_count(tmp_path: Path) -> None:
    entries, path = np.where(CARE, ENTRIES, 0), str(tmp_path / "zeros.npz")
    np.savez(path, S=entries, care=CARE)
    assert run("show", path).stdout.endswith(SHOWN + "\n")
    assert "sign-rank" in run("rank", path).stdout
    np.savez(path, S=entries)
    for command in ("show", "rank"):
        refused(run(command, path), "entry at row 1, column 3 is 0, but others are -1")


@pytest.mark.parametrize("command", ["show", "plot"])
def test_signs_are_not_causal(tmp_path: Path, command: str) -> None:
    output = ["-o", str(tmp_path / "p.png")] if command == "plot" else []
    refused(run(command, "-", "--causal", *output, stdin="+-\n-+\n"), "--causal is for patterns")


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize(
    "command",
    ["dim", "decide -d 1", "margin", "encode --to lp -d 2", "reduce one-more-dimension"],
)
def test_other_commands_name_those_that_read_signs(
    tmp_path: Path, command: str, ending: str
) -> None:
    done = run(*command.split(), write(tmp_path, ending))
    refused(done, "patterns hold 0, 1 and *")
    assert "signs, + and - or 1 and -1, are for `samapprox rank`, `show` and `plot`" in done.stderr


def test_batch_finds_ranks_of_signs(tmp_path: Path) -> None:
    """Also of rows without a 1, in every notation; other tasks refuse the same files."""
    for ending in ENDINGS:
        folder = tmp_path / "set" / ending
        folder.mkdir(parents=True)
        write(folder, "txt" if ending in ("dat", "tsv") else ending)
    (tmp_path / "set" / "zero.txt").write_text("10\n00\n")
    np.save(tmp_path / "set" / "stack.npy", np.stack([ENTRIES, -ENTRIES]))
    where = ["--results", str(tmp_path / "r.sqlite")]
    done = run("batch", str(tmp_path / "set"), "--task", "rank", *where)
    assert done.exit_code == 0, done.stderr
    assert "8 EXACT" in done.stdout
    checked = run("batch", str(tmp_path / "set"), "--task", "verify", *_certificates(tmp_path))
    assert checked.exit_code == 0, checked.stderr
    assert "8 VALID" in checked.stdout
    refused_one = run("batch", str(tmp_path / "set"), "--task", "dim", *where)
    assert refused_one.stderr.count("are for `samapprox rank`") == 7


def _certificates(folder: Path) -> list[str]:
    results = str(folder / "r.sqlite")
    return ["--certificates", results, "--results", str(folder / "checked.sqlite")]
