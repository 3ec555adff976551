"""`samapprox batch` about sets of vectors: expectations, documents and exit status."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import click
import numpy as np
import pytest
from click.testing import CliRunner
from helpers.batch.batches import batch
from helpers.schemas import schema

from samapprox.cli.instances.batch import batch as command
from samapprox.cli.main import cli
from samapprox.formats import save_vectors
from samapprox.reductions.vectors import generate
from samapprox.vectors import VectorSet

pytestmark = pytest.mark.usefixtures("_in_process")


@pytest.fixture(autouse=True)
def _in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)


def test_orthogonal_pairs_of_families_and_folders() -> None:
    CliRunner().invoke(
        cli, ["generate", "orthogonal-planted", "--n", "20", "--count", "3", "-o", "sets"]
    )
    sources = ["sets", "orthogonal-none:n=20,count=2"]
    result = batch(*sources, "--task", "orthogonal", "--json", "--junit", "j.xml")
    assert result.exit_code == 0, result.output
    document = json.loads(result.stdout)
    schema("batch").validate(document)
    assert document["verdicts"]["YES"] == 3
    assert document["verdicts"]["NO"] == 2
    assert document["values"] == [
        {"lower": 0, "upper": 0, "instances": 2},
        {"lower": 1, "upper": 1, "instances": 3},
    ]
    cases = ElementTree.parse("j.xml").getroot().findall(".//testcase")
    assert [case.findtext("system-out") for case in cases] == ["NO 0..0"] * 2 + ["YES 1..1"] * 3
    again = batch(*sources, "--task", "orthogonal", "--expect", "results.sqlite")
    assert again.exit_code == 2
    assert "name a copy of the file" in again.output


def test_wrong_counts_fail() -> None:
    bits = np.eye(3, dtype=np.uint8)
    save_vectors(VectorSet(bits, known={"pairs": 2}), Path("v.npz"))
    result = batch("v.npz", "--task", "orthogonal", "--quiet")
    assert result.exit_code == 1
    assert "contradiction: v.npz: proven to be 3, but known to be 2" in result.output


def test_layers_must_find_a_share_of_what_full_attention_finds() -> None:
    asked = ["furthest-planted:n=30,d=6,count=2", "--task", "furthest"]
    on_mask = [*asked, "--graph", "bigbird:w=3,g=1,r=2", "--layers", "4"]
    assert batch(*asked, "--recall", "1").exit_code == 0
    assert batch(*on_mask, "--recall", "0").exit_code == 0
    failed = batch(*on_mask, "--recall", "0.99", "--json")
    assert failed.exit_code == 1
    document = json.loads(failed.stdout)
    schema("batch").validate(document)
    assert document["skipped"] == 2
    assert [failure["kind"] for failure in document["failures"]] == ["recall"] * 2
    result = batch(*asked, "--export", "r.jsonl")
    assert result.exit_code == 0
    rows = [json.loads(line) for line in Path("r.jsonl").read_text().splitlines()]
    assert {row["graph"] for row in rows} == {None, "bigbird:w=3,g=1,r=2"}
    assert {row["lower"] for row in rows if row["graph"] is None} == {1.0}


def test_several_masks_are_questions_of_their_own_in_all_outputs() -> None:
    asked = ["furthest-planted:n=30,d=6,count=2", "--task", "furthest", "--layers", "1"]
    masks = ["--graph", "full", "--graph", "star", "--graph", "full"]
    outputs = ["--junit", "j.xml", "--summary", "s.md", "--export", "r.csv"]
    result = batch(*asked, *masks, "--recall", "1", "--json", *outputs)
    assert result.exit_code == 1
    documents = [json.loads(line) for line in result.stdout.splitlines()]
    assert [one["question"]["graph"] for one in documents] == ["full", "star"]
    for document in documents:
        schema("batch").validate(document)
    assert documents[0]["recall"] == {"mean": 1, "least": 1}
    least, mean = (documents[1]["recall"][name] for name in ("least", "mean"))
    assert 0 <= least <= mean < 1
    assert [len(one["failures"]) for one in documents] == [0, 2]
    suites = ElementTree.parse("j.xml").getroot().findall("testsuite")
    assert [suite.get("failures") for suite in suites] == ["0", "2"]
    assert [" on full, " in (suite.get("name") or "") for suite in suites] == [True, False]
    assert Path("s.md").read_text().count("### samapprox") == 2
    assert len(Path("r.csv").read_text().splitlines()) == 5
    printed = batch(*asked, *masks, "--quiet").stdout
    assert "100.0 % of the furthest vectors are found on average, 100.0 % at least" in printed
    assert printed.count("2 instances (2 from earlier runs)") == 2


def test_masks_in_files_are_named_by_their_whole_path() -> None:
    save_vectors(generate("furthest-planted", n=4, d=4), Path("v.npz"))
    Path("mask.txt").write_text("1100\n1110\n0111\n1001\n")
    result = batch("v.npz", "--task", "furthest", "--graph", "mask.txt", "--json")
    question = json.loads(result.stdout)["question"]
    assert (question["graph"], question["layers"]) == (str(Path("mask.txt").absolute()), 16)


@pytest.mark.parametrize(
    ("options", "fault"),
    [
        (["--task", "orthogonal", "--recall", "0.5"], "--recall is for the task furthest"),
        (["--graph", "star"], "the task decide does not take graph"),
        (["--task", "furthest", "--layers", "2"], "need a graph"),
        (["--task", "furthest", "--graph", "-"], "standard input"),
        (["--task", "furthest", "--graph", "star", "--graph", "star:q=1"], "no parameter 'q'"),
        (["--task", "dim"], "is a family of vectors, but the task asks about patterns"),
    ],
)
def test_options_that_make_no_sense(options: list[str], fault: str) -> None:
    result = batch("furthest-planted:n=4,d=4", *options)
    assert result.exit_code == 2
    assert fault in result.output
    assert not Path("results.sqlite").exists()


def test_the_help_lists_each_option_once_and_under_a_heading() -> None:
    text = CliRunner().invoke(cli, ["batch", "--help"], terminal_width=80).output
    lines = text.partition("The question:\n")[2].splitlines()
    assert max(map(len, lines)) <= 80
    for parameter in command.params:
        if isinstance(parameter, click.Option):
            (name, *_) = parameter.opts
            assert sum(line.startswith((f"  {name} ", f"  {name}  ")) for line in lines) == 1, name
    others = text.partition("Other options:\n")[2].split()
    assert others[:2] == ["-h,", "--help"]
    assert lines[-1].startswith("  -h")
